import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import { SessError } from '../model/errors.ts'
import { databaseFolder, readGeneration, readText } from './folder.ts'
import { LevelBackend } from './level.ts'
import { Overlay } from './overlay.ts'
import type { Level as Bytes } from './table.ts'

const HOLDER = 'holder.json'

/** Who holds a store's database: written when it is opened, for the message to whom it keeps waiting. */
export interface Holder {
  readonly pid: number
  readonly command: string
  readonly since: string
}

export interface OpenOptions {
  /** Make the database where there is none: only while a store is being made. */
  readonly create?: boolean
  /** Milliseconds to wait while another process holds the database. */
  readonly lockTimeout: number
  readonly holder: Holder
  /** A folder of its own that takes all that is written: the database stays as it is. */
  readonly scratch?: string
}

const WAIT_LEAST = 4
const WAIT_MOST = 60

/**
 * Opens the database of a store's current generation. LevelDB lets one process in at a time: this waits with jitter
 * for its turn, then throws `busy` naming the holder where it is known.
 */
export async function openDatabase(dir: string, options: OpenOptions): Promise<LevelBackend> {
  const { create = false, lockTimeout, holder, scratch } = options
  const until = Date.now() + lockTimeout
  for (let wait = WAIT_LEAST; ; wait = Math.min(WAIT_MOST, wait * 1.5)) {
    const generation = create ? 1 : readGeneration(dir)
    const level = newLevel(databaseFolder(dir, generation), create)
    try {
      await level.open()
    } catch (error) {
      if (!isLocked(error)) throw unopened(dir, error)
      if (Date.now() >= until) throw busy(dir)
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
      continue
    }
    try {
      if (!create && readGeneration(dir) !== generation) {
        await level.close()
        continue
      }
      writeFileSync(join(dir, HOLDER), `${JSON.stringify(holder)}\n`, { mode: 0o600 })
      const confirm = (): void => {
        if (!create && readGeneration(dir) !== generation) throw new SessError('fenced', dir)
      }
      const top = scratch === undefined ? level : await covered(level, scratch)
      return new LevelBackend(top, { confirm, existing: !create })
    } catch (error) {
      // An open database would shut everybody out for as long as this process lives.
      await level.close()
      throw error instanceof SessError ? error : unopened(dir, error)
    }
  }
}

const newLevel = (folder: string, create: boolean): Level<Uint8Array, Uint8Array> =>
  new Level(folder, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    createIfMissing: create,
    writeBufferSize: 2 << 20,
    // Each open table is mapped into memory whole: 2 MB each, and 1,000 of them unless this is said.
    maxOpenFiles: 32,
  })

async function covered(below: Bytes, scratch: string): Promise<Overlay> {
  const above = newLevel(scratch, true)
  await above.open()
  return new Overlay(below, above)
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined)

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

const isLocked = (error: unknown): boolean =>
  codeOf(error) === 'LEVEL_LOCKED' || codeOf(causeOf(error)) === 'LEVEL_LOCKED'

function unopened(dir: string, error: unknown): SessError {
  const cause = causeOf(error) ?? error
  const detail = cause instanceof Error ? cause.message : String(cause)
  if (/permission denied|not permitted|read-only|too many open files|EACCES|EROFS/i.test(detail))
    return new SessError('cannot-write', dir, { detail, cause })
  if (/no space/i.test(detail)) return new SessError('no-space', dir, { detail, cause })
  return new SessError('corrupt', `its database does not open`, { detail, cause })
}

function busy(dir: string): SessError {
  const text = readText(join(dir, HOLDER))
  const holder = text === undefined ? undefined : parseHolder(text)
  const detail =
    holder && isAlive(holder.pid)
      ? `by process ${holder.pid}, '${holder.command}', since ${holder.since}`
      : ''
  return new SessError('busy', dir, { detail })
}

function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder
  } catch {
    return undefined // a torn file names nobody; the message goes without a name
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
