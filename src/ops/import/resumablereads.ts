import type { Format } from '../../formats/core/format.ts'
import type { LogId } from '../../model/record.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import type { Ingester } from './ingester.ts'

/** The state of reading a file so far, and the log that has its records. */
export interface ResumableRead {
  readonly ingester: Ingester
  readonly format: Format
  readonly log: LogId
}

/** The number of files that are kept: those that were read last. */
const MOST = 16

/**
 * The states of files whose reading is continued where it ended, for as long as a process watches them. A state is valid
 * while the log that it was read into has not changed.
 */
export class ResumableReads {
  readonly #files = new Map<string, ResumableRead>()

  /** Removes and returns the state of the file at a path, if it is at the end of a log and can be continued. */
  take(path: string, format: Format, source: SourceHead | ExportHead): ResumableRead | undefined {
    const followed = this.#files.get(path)
    this.#files.delete(path)
    if (!followed || followed.format !== format || !followed.ingester.isResumable) return undefined
    const { records, hash, bytes } = followed.ingester
    const isThat =
      followed.log === source.log &&
      records === source.count &&
      hash === source.hash &&
      bytes === source.bytes &&
      format.reading === source.reading
    return isThat ? followed : undefined
  }

  /** Keeps the state of the file at a path. */
  keep(path: string, followed: ResumableRead): void {
    followed.ingester.release()
    this.#files.delete(path)
    this.#files.set(path, followed)
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= MOST) return
      this.#files.delete(oldest)
    }
  }

  /** Forgets all states: some of the records read may not have reached the store. */
  forget(): void {
    this.#files.clear()
  }
}
