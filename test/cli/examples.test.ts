import { cpSync } from 'node:fs'
import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { listedByHelp } from '../support/help.ts'
import { runPipeline } from '../support/pipeline.ts'
import { GITHUB, OTHER_GITHUB } from '../support/secrets.ts'
import { Shell } from '../support/shell.ts'

/** The lines that are typed before, so that there is something to do. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  expunge: [
    `echo '${OTHER_GITHUB}' > secret.txt`,
    `echo 'Use ${GITHUB} or ${OTHER_GITHUB}' | sess append 3b1f --role user`,
  ],
  migrate: ['sess export 019d4e07 --out old.jsonl'],
  redo: ['sess undo'],
  swarm: ['sess swarm new tides --session 3b1f', 'sess swarm branch tides by-table'],
  resume: ['sess export 3b1f --format codex --to-agent'],
}

/** Commands that need a terminal, a client, a port or an agent: other tests run them. */
const ELSEWHERE: ReadonlySet<string> = new Set(['browse', 'pick', 'mcp', 'serve', 'run'])

it('shows examples of every command that work', { timeout: 300_000 }, async () => {
  const failed: string[] = []
  const prepared = async (shell: Shell): Promise<Shell> => {
    cpSync(shell.path('sessions'), shell.path('.claude/projects'), { recursive: true })
    await shell.run('sess import sessions')
    return shell
  }
  const shared = await prepared(new Shell())
  const restore = shared.snapshot()
  let isChanged = false
  for (const { name: command, load } of COMMANDS) {
    const { effect, commands } = await load()
    const isEndless = command === 'watch'
    const shell = isEndless ? await prepared(new Shell({ stopAt: /; Ctrl-C stops\n/ })) : shared
    const writes = [{ effect }, ...commands].some((one) => one.effect !== 'read')
    if (isChanged) restore()
    isChanged = writes || command in BEFORE
    for (const line of BEFORE[command] ?? []) await runPipeline(shell, line)
    const { stdout } = await shell.run(`sess help ${command}`)
    const [, shown = ''] = stdout.split(/^Examples:\n/m)
    const lines = [...shown.matchAll(/^ {2}(\S.*?)(?: {2,}\S.*)?$/gm)].map(([, line = '']) => line)
    if (lines.length < 2) failed.push(`${command} has ${lines.length} examples`)
    for (const line of lines) {
      if (!line.includes(`sess ${command}`)) failed.push(`'${line}' is no example of ${command}`)
      if (ELSEWHERE.has(command)) continue
      // Here is no terminal to ask on.
      const asked = line.replace(/^sess expunge (?!--yes)/, 'sess expunge --yes ')
      const { code, transcript } = await runPipeline(shell, asked)
      if (code !== 0) failed.push(transcript)
    }
  }
  expect(failed).toEqual([])
})

it('says the same of a command with --help', async () => {
  const shell = new Shell({ samples: false })
  for (const command of (await listedByHelp(shell)).commands)
    expect((await shell.run(`sess ${command} --help`)).stdout).toBe(
      (await shell.run(`sess help ${command}`)).stdout,
    )
})
