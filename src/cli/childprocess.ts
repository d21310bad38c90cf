import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Variables } from '../model/variables.ts'
import { NoText, textWithin } from './stdin.ts'

/** A program to run as a child process, without a terminal and without a shell. */
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

/** Why a program has no output: it did not start, failed, ran too long, printed too much, or was asked to end. */
export type Failure = 'start' | 'status' | 'limit' | 'output' | 'signal'

/** The output of a program, or the reason why it failed. */
export type ProgramOutcome =
  | { readonly printed: string }
  | { readonly failed: Failure; readonly message: string }

/** The time between SIGTERM and SIGKILL, in milliseconds. */
const GRACE = 1000

/**
 * Runs a program to its end and returns its output, or the reason for having none: then the program has ended with all
 * processes that it started, which are one process group. Throws the errors of its input.
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
  let child: ChildProcessWithoutNullStreams
  try {
    child = spawn(program, words, { cwd, env: { ...variables }, detached: true, stdio: 'pipe' })
  } catch (error) {
    return { failed: 'start', message: error instanceof Error ? error.message : String(error) }
  }
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error]
    return { failed: 'start', message: error.message }
  }
  child.on('error', () => undefined) // of a signal that could not be sent
  const why: { failed?: Failure; message?: string; thrown?: unknown } = {}
  let killing: NodeJS.Timeout | undefined
  const end = (failed: Failure, message = ''): void => {
    why.failed ??= failed
    why.message ??= message
    kill(child, 'SIGTERM')
    killing ??= setTimeout(() => {
      kill(child, 'SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
    }, GRACE)
  }
  async function* inputChunks(): AsyncGenerator<string> {
    const source = input[Symbol.asyncIterator]()
    try {
      for (;;) {
        // Only this may fail for the input's sake: a closed pipe is thrown where the chunk is given.
        const next = await source.next().catch((error: unknown) => {
          why.thrown = error
          end('output')
          throw error
        })
        if (next.done) return
        yield next.value
      }
    } finally {
      await source.return?.()
    }
  }
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, by) => resolve(code === 0 ? '' : by === null ? `exit code ${code}` : by))
  })
  const printed = textWithin(child.stdout, most).catch((error: unknown) => {
    end('output', error instanceof NoText ? error.message : String(error))
    return ''
  })
  const errors = lastWords(child.stderr)
  // A program that reads only the start of its input, or ends, closes the pipe: that is no failure.
  const fed = pipeline(Readable.from(inputChunks()), child.stdin).catch(() => undefined)
  const timer = setTimeout(() => end('limit'), limit)
  const onAbort = (): void => end('signal')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    const [text, status] = await Promise.all([printed, ended, fed])
    const message = await errors
    if ('thrown' in why) throw why.thrown
    if (why.failed) return { failed: why.failed, message: why.message || message }
    return status === ''
      ? { printed: text }
      : { failed: 'status', message: message ? `${status}: ${message}` : status }
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
const KEPT = 4096

/** Returns the last line of a stream that is not blank. */
async function lastWords(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  try {
    for await (const chunk of stream) text = (text + Buffer.from(chunk).toString('utf8')).slice(-KEPT)
  } catch {
    // The output before the cut is still reported.
    return lineOf(text)
  }
  return lineOf(text)
}

const lineOf = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim() ?? ''
