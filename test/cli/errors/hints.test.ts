import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands/index.ts'
import { hintOf } from '../../../src/cli/errors/hints.ts'
import { TOPICS } from '../../../src/cli/topics.ts'
import { type ErrorCode, type Remedy, WORDINGS } from '../../../src/model/errorcodes.ts'
import { SessError } from '../../../src/model/errors.ts'

/** One remedy of each kind, its names as a hostile file may have them. */
function remediesOf(name: string): { readonly [K in Remedy['kind']]: Extract<Remedy, { kind: K }> } {
  return {
    'append-or-name-branch': { kind: 'append-or-name-branch', session: name, branch: name },
    'begin-branch': { kind: 'begin-branch', session: name, branch: name },
    'check-disk': { kind: 'check-disk' },
    'check-syntax': { kind: 'check-syntax' },
    'choose-current-session': { kind: 'choose-current-session' },
    'compact-earlier': { kind: 'compact-earlier', session: name },
    'export-to-agent': { kind: 'export-to-agent', session: name, format: 'claude-code' },
    'keep-from': { kind: 'keep-from', entry: '98c5e71acd' },
    'make-new-branch': { kind: 'make-new-branch' },
    'move-project': { kind: 'move-project' },
    'name-conversion': { kind: 'name-conversion' },
    'name-empty-folder': { kind: 'name-empty-folder', hasStore: true },
    'name-session': { kind: 'name-session' },
    'name-session-of-branch': { kind: 'name-session-of-branch' },
    'name-session-of-label': { kind: 'name-session-of-label', label: name, revision: name },
    'name-session-or-all': { kind: 'name-session-or-all' },
    'name-store': { kind: 'name-store' },
    'name-two-revisions': { kind: 'name-two-revisions' },
    navigate: { kind: 'navigate', revision: name },
    'rename-session': { kind: 'rename-session' },
    'repair-database': { kind: 'repair-database' },
    'repair-file': { kind: 'repair-file' },
    'repair-identity': { kind: 'repair-identity' },
    'repair-refs': { kind: 'repair-refs', ref: 'HEAD' },
    'replace-label': { kind: 'replace-label' },
    'restore-backup': { kind: 'restore-backup' },
    'restore-here': { kind: 'restore-here' },
    'set-own-setting': { kind: 'set-own-setting', setting: 'pager' },
    'switch-branch': { kind: 'switch-branch', session: name },
    'trust-store': { kind: 'trust-store', setting: 'safe.directory', value: `/shared/${name}/.sess` },
    'undo-any': { kind: 'undo-any' },
    'undo-first': { kind: 'undo-first', operation: 4 },
    'unset-setting': { kind: 'unset-setting', setting: 'color', owner: 'user' },
    'use-other-backup': { kind: 'use-other-backup' },
  }
}

const codes = Object.keys(WORDINGS) as ErrorCode[]
const hintFor = (remedy: Remedy): string => hintOf(new SessError('corrupt', 'x', { remedy }))

/** Returns the words of the commands in a hint, of each from `sess` on. */
const commandsIn = (hint: string): string[][] =>
  Array.from(hint.matchAll(/'(sess [^']*)'/g), ([, command = '']) => command.split(' ').slice(1))

describe('a hint', () => {
  const hints = [
    ...codes.map((code): [string, string] => [code, hintOf(new SessError(code, 'x'))]),
    ...Object.values(remediesOf('3b1f')).map((remedy): [string, string] => [remedy.kind, hintFor(remedy)]),
  ]

  it.each(hints)(
    'of %s is in lower case without a full stop, and names commands that there are',
    (_, hint) => {
      expect(hint).toMatch(/^[a-z'].*[^.]$/)
      for (const [first = '', ...rest] of commandsIn(hint)) {
        if (first.startsWith('-')) continue
        const command = COMMANDS.find(({ name }) => name === first)
        if (first === 'help')
          expect([...COMMANDS, ...TOPICS].map(({ name }) => name)).toContain(rest[0] ?? 'help')
        expect([first, first === 'help' || command !== undefined]).toEqual([first, true])
      }
    },
  )

  it('says what to install for a store of a newer format', () => {
    expect(hintOf(new SessError('newer-store', 'x'))).toBe('install the newest sess; nothing was changed')
  })

  it('of an error of its own comes before what else can be done', () => {
    const error = new SessError('no-branch', 'x', {
      hint: "did you mean 'main'?",
      remedy: { kind: 'name-session' },
    })
    expect(hintOf(error)).toMatch(/^did you mean 'main'\? name the session/)
  })

  it.each(['$(id)', 'xyz xyz', '`id`', "it's", ';id', '\u001b[2J'])(
    'never has %j in a command to type',
    (name) => {
      for (const remedy of Object.values(remediesOf(name))) expect(hintFor(remedy)).not.toContain(name)
    },
  )

  it('never has a name that a command would take for an option', () => {
    const hint = hintFor({ kind: 'switch-branch', session: '-rf' })
    expect(hint).toBe("switch to another branch first: 'sess switch SESSION/BRANCH'")
  })
})
