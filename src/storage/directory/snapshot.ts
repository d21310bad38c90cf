import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { checkCommitLog } from '../levelbackend/commitlog.ts'
import { LevelBackend } from '../levelbackend/levelbackend.ts'
import { newLevel, openError, withOverlay } from '../leveldb/database.ts'
import { copyDatabase, type Fingerprint, fingerprintOf } from './databasecopy.ts'
import { isUnwritable } from './files.ts'
import { databaseFolder, readGeneration } from './generation.ts'
import { isBackup, lastWriter } from './identity.ts'
import { processName } from './processname.ts'
import { generationFolder } from './takeover.ts'
import { temporaryFolder } from './temporaryfolder.ts'

/** A copy of a store's database at one point in time, to be read while another process holds the database. */
export class Snapshot {
  readonly backend: LevelBackend
  readonly #dir: string
  readonly #source: string
  readonly #folder: string
  readonly #then: Fingerprint | undefined

  private constructor(
    dir: string,
    backend: LevelBackend,
    source: string,
    folder: string,
    then: Fingerprint | undefined,
  ) {
    this.backend = backend
    this.#dir = dir
    this.#source = source
    this.#folder = folder
    this.#then = then
  }

  /**
   * Makes a snapshot with everything that was acknowledged before; `scratch` is a folder for writes to it, if there are
   * any. The cost depends on the newest writes, not on the size of the store. Throws `busy`, `cannot-write` and
   * `no-space` where it cannot be made, `corrupt` where it does not open.
   */
  static async take(dir: string, scratch?: string): Promise<Snapshot> {
    for (;;) {
      const generation = readGeneration(dir)
      try {
        return await Snapshot.#anywhere(dir, generationFolder(dir, generation), scratch)
      } catch (error) {
        // The database was removed meanwhile, because another generation is current.
        if (readGeneration(dir) === generation) throw error
      }
    }
  }

  /**
   * Makes it in the store's folder, so that tables are linked; outside of it for a backup, or if the store's folder is
   * not writable.
   */
  static async #anywhere(dir: string, source: string, scratch?: string): Promise<Snapshot> {
    if (!isBackup(dir))
      try {
        return await Snapshot.#of(dir, source, dir, scratch)
      } catch (error) {
        if (!isUnwritable(error)) throw error
      }
    return Snapshot.#of(dir, source, temporaryFolder(), scratch)
  }

  static async #of(dir: string, source: string, parent: string, scratch?: string): Promise<Snapshot> {
    const folder = newSnapshot(dir, parent)
    const then = fingerprintOf(source)
    try {
      copyDatabase(source, folder)
      const level = newLevel(folder, false)
      level.linkedTables = parent !== dir
      await level.open()
      try {
        const top = scratch === undefined ? level : await withOverlay(level, scratch)
        await checkCommitLog(top)
        const backend = new LevelBackend(top, { existing: true, writer: () => lastWriter(dir) })
        return new Snapshot(dir, backend, source, folder, then)
      } catch (error) {
        await level.close()
        throw error
      }
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw openError(parent, error)
    }
  }

  /** Whether nothing was written after the snapshot was made. */
  get isCurrent(): boolean {
    // The previous database may remain for a while, and nothing is written to it any more.
    if (databaseFolder(this.#dir, readGeneration(this.#dir)) !== this.#source) return false
    return this.#then !== undefined && fingerprintOf(this.#source)?.writes === this.#then.writes
  }

  async close(): Promise<void> {
    try {
      await this.backend.close()
    } finally {
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }
}

/**
 * Copies the current database of a store into a new folder, which the caller removes: see `copyDatabase`. Where the store
 * cannot be written, tables are symbolic links there.
 */
export function copyCurrent(dir: string): string {
  try {
    return copyInto(dir, dir)
  } catch (error) {
    if (!isUnwritable(error)) throw error
  }
  return copyInto(dir, temporaryFolder())
}

function copyInto(dir: string, parent: string): string {
  const folder = newSnapshot(dir, parent)
  for (;;) {
    const generation = readGeneration(dir)
    try {
      copyDatabase(generationFolder(dir, generation), folder)
      return folder
    } catch (error) {
      // It was removed meanwhile: another generation is current.
      if (readGeneration(dir) !== generation) continue
      rmSync(folder, { recursive: true, force: true })
      throw openError(parent, error)
    }
  }
}

/** Makes a new folder for a copy of a store's database, in the store or in another folder. Throws `cannot-write`. */
export function newSnapshot(dir: string, parent = dir): string {
  try {
    return mkdtempSync(join(parent, `${parent === dir ? '' : 'sess-'}snapshot.${processName()}.`))
  } catch (cause) {
    throw new SessError('cannot-write', dir, { detail: cause instanceof Error ? cause.message : '', cause })
  }
}
