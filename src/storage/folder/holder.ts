import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryParse } from '../../model/value.ts'
import { type Identity, readText } from './folder.ts'
import { ANEW, withFile } from './openfile.ts'

/** The name of the file that says who holds a store's database: written whenever it is opened. */
export const HOLDER_FILE = 'holder.json'

/** Who holds a store's database: for whoever waits for it. */
export interface Holder {
  readonly pid: number
  /** The command without what it was told, which may be a secret; or the library call. */
  readonly command: string
  /** ISO 8601. */
  readonly since: string
  /** The name of the socket in the store's folder on which it can be asked, once there is one; '' where it cannot be asked. */
  readonly socket?: string
  /** The identity of the store, for who finds none there. */
  readonly store?: Identity
}

/** Gives this process as a holder since a time, in milliseconds since 1970, of a store once that has an identity. */
export const holding = (command: string, now: number, store?: Identity): Holder => ({
  pid: process.pid,
  command: command.split(' ', 2).join(' '),
  since: new Date(now).toISOString(),
  ...(store && { store }),
})

/** By folder: what this thread wrote there last. Its number would tell as well, and takes commands 1.6 ms to ask for. */
const written = new Map<string, string>()

/** Writes down who holds the database. */
export function writeHolder(dir: string, holder: Holder): void {
  const text = `${JSON.stringify(holder)}\n`
  withFile(join(dir, HOLDER_FILE), (file) => writeFileSync(file, text), ANEW)
  written.set(dir, text)
}

/** Gives who held the database last, or undefined where nobody did or is just being written down. */
export function readHolder(dir: string): Holder | undefined {
  const text = readText(join(dir, HOLDER_FILE))
  return text === undefined ? undefined : holderIn(text)
}

/** Gives the same where it was another process, or another thread of this one. */
export function readOtherHolder(dir: string): Holder | undefined {
  const text = readText(join(dir, HOLDER_FILE))
  return text === undefined || text === written.get(dir) ? undefined : holderIn(text)
}

function holderIn(text: string): Holder | undefined {
  const holder = (tryParse(text) ?? {}) as Partial<Holder>
  const { pid, command, since, socket = '' } = holder
  // A torn file names nobody, nor does one that says something else.
  const isNamed = [command, since, socket].every((said) => typeof said === 'string')
  return isNamed && Number.isInteger(pid) ? (holder as Holder) : undefined
}
