import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ALL, sampled } from '../support/amount.ts'
import { HARMFUL } from '../support/harmful.ts'
import { NAMES } from '../support/hostilenames.ts'
import { Shell } from '../support/shell.ts'

/** Every place of the command line that takes a name which the user makes. */
const PLACES: Readonly<Record<string, (name: string, id: string) => readonly string[]>> = {
  branch: (name, id) => ['branch', '--', id, name],
  'branch of an edit': (name, id) => ['edit', '-n', `--branch=${name}`, '--plan', '-', id],
  label: (name, id) => ['label', '--session', id, '--', name],
  title: (name, id) => ['rename', '--', id, name],
  'title of a new session': (name) => ['append', '--new', `--title=${name}`, '--role', 'user'],
  'title of a fork': (name, id) => ['fork', `--title=${name}`, '--', id],
  'key of a session': (name, id) => ['set', '--', id, `${name}=1`],
  'value of a session': (name, id) => ['set', '--', id, `key=${name}`],
  setting: (name) => ['config', '--', name, '1'],
  'value of a setting': (name) => ['config', '--', 'color', name],
  'command to summarize with': (name) => ['config', '--', 'summarizer', name],
  ref: (name, id) => ['update-ref', '--', name, id],
  store: (name) => ['--store', name, 'ls'],
  'store to be made': (name) => ['--store', name, 'init'],
  'file of an export': (name, id) => ['export', `--out=${name}`, '--', id],
  'file of a page': (name, id) => ['export', '--format', 'html', `--out=${name}`, '--', id],
  'folder of a backup': (name) => ['backup', '--', name],
  'store to repair from': (name) => ['fsck', '--repair', `--from=${name}`],
  reason: (name, id) => ['expunge', '-n', '--force', `--why=${name}`, '--', `${id}~1`],
}

/** Places that name a file: these may lie where the user says. */
const PATHS = /^(?:store|file|folder)/

const filesIn = (dir: string): string[] => readdirSync(dir).toSorted()

it.each(sampled(Object.entries(PLACES), 4))(
  'a %s may be called anything: it is that, or is refused with a word',
  async (place, words) => {
    const shell = new Shell()
    mkdirSync(shell.path('home'))
    await shell.run('sess init')
    await shell.run('sess import sessions')
    await shell.run('sess append --new --title Tea --role user', { stdin: ['one'] })
    const id = (JSON.parse((await shell.run('sess ls --json')).stdout.split('\n')[0] ?? '') as { id: string })
      .id
    await shell.main(['append', id, '--role', 'user'], { stdin: ['two'] })
    const around = filesIn(shell.path('..'))
    const before = filesIn(shell.dir)
    for (const [i, [kind, name]] of Object.entries(NAMES).entries()) {
      if (PATHS.test(place) && /^(?:a way|an absolute|a dot|two dots)/.test(kind)) continue
      // Without volume, plainly and as JSON by turns.
      for (const flags of ALL ? [[], ['--json']] : [i % 2 === 0 ? [] : ['--json']]) {
        const { code, stderr, output } = await shell.main([...flags, ...words(name, id)], { stdin: ['hi'] })
        const isTold = (flags.length > 0 ? /"code":"[a-z-]+"/ : /^sess: |\nsess: /).test(stderr)
        expect({
          kind,
          output: output.slice(0, 300),
          isRight: code === 0 || (code < 6 && isTold),
          harmful: HARMFUL.exec(output)?.[0],
          isShort: output.length < 80_000,
        }).toEqual({
          kind,
          output: output.slice(0, 300),
          isRight: true,
          harmful: undefined,
          isShort: true,
        })
      }
    }
    expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well/)
    for (const command of ['ls', 'op log', `log ${id}`, `show ${id}`])
      expect(HARMFUL.exec((await shell.run(`sess ${command}`)).output)?.[0]).toBe(undefined)
    expect(
      filesIn(shell.path('..')).filter((name) => !around.includes(name) && name.includes('outside')),
    ).toEqual([])
    if (!PATHS.test(place)) expect(filesIn(shell.dir)).toEqual(before)
    expect(statSync(shell.path('.sess')).mode & 0o777).toBe(0o700)
  },
)
