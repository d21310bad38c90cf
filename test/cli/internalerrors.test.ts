import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import type { Command } from '../../src/cli/define.ts'
import { EXIT } from '../../src/cli/exitcodes.ts'
import { flagOf } from '../../src/cli/parameters.ts'
import type { RefValue } from '../../src/model/operation.ts'
import type { RefName } from '../../src/model/refname.ts'
import { Repo } from '../../src/repo/repo.ts'
import { failing, type Setting, Shell } from '../support/shell.ts'

/** The commands, with those of families, and the words that name each. */
async function allCommands(): Promise<(readonly [words: readonly string[], command: Command])[]> {
  const loaded = await Promise.all(COMMANDS.map(({ load }) => load()))
  return loaded.flatMap((command) => [
    [[command.name], command] as const,
    ...command.commands.map((one) => [[command.name, one.name], one] as const),
  ])
}

/** Arguments that no user means. */
const ODD_WORDS = [
  '',
  ' ',
  '\u{1f600}\ud800',
  'x'.repeat(33_000),
  `**${'x'.repeat(33_000)}`,
  '('.repeat(9_000),
  '~'.repeat(9_000),
  `HEAD~${'9'.repeat(400)}`,
  '@{99999999999999}',
  '%',
  '/dev/null',
  '/dev/null/x',
  '-1',
  '1e400',
  '__proto__',
  '{"a":1}',
  '[[[',
]

/** Variables that name no usable folder. */
const ODD_PATHS = [
  '',
  '/dev/null',
  '/dev/null/x',
  `/${'x'.repeat(300)}`,
  `/x${'/y'.repeat(3_000)}`,
  'relative',
]

const PATH_VARIABLES = ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'SESS_STORE', 'SESS_SESSION']

/** What standard input may hold. */
const ODD_INPUTS: readonly (string | Uint8Array)[] = [
  '',
  '\0',
  Uint8Array.of(0xff, 0xfe, 0x80),
  '[]\n{}\nnull\n7\n"x"\n',
  `${'['.repeat(100_000)}\n`,
  '{"role":"user"}\n{"__proto__":1}\n',
  '{"body":{"role":"user","content":{"a":[{}]}},"type":"a/b/c"}\n',
]

/** Refs of another form than their kind has, by their names in the session `ID`. */
const ODD_REFS: readonly (readonly [name: string, value: RefValue])[] = [
  ['sessions/ID/labels/x', {}],
  ['sessions/ID/branches/main', 5],
  ['sessions/ID/HEAD', []],
  ['sessions/ID/meta', 'x'],
  ['sessions/ID/source', { log: 5 }],
  ['sessions/%/meta', { format: 'sess' }],
  ['sessions/ID/unknown/x', 1],
  ['grafts/x', []],
  ['x', null],
]

/** Returns one item of each `step` items, beginning elsewhere for each command. */
const someOf = <T>(items: readonly T[], step: number, from: number): readonly T[] =>
  items.filter((_, i) => (i + from) % step === 0)

/** A shell with a store, and what its commands ended with that were internal errors. */
async function begin(): Promise<{ shell: Shell; found: string[]; attempt: Attempt }> {
  const shell = new Shell()
  await shell.run('sess init')
  await shell.run('sess import sessions')
  const found: string[] = []
  const attempt: Attempt = async (argv, setting = {}) => {
    const { code, stderr } = await shell.main(argv, setting)
    const typed = argv.map((word) => word.slice(0, 40)).join(' ')
    const given = JSON.stringify(setting.variables ?? {}).slice(0, 60)
    if (code === EXIT.bug) found.push(`${typed} ${given}: ${stderr.slice(0, 300)}`)
  }
  return { shell, found, attempt }
}

type Attempt = (argv: readonly string[], setting?: Setting) => Promise<void>

/** How each command is run: without effect, and not without end. */
const howToRun = ({ effect, endless = false }: Command): { dry: readonly string[]; stop: Setting } => ({
  dry: effect === 'read' || endless ? [] : ['-n'],
  stop: endless ? { stopAfter: 50 } : {},
})

describe('no command ends with an internal error', { timeout: 600_000 }, () => {
  it('whatever is typed', async () => {
    const { found, attempt } = await begin()
    for (const [at, [words, command]] of (await allCommands()).entries()) {
      const { dry, stop } = howToRun(command)
      const names = Object.keys(command.arguments)
      for (const word of someOf(ODD_WORDS, 9, at))
        await attempt([...words, ...dry, '--', ...names.map(() => word)], stop)
      const options = Object.entries(command.options).filter(([, { value }]) => value)
      for (const [i, [key, option]] of someOf([...options.entries()], 5, at))
        for (const word of someOf(ODD_WORDS, ODD_WORDS.length, at + i))
          await attempt([...words, ...dry, flagOf(key, option), word], stop)
    }
    expect(found).toEqual([])
  })

  it('whatever the environment', async () => {
    const { found, attempt } = await begin()
    const settings = PATH_VARIABLES.flatMap((name) => ODD_PATHS.map((path) => ({ [name]: path })))
    for (const [at, [words, command]] of (await allCommands()).entries()) {
      const { dry, stop } = howToRun(command)
      for (const variables of someOf(settings, 15, at))
        await attempt([...words, ...dry], { variables, ...stop })
    }
    for (const variables of settings) {
      await attempt(['config', 'pager', 'off'], { variables })
      await attempt(['ls'], { variables })
    }
    expect(found).toEqual([])
  })

  it('whatever its streams', async () => {
    const { found, attempt } = await begin()
    for (const [at, [words, command]] of (await allCommands()).entries()) {
      const { dry, stop } = howToRun(command)
      for (const stdin of someOf(ODD_INPUTS, 7, at))
        await attempt([...words, ...dry], { stdin: [stdin], ...stop })
      for (const code of someOf(['EPIPE', 'ENOSPC', 'EIO', 'EBADF'], 4, at))
        await attempt([...words, ...dry], { stdout: failing(code), ...stop })
    }
    for (const stdin of ODD_INPUTS) await attempt(['append', '-n', '3b1f'], { stdin: [stdin] })
    expect(found).toEqual([])
  })

  it('whatever the form of a ref', async () => {
    const { shell, found, attempt } = await begin()
    const [id = ''] = (await shell.run('sess ls --json')).stdout.match(/(?<="id":")[^"]+/) ?? []
    expect(id).not.toBe('')
    for (const [name, value] of ODD_REFS.map(([path, held]) => [path.replace('ID', id), held] as const)) {
      const repo = await Repo.open(shell.path('.sess'))
      let before: RefValue | undefined
      await repo.write({ repairs: true }, async ({ reader, move }) => {
        before = await reader.ref(name as RefName)
        move(name as RefName, before, value)
      })
      await repo.close()
      for (const [at, [words, command]] of (await allCommands()).entries()) {
        const { dry, stop } = howToRun(command)
        if ((at + name.length) % 7 === 0) await attempt([...words, ...dry, id], stop)
      }
      const again = await Repo.open(shell.path('.sess'))
      await again.write({ repairs: true }, ({ move }) => move(name as RefName, value, before))
      await again.close()
    }
    expect(found).toEqual([])
  })
})
