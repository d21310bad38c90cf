import { existsSync, realpathSync } from 'node:fs'
import { Level, type Level as LevelDB } from 'level'
import { SessError } from '../../model/errors.ts'
import { networkFileSystem } from '../directory/networkfilesystem.ts'
import type { KeyChange, KeyCursor, KeyRange, KeyValue, KeyValueDatabase } from '../levelbackend/keyvalue.ts'
import { claimDatabase, hasVisibleLock, releaseClaim } from './locks.ts'
import { checkDatabase } from './manifest.ts'

type LevelDatabase = Level<Uint8Array, Uint8Array>

/** The methods that abstract-level calls to open and to close, which its types do not declare. */
interface Hooks {
  _open(options: object): Promise<void>
  _close(): Promise<void>
}

const Base = Level as unknown as new (...of: ConstructorParameters<typeof Level>) => LevelDatabase & Hooks

const OPEN = Symbol.for('sess.open')

/** The folders of the databases that are open in this thread, or being opened, of all copies of this module. */
const open: Set<string> = ((globalThis as { [OPEN]?: Set<string> })[OPEN] ??= new Set())

/**
 * A LevelDB that only one process has open, and only once.
 *
 * LevelDB itself refuses to open a database twice in a process, but has opened its file `LOCK` by then and closes it
 * again; with that the system takes away the lock of the whole process (fcntl(2)), another process gets in, and both
 * write. So LevelDB is not asked then.
 *
 * On some file systems locks do nothing. So the database is claimed first; the claim stays unless the system shows the
 * lock, on a file system that no other machine has mounted.
 */
export class ExclusiveLevel extends Base {
  /** Whether `checkDatabase` was called for its folder right before. */
  isChecked = false
  /** Whether it is a snapshot that this process just made, with links to tables on another volume. */
  linkedTables = false
  #folder: string | undefined
  #claim: string | undefined

  override async _open(options: object): Promise<void> {
    const folder = pathOf(this.location)
    if (open.has(folder)) throw lockedError('already open in this process')
    open.add(folder)
    try {
      if (!this.isChecked) checkDatabase(this.location, { linkedTables: this.linkedTables })
      // LevelDB makes the folder of a new database.
      if (existsSync(folder)) {
        this.#claim = claimDatabase(folder)
        if (this.#claim === undefined) throw lockedError('claimed by another process')
      }
      await super._open(options)
      this.#folder = folder
      if (hasVisibleLock(folder) && networkFileSystem(folder) === undefined) this.#release(folder)
    } catch (error) {
      open.delete(folder)
      this.#release(folder)
      throw lacksLocks(error) ? noLocksError(folder, error) : error
    }
  }

  /** A database that does not close stays open, and stays claimed. */
  override async _close(): Promise<void> {
    await super._close()
    if (this.#folder === undefined) return
    open.delete(this.#folder)
    this.#release(this.#folder)
  }

  #release(folder: string): void {
    const own = this.#claim
    this.#claim = undefined
    if (own !== undefined) releaseClaim(folder, own)
  }
}

/** Returns whether the database in a folder is open in this thread, or being opened. */
export const isOpenHere = (folder: string): boolean => open.has(pathOf(folder))

/** Returns the path of a folder that may be reached by a link. */
function pathOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder // it is not there yet
  }
}

const lockedError = (message: string): Error => Object.assign(new Error(message), { code: 'LEVEL_LOCKED' })

/** Returns whether an error of LevelDB is ENOLCK or ENOTSUP, which it reports like a lock that another process has. */
const lacksLocks = (error: unknown): boolean =>
  error instanceof Error && /^IO error: lock .*(?:no locks available|not supported)/is.test(error.message)

const noLocksError = (folder: string, cause: unknown): SessError =>
  new SessError('cannot-write', folder, {
    detail: 'its file system has no locks',
    hint: 'keep the store on a file system that has locks, as local ones do; nothing is damaged',
    cause,
  })

/**
 * LevelDB with batches that are built pair by pair: given a list it copies each change first, which takes ten times as
 * long as everything else on that path.
 */
export class LevelAdapter implements KeyValueDatabase {
  readonly #level: LevelDB<Uint8Array, Uint8Array>

  constructor(level: LevelDB<Uint8Array, Uint8Array>) {
    this.#level = level
  }

  get location(): string {
    return this.#level.location
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    return this.#level.getSync(key)
  }

  async batch(changes: readonly KeyChange[], options: { readonly sync: boolean }): Promise<void> {
    const [first] = changes
    if (changes.length === 1 && first?.type === 'put') return this.#level.put(first.key, first.value, options)
    const batch = this.#level.batch()
    for (const change of changes) {
      if (change.type === 'put') batch.put(change.key, change.value)
      else batch.del(change.key)
    }
    await batch.write(options)
  }

  iterator(range: KeyRange): KeyCursor<KeyValue> {
    return this.#level.iterator(range)
  }

  keys(range: KeyRange): KeyCursor<Uint8Array> {
    return this.#level.keys(range)
  }

  close(): Promise<void> {
    return this.#level.close()
  }
}
