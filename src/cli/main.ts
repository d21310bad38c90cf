import { CommanderError } from 'commander'
import { asSessError, hasCode, SessError } from '../model/errors.ts'
import { styled } from '../text/text.ts'
import { COMMANDS } from './commands/index.ts'
import type { ListedCommand } from './define.ts'
import { hintOf } from './errors/hints.ts'
import { EXIT } from './exitcodes.ts'
import type { Interfaces } from './interfaces.ts'
import { Invocation } from './invocation.ts'
import { Io } from './io.ts'
import { type Platform, thisPlatform } from './platform.ts'
import { buildProgram, Mistake } from './program.ts'
import { ClosedPipe } from './writer.ts'

/**
 * Runs the command line: parses the arguments, runs the command, reports what went wrong. Returns the exit code and
 * passes it to the platform; never throws.
 */
export async function main(
  argv: readonly string[],
  platform: Platform = thisPlatform(),
  commands: readonly ListedCommand[] = COMMANDS,
  interfaces?: Interfaces,
): Promise<number> {
  const own = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length)
  const io = new Io(platform, {
    json: own.includes('--json'),
    color: () => (own.includes('--no-color') ? 'never' : call.config.value('color')),
  })
  const call = new Invocation(io, platform, argv, interfaces)
  let code: number
  try {
    code = await run(call, commands)
    notePassedOver(call)
    await io.endData()
    await io.flushNotes()
  } catch (error) {
    // An error of a damaged store says the same of the ref that it needs.
    if (!hasCode(error, 'corrupt')) notePassedOver(call)
    code = await reportError(call, error)
  }
  // A stopped command does not wait for its pending work.
  if (call.stopCode === undefined) platform.exit(code)
  else platform.quit(code)
  return code
}

/** The commands that take a limit. */
const LIMITED: ReadonlySet<string> = new Set(['log', 'ls', 'reflog', 'search'])

/** Returns the arguments of these with `-5` as `-n 5`, as git reads it. */
function withLimit(argv: readonly string[]): readonly string[] {
  if (!argv.some((word) => LIMITED.has(word))) return argv
  const end = argv.indexOf('--')
  return argv.flatMap((word, place) =>
    /^-\d+$/.test(word) && (end < 0 || place < end) ? ['-n', word.slice(1)] : [word],
  )
}

async function run(call: Invocation, commands: readonly ListedCommand[]): Promise<number> {
  const program = buildProgram(call, commands)
  // A person at a terminal who names no command looks at the sessions.
  const argv = call.argv.length === 0 && call.hasBrowser ? ['browse'] : call.argv
  if (argv.length === 0) {
    program.outputHelp()
    return 0
  }
  try {
    await Promise.race([program.parseAsync(withLimit(argv), { from: 'user' }), call.interrupted])
  } catch (error) {
    // Help or the version was printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (error instanceof Mistake) throw (await import('./errors/usage.ts')).usageError(error, argv)
    throw await explained(call, error)
  } finally {
    await call.opened?.close()
  }
  return call.status
}

/** The maximum number of refs that are named. */
const MAX_NAMED = 3

/** Prints which refs the command went on without. */
function notePassedOver({ opened, io }: Invocation): void {
  const refs = [...(opened?.passedOver ?? [])]
  for (const [ref, problem] of refs.slice(0, MAX_NAMED))
    void io.note(`sess: the ref '${ref}' cannot be read (${problem}) and was left out`)
  if (refs.length > MAX_NAMED) void io.note(`sess: ${refs.length - MAX_NAMED} more refs were left out`)
  if (refs.length > 0)
    void io.note(
      styled('cyan', 'hint:'),
      " type 'sess fsck' to see the damage, 'sess fsck --repair' to repair it",
    )
}

/** Returns an error with a hint at similar names; adds the candidates of an ambiguous name to its details. */
async function explained(call: Invocation, error: unknown): Promise<unknown> {
  if (!(error instanceof SessError)) return error
  const { at, candidates, choices, code } = error
  if (candidates.length === 0 && !at && choices.length === 0 && !NAMELESS.has(code)) return error
  const explain = await import('./errors/details.ts')
  if (candidates.length > 0) await explain.addCandidates(call, error)
  if (at) explain.addPlace(call, at)
  if (choices.length === 0) return NAMELESS.has(code) ? explain.withNearNames(call, error) : error
  const { didYouMean, nearest } = await import('./errors/suggest.ts')
  return error.with({ hint: didYouMean(nearest(error.typed, choices)) + hintOf(error) })
}

const NAMELESS: ReadonlySet<string> = new Set(['no-revision', 'no-session', 'no-branch', 'no-label'])

/** Prints an error and returns its exit code. */
async function reportError(call: Invocation, thrown: unknown): Promise<number> {
  if (thrown instanceof ClosedPipe) return call.stopCode ?? 0
  const error = asSessError(thrown)
  const { io, platform } = call
  // Buffered output comes first; an error of the output matters less than the error of the command.
  await io.endData().catch(() => undefined)
  const code = error.kind === 'stopped' ? (call.stopCode ?? EXIT.stopped) : EXIT[error.kind]
  // A user who quit the pager knows that the command stopped.
  if (error.kind !== 'stopped' || !io.paging) call.refuse(error, code, call.detail)
  if (error.kind === 'bug' && platform.variables.SESS_DEBUG)
    for (const line of stackOf(thrown).split('\n')) void io.note(line)
  // Where nobody can read the message, the exit code reports the error.
  await io.flushNotes().catch(() => undefined)
  return code
}

const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
