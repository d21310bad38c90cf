import { fstatSync, ftruncateSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tryParse } from '../../model/value.ts'
import { readText } from './files.ts'
import type { Identity } from './identity.ts'
import { isRunning, processName } from './processname.ts'
import { OVERWRITE, withFile } from './safefile.ts'

/** The file that names the process that holds a store's database. It is written each time the database is opened. */
export const HOLDER_FILE = 'holder.json'

/** The process that holds a store's database, for the processes that wait for it. */
export interface Holder {
  readonly pid: number
  /** Its name, by which another container finds that it does not know the process: see `processName`. */
  readonly process?: string
  /** The command without its arguments, which may be secret, or the library call. */
  readonly command: string
  /** ISO 8601. */
  readonly since: string
  /** The name of its socket in the runtime folder, once there is one; '' where it cannot be asked. */
  readonly socket?: string
  /** The identity of the store, for a repair. */
  readonly store?: Identity
  /** The name of the process that is to have the database after this one, once this one has left it. */
  readonly next?: string
}

/** Milliseconds for which a database is left to the process that is to have it next: a busy machine takes that long. */
const LEFT_FOR = 250

/**
 * Returns this process as a holder since a time, in milliseconds since 1970; with the store's identity once it has one.
 */
export const newHolder = (command: string, now: number, store?: Identity): Holder => ({
  pid: process.pid,
  process: processName(),
  command: command.split(' ', 2).join(' '),
  since: new Date(now).toISOString(),
  ...(store && { store }),
})

/**
 * The text that this thread wrote last, by folder, and the holder it was written for. The thread's number would do, and
 * costs each command 1.6 ms.
 */
const written = new Map<string, { readonly text: string; readonly by: Holder }>()

/** The text is padded to a multiple of this many bytes, so that the file seldom becomes shorter. */
const PADDING = 512

/**
 * Writes the process that holds the database, over what the file holds: a file that is truncated first is written to
 * the disk when it is closed on ext4, which takes each command 2 ms. A file that is torn names no process. `by` is the
 * object for which `hadOtherHolder` is asked.
 */
export function writeHolder(dir: string, holder: Holder, by = holder): void {
  const json = Buffer.from(JSON.stringify(holder))
  const bytes = Buffer.alloc(Math.ceil((json.length + 1) / PADDING) * PADDING, ' ')
  json.copy(bytes)
  bytes[bytes.length - 1] = 0x0a
  withFile(
    join(dir, HOLDER_FILE),
    (file) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at)
      if (fstatSync(file).size > bytes.length) ftruncateSync(file, bytes.length)
    },
    OVERWRITE,
  )
  written.set(dir, { text: bytes.toString(), by })
}

/** Returns the process that held the database last, or undefined where none did or one is just being written. */
export function readHolder(dir: string): Holder | undefined {
  const text = readText(join(dir, HOLDER_FILE))
  return text === undefined ? undefined : holderIn(text)
}

/** Returns the same where it was another process, or another thread of this one. */
export function readOtherHolder(dir: string): Holder | undefined {
  const text = readText(join(dir, HOLDER_FILE))
  return text === undefined || text === written.get(dir)?.text ? undefined : holderIn(text)
}

/**
 * Returns whether another process, or another store object of this one, may have held the database since `by` did. To
 * be called between opening the database and `writeHolder`.
 */
export function hadOtherHolder(dir: string, by: Holder): boolean {
  const last = written.get(dir)
  return last?.by !== by || readText(join(dir, HOLDER_FILE)) !== last.text
}

/**
 * Returns whether the last holder has left the database to another process, which had no time yet to open it. Any other
 * one that happens to come then would have it before all that wait.
 */
export function isLeftToOther(dir: string): boolean {
  const { next } = readHolder(dir) ?? {}
  if (next === undefined || next === processName() || isRunning(next) === false) return false
  const since = statSync(join(dir, HOLDER_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const age = Date.now() - since
  // The time of day may be set while it waits: it waits no longer for that.
  return age >= 0 && age < LEFT_FOR
}

function holderIn(text: string): Holder | undefined {
  const holder = (tryParse(text) ?? {}) as Partial<Holder>
  const { pid, process: name = '', command, since, socket = '', next = '' } = holder
  // A torn file, or one with something else in it, names no process.
  const isNamed = [name, command, since, socket, next].every((value) => typeof value === 'string')
  return isNamed && Number.isInteger(pid) ? (holder as Holder) : undefined
}
