import { type Command, CommanderError } from 'commander'
import { asSessError, type ErrorPosition, EXIT, SessError } from '../model/errors.ts'
import { Call } from './call.ts'
import { guessing } from './guessing.ts'
import { Io } from './io.ts'
import { buildProgram } from './program.ts'
import { realWorld, type World } from './world.ts'
import { ClosedPipe } from './writer.ts'

/**
 * Runs the command line: parses the arguments, runs the command, says what went wrong. Gives the exit code
 * and hands it to the world; never throws.
 */
export async function main(argv: readonly string[], world: World = realWorld()): Promise<number> {
  const own = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length)
  const io = new Io(world, {
    json: own.includes('--json'),
    color: () => (own.includes('--no-color') ? 'never' : call.config.value('color')),
  })
  const call = new Call(io, world, argv)
  let code: number
  try {
    code = await run(call)
    await io.endData()
    await io.flushNotes()
  } catch (error) {
    code = await tell(call, error)
  }
  // A stopped command does not wait for its pending work.
  if (call.stopCode === undefined) world.exit(code)
  else world.quit(code)
  return code
}

async function run(call: Call): Promise<number> {
  const program = buildProgram(call)
  const { argv } = call
  if (argv.length === 0) {
    program.outputHelp()
    return 0
  }
  try {
    await Promise.race([program.parseAsync(argv, { from: 'user' }), call.interrupted])
  } catch (error) {
    const usage = error instanceof CommanderError ? await refused(error, argv, program) : undefined
    if (usage === null) return 0
    throw await explained(call, usage ?? error)
  } finally {
    await call.opened?.close()
  }
  return call.status
}

/** Returns an error of commander in our words, or null if it only printed help. */
const refused = async (error: CommanderError, argv: readonly string[], program: Command) =>
  (await import('./usage.ts')).usageError(error, argv, program)

/** Returns an error with a hint at similar names; prints the candidates of an ambiguous name. */
async function explained(call: Call, error: unknown): Promise<unknown> {
  if (!(error instanceof SessError)) return error
  if (error.candidates.length > 0) await (await import('./candidates.ts')).tellCandidates(call, error)
  if (error.at) await tellPlace(call, error.at)
  const { at, choices, code } = error
  if (choices.length === 0 && !NAMELESS.has(code)) return error
  const { nearest, withNearNames } = await import('./near.ts')
  if (choices.length === 0) return withNearNames(call, error)
  const word = at ? at.text.slice(at.from, at.to) : /argument '(.*)' is invalid/.exec(error.message)?.[1]
  const near = nearest(word ?? '', choices)
  return error.with({ hint: guessing(near) + error.hint })
}

/** Shows the position of an error in a text. */
async function tellPlace(call: Call, place: ErrorPosition): Promise<void> {
  const { placeLines } = await import('./render/place.ts')
  const { lines, data } = call.detail
  call.detail = { lines: [...placeLines(place, call.io.columns), ...lines], data }
}

const NAMELESS: ReadonlySet<string> = new Set(['no-revision', 'no-session', 'no-branch', 'no-label'])

/** Prints an error and gives its exit code. */
async function tell(call: Call, thrown: unknown): Promise<number> {
  if (thrown instanceof ClosedPipe) return 0
  const error = asSessError(thrown)
  const { io, world } = call
  // Buffered output comes first; an error of the output matters less than the error of the command.
  await io.endData().catch(() => undefined)
  const code = error.kind === 'stopped' ? (call.stopCode ?? EXIT.stopped) : EXIT[error.kind]
  // A user who quit the pager knows that the command stopped.
  if (error.kind !== 'stopped' || !io.paging) call.refuse(error, code, call.detail)
  if (error.kind === 'bug' && world.variables.SESS_DEBUG)
    for (const line of stackOf(thrown).split('\n')) void io.note(line)
  try {
    await io.flushNotes()
  } catch (failed) {
    // Nobody reads what went wrong, but the exit code still says so.
    if (!(failed instanceof ClosedPipe)) throw failed
  }
  return code
}

const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
