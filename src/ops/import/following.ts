import type { Format } from '../../formats/format.ts'
import type { LogId } from '../../model/record.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import type { Intake } from './intake.ts'

/** What was read of a file so far, and the log that has it. */
export interface Followed {
  readonly intake: Intake
  readonly format: Format
  readonly log: LogId
}

/** So many files are followed at once: those that were read last. */
const MOST = 16

/**
 * Files whose reading goes on where it ended, for as long as a process follows them. What was read of a file is in the
 * log that it names, whose records keep their positions: it holds while the session's source is that log, as it was.
 */
export class Following {
  readonly #files = new Map<string, Followed>()

  /** Takes out what was read of the file at a path, where that is what a log has and the reading may go on. */
  take(path: string, format: Format, source: SourceHead | ExportHead): Followed | undefined {
    const followed = this.#files.get(path)
    this.#files.delete(path)
    if (!followed || followed.format !== format || !followed.intake.goesOn) return undefined
    const { records, hash, bytes } = followed.intake
    const isThat =
      followed.log === source.log &&
      records === source.count &&
      hash === source.hash &&
      bytes === source.bytes &&
      format.reading === source.reading
    return isThat ? followed : undefined
  }

  /** Remembers what was read of the file at a path. */
  keep(path: string, followed: Followed): void {
    followed.intake.rest()
    this.#files.delete(path)
    this.#files.set(path, followed)
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= MOST) return
      this.#files.delete(oldest)
    }
  }

  /** Forgets all: of what was read some may not have reached the store. */
  forget(): void {
    this.#files.clear()
  }
}
