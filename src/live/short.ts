import type { Variables } from '../model/variables.ts'
import { runHook, startDetached } from './hook.ts'
import { readAll } from './livefolder.ts'
import { statusLine } from './statusline.ts'

/** How the program was started. */
interface Started {
  readonly argv: readonly string[]
  readonly variables: Variables
  /** Node and the script that it runs. */
  readonly program: readonly string[]
  readonly print: (text: string) => void
}

/** The most bytes that are read for a statusline. */
const MAX_STATUS = 1 << 20

/** The milliseconds that a former statusline has, and the most bytes of its output. */
const [MAX_FORMER, MAX_ROWS] = [5000, 64 << 10]

/**
 * Runs what agents call and wait for, without the rest of the command line:
 * `hook --folder DIR AGENT [--notify [COMMAND …] TOLD]` and `statusline --folder DIR [--then COMMAND]`.
 * Returns false for any other call, and where a word is missing.
 */
export function runShort({ argv, variables, program, print }: Started): boolean {
  const [command, flag, folder, ...words] = argv
  if (flag !== '--folder' || folder === undefined) return false
  if (command === 'statusline') return showStatus(folder, words, print)
  const [agent, notify, ...rest] = words
  if (command !== 'hook' || agent === undefined || agent.startsWith('-')) return false
  const told = notify === '--notify' ? (rest.at(-1) ?? '') : undefined
  const settler = [...program, 'hook', '--folder', folder, '--settle']
  runHook({ agent, folder, told, variables, settler })
  if (told !== undefined && rest.length > 1) chain(rest)
  return true
}

/** Runs the program that was told of turns before, as the agent would have. */
function chain(words: readonly string[]): void {
  try {
    startDetached(words, process.cwd())
  } catch {
    // As before: nobody is told that the program is not there.
  }
}

function showStatus(
  folder: string,
  [flag, former]: readonly string[],
  print: (text: string) => void,
): boolean {
  try {
    const told = readAll(0, MAX_STATUS)
    const rows = flag === '--then' && former !== undefined ? rowsOf(former, told) : ''
    print(`${rows}${statusLine(told, folder)}\n`)
  } catch {
    // An empty line is better than an error on the screen.
  }
  return true
}

/** Returns the rows of the statusline that the user had before: a command of a shell, which gets the same input. */
function rowsOf(command: string, input: string): string {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { stdout, status } = spawnSync('/bin/sh', ['-c', command], {
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: MAX_FORMER,
    maxBuffer: MAX_ROWS,
  })
  if (status !== 0 || stdout.trim() === '') return ''
  return stdout.endsWith('\n') ? stdout : `${stdout}\n`
}
