import { type Env, realEnv } from '../repo/env.ts'

/** A stream that lines are written to. */
export interface Output {
  readonly isTTY?: boolean
  /** The width of the terminal, in columns. */
  readonly columns?: number
  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): boolean
}

/** All that the command line takes from the world around it, passed in so that transcripts are exact. */
export interface World {
  readonly stdin: AsyncIterable<Uint8Array>
  readonly stdout: Output
  readonly stderr: Output
  readonly variables: { readonly [name: string]: string | undefined }
  /** Clock, randomness, user and current folder. */
  readonly env: Env
  /** Gives how many minutes local time is ahead of UTC at a time. */
  readonly zone: (time: number) => number
  /** Calls a function again and again, until what is given back is called. */
  readonly every: (milliseconds: number, tick: () => void) => () => void
  readonly exit: (code: number) => void
}

/** The world as it is. */
export function realWorld(): World {
  const { stdin, stdout, stderr } = process
  // What fails is told to the callback of the write that failed; an event nobody hears would end the process.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined)
  return {
    stdin: { [Symbol.asyncIterator]: () => stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array> },
    stdout,
    stderr,
    variables: process.env,
    env: realEnv(),
    zone: (time) => -new Date(time).getTimezoneOffset(),
    every: (milliseconds, tick) => {
      const timer = setInterval(tick, milliseconds)
      timer.unref()
      return () => clearInterval(timer)
    },
    exit: (code) => {
      process.exitCode = code
    },
  }
}
