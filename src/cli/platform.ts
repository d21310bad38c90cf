import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { closeSync, fstatSync, openSync } from 'node:fs'
import type { Variables } from '../model/variables.ts'
import { type Env, processVariables, realEnv } from '../verbs/surroundings.ts'
import { unreadableInput } from './stdin.ts'

/** A stream that lines are written to. */
export interface OutputStream {
  readonly isTTY?: boolean
  /** The width of the terminal, in columns. */
  readonly columns?: number
  /** The height of the terminal, in lines. */
  readonly rows?: number
  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): boolean
}

/** A stream that is read. */
export interface InputStream extends AsyncIterable<Uint8Array> {
  readonly isTTY?: boolean
}

/** A program that was started to show what is written to it. */
export interface Running extends OutputStream {
  /** Ends the input of the program, and resolves when the program has ended. */
  ended(): Promise<void>
  /** Sends a signal to the program. */
  signal(signal: Signal): void
}

/** A signal that asks the process to end. */
export type Signal = 'SIGINT' | 'SIGTERM'

/** All that the command line takes from the platform around it, passed in so that transcripts are exact. */
export interface Platform {
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly variables: Variables
  /** Clock, randomness, user and current folder. */
  readonly env: Env
  /** Returns the offset of local time to UTC in minutes, at a time. */
  readonly zone: (time: number) => number
  /** Calls a function repeatedly, until the returned function is called. */
  readonly every: (milliseconds: number, tick: () => void) => () => void
  /** Starts a program on the terminal, with its arguments and variables; undefined where that cannot be. */
  readonly start: (command: readonly string[], variables: Variables) => Running | undefined
  /**
   * Lends the terminal to a program until it ends, optionally in a folder, and returns its exit code; undefined if it
   * cannot be started. With `fromTerminal` it reads the terminal although standard input is something else.
   */
  readonly edit: (
    command: readonly string[],
    variables: Variables,
    cwd?: string,
    fromTerminal?: boolean,
  ) => Promise<number | undefined>
  /** Calls a function for each signal, which then does not end the process, until the returned function is called. */
  readonly onSignal: (heard: (signal: Signal) => void) => () => void
  /** Returns the effective id of the user, undefined on a system that has none. */
  readonly uid: () => number | undefined
  /** Replaces root's rights by those of a user and a group. */
  readonly become: (user: number, group: number) => void
  /** Sets the exit code of the process. */
  readonly exit: (code: number) => void
  /** Ends the process at once. */
  readonly quit: (code: number) => void
}

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM']

/** The file descriptor of standard input. */
const STDIN = 0

/** Returns the platform that this process runs on. */
export function thisPlatform(): Platform {
  // Node creates each of these streams on first use, which takes milliseconds.
  return {
    stdin: {
      get isTTY() {
        return process.stdin.isTTY
      },
      [Symbol.asyncIterator]: readStdin,
    },
    get stdout() {
      return outputOf(process.stdout)
    },
    get stderr() {
      return outputOf(process.stderr)
    },
    variables: processVariables(),
    env: realEnv(),
    zone: (time) => -new Date(time).getTimezoneOffset(),
    every: (milliseconds, tick) => {
      const timer = setInterval(tick, milliseconds)
      timer.unref()
      return () => clearInterval(timer)
    },
    start,
    edit,
    onSignal: (heard) => {
      for (const signal of SIGNALS) process.on(signal, heard)
      return () => {
        for (const signal of SIGNALS) process.off(signal, heard)
      }
    },
    uid: () => process.geteuid?.(),
    become,
    exit: (code) => {
      process.exitCode = code
    },
    // The one place where the process ends while something may still run: its user asked for that.
    // oxlint-disable-next-line unicorn/no-process-exit
    quit: (code) => process.exit(code),
  }
}

/** A function of Node that its types lack. */
const { initgroups } = process as { readonly initgroups?: (user: number, group: number) => void }

/** The groups first: only root may change them. */
function become(user: number, group: number): void {
  try {
    initgroups?.(user, group)
  } catch {
    process.setgroups?.([group]) // a user without a name, as in a container
  }
  process.setgid?.(group)
  process.setuid?.(user)
}

/**
 * Reads standard input; it can be read again, or by another program, after a part of it. Throws `unreadable-path` where it
 * is a folder, which Node takes for an empty stream.
 */
async function* readStdin(): AsyncGenerator<Uint8Array> {
  if (fstatSync(STDIN).isDirectory()) throw unreadableInput('it is a folder', 'give a file or a pipe')
  try {
    yield* process.stdin.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } finally {
    // Otherwise the process would wait for more.
    process.stdin.pause()
  }
}

/** Errors are passed to the callback of the failed write; an event without listeners would end the process. */
function outputOf(stream: NodeJS.WriteStream): OutputStream {
  if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore)
  return stream
}

const ignore = (): void => undefined

/**
 * Starts a program; returns undefined where that fails. Some failures are thrown, others are events, and one of those
 * without a listener would end the process.
 */
function spawned(
  [program = '', ...words]: readonly string[],
  options: SpawnOptions,
): ChildProcess | undefined {
  // It takes milliseconds to load and few commands need it; the bundle has no other way to load it late.
  const { spawn } = process.getBuiltinModule('node:child_process')
  try {
    const child = spawn(program, words, options).on('error', ignore)
    return child.pid === undefined ? undefined : child
  } catch {
    return undefined
  }
}

function start(command: readonly string[], env: Variables): Running | undefined {
  const child = spawned(command, { stdio: ['pipe', 'inherit', 'inherit'], env: { ...env } })
  const stdin = child?.stdin
  if (!child || !stdin) return undefined
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  // As for the streams above: the writer gets the error.
  stdin.on('error', ignore)
  return {
    write: (chunk, done) => stdin.write(chunk, done),
    ended: () => {
      stdin.end()
      return ended
    },
    signal: (signal) => {
      child.kill(signal)
    },
  }
}

/** Returns a descriptor of the terminal of this process; undefined where it has none. */
function openedTerminal(): number | undefined {
  try {
    return openSync('/dev/tty', 'r+')
  } catch {
    return undefined
  }
}

function edit(
  command: readonly string[],
  env: Variables,
  cwd?: string,
  fromTerminal = false,
): Promise<number | undefined> {
  const terminal = fromTerminal ? openedTerminal() : undefined
  const stdio = [terminal ?? 'inherit', 'inherit', 'inherit'] as const
  const child = spawned(command, { stdio: [...stdio], env: { ...env }, cwd })
  if (terminal !== undefined) closeSync(terminal)
  if (!child) return Promise.resolve(undefined)
  // Ctrl-C is for the program that has the terminal.
  process.on('SIGINT', ignore)
  return new Promise<number | undefined>((resolve) => {
    child.once('close', (code) => resolve(code ?? undefined))
  }).finally(() => process.off('SIGINT', ignore))
}
