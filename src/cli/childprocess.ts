import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Variables } from './platform.ts'
import { NoText, textWithin } from './stdin.ts'

/** A program that is to run beside us, without a terminal and without a shell. */
export interface ChildProgram {
  readonly command: readonly string[]
  readonly cwd: string
  readonly variables: Variables
  /** The standard input of the program; it need not read all of it. */
  readonly input: AsyncIterable<string>
  /** The time after which it is ended, in milliseconds. */
  readonly limit: number
  /** It is ended if it prints more than this number of bytes. */
  readonly most: number
  /** Asks to end it. */
  readonly signal: AbortSignal
}

/** Why a program gave nothing: it did not start, did not end well, was ended after its time, for its output, or asked to. */
export type Failure = 'start' | 'status' | 'limit' | 'output' | 'signal'

/** The output of a program, or the reason why it failed. */
export type ProgramOutcome =
  | { readonly printed: string }
  | { readonly failed: Failure; readonly says: string }

/** The time between SIGTERM and SIGKILL, in milliseconds. */
const GRACE = 1000

/**
 * Runs a program to its end and gives what it printed, or why it gave nothing: then it is gone with all that it started,
 * which are one process group. Throws what its input throws.
 */
export async function run({
  command,
  cwd,
  variables,
  input,
  limit,
  most,
  signal,
}: ChildProgram): Promise<ProgramOutcome> {
  const [program = '', ...words] = command
  const child = spawn(program, words, { cwd, env: { ...variables }, detached: true, stdio: 'pipe' })
  const why: { failed?: Failure; says?: string; thrown?: unknown } = {}
  let killing: NodeJS.Timeout | undefined
  const end = (failed: Failure, says = ''): void => {
    why.failed ??= failed
    why.says ??= says
    kill(child, 'SIGTERM')
    killing ??= setTimeout(() => {
      kill(child, 'SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
    }, GRACE)
  }
  async function* told(): AsyncGenerator<string> {
    const pieces = input[Symbol.asyncIterator]()
    try {
      for (;;) {
        // Only this may fail for the input's sake: a closed pipe is thrown where the piece is given.
        const next = await pieces.next().catch((error: unknown) => {
          why.thrown = error
          end('output')
          throw error
        })
        if (next.done) return
        yield next.value
      }
    } finally {
      await pieces.return?.()
    }
  }
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, by) => resolve(code === 0 ? '' : by === null ? `exit code ${code}` : by))
  })
  const started = new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
  const printed = textWithin(child.stdout, most).catch((error: unknown) => {
    end('output', error instanceof NoText ? error.message : String(error))
    return ''
  })
  const errors = lastWords(child.stderr)
  // A program that reads only the start of its input, or ends, closes the pipe: that is no failure.
  const fed = pipeline(Readable.from(told()), child.stdin).catch(() => undefined)
  const timer = setTimeout(() => end('limit'), limit)
  const onAbort = (): void => end('signal')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    if (!(await started)) return { failed: 'start', says: await ended }
    const [text, status] = await Promise.all([printed, ended, fed])
    const says = await errors
    if ('thrown' in why) throw why.thrown
    if (why.failed) return { failed: why.failed, says: why.says || says }
    return status === ''
      ? { printed: text }
      : { failed: 'status', says: says ? `${status}: ${says}` : status }
  } finally {
    clearTimeout(timer)
    clearTimeout(killing)
    signal.removeEventListener('abort', onAbort)
    if (why.failed) kill(child, 'SIGKILL')
  }
}

/** Sends a signal to a program and all that it started; those that are gone need none. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** The number of characters kept of standard error. */
const SAID = 4096

/** Returns the last line of a stream that is not blank. */
async function lastWords(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let said = ''
  try {
    for await (const piece of stream) said = (said + Buffer.from(piece).toString('utf8')).slice(-SAID)
  } catch {
    // The output before the cut is still reported.
    return lineOf(said)
  }
  return lineOf(said)
}

const lineOf = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim() ?? ''
