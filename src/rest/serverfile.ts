import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A server as its file in the store describes it, for programs that look for it. */
export interface ServerEntry {
  readonly url: string
  readonly token: string
  readonly store: string
  readonly write: boolean
  readonly pid: number
}

const NAME = /^serve-(\d{1,10})\.json$/
const PRIVATE = 0o600

/** Writes the file of a server, which no other user can read; none in a store that is only read. Returns what removes it. */
export function writeServerFile(entry: ServerEntry): () => void {
  try {
    return writePrivately(entry)
  } catch (error) {
    if (READ_ONLY.has((error as NodeJS.ErrnoException).code)) return () => undefined
    throw error
  }
}

const READ_ONLY: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS'])

function writePrivately(entry: ServerEntry): () => void {
  const path = join(entry.store, `serve-${entry.pid}.json`)
  // A file of this name was left by a process that is there no more, or is a link that somebody put there.
  rmSync(path, { force: true })
  writeFileSync(path, `${JSON.stringify(entry)}\n`, { mode: PRIVATE, flag: 'wx' })
  chmodSync(path, PRIVATE)
  return () => rmSync(path, { force: true })
}

/** Returns the other servers of a store that run, and removes the files of those that have ended. */
export function findServers(store: string): readonly ServerEntry[] {
  return readdirSync(store).flatMap((name) => {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || pid === process.pid) return []
    const path = join(store, name)
    if (!isRunning(pid)) {
      removeStale(path)
      return []
    }
    const entry = entryIn(path)
    return entry?.pid === pid && entry.store === store ? [entry] : []
  })
}

function removeStale(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    if (!READ_ONLY.has((error as NodeJS.ErrnoException).code)) throw error
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function entryIn(path: string): ServerEntry | undefined {
  try {
    const entry = JSON.parse(readFileSync(path, 'utf8')) as Partial<ServerEntry> | null
    return typeof entry?.url === 'string' ? (entry as ServerEntry) : undefined
  } catch {
    // Removed meanwhile, or being written.
    return undefined
  }
}
