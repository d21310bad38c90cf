import type { Format } from '../../formats/core/format.ts'
import type { WrittenLine } from '../../formats/core/writer.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { defined } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LogId } from '../../model/record.ts'
import { exportedRef, exportRef } from '../../model/refname.ts'
import type { Change } from '../../repo/repo.ts'
import { type ExportHead, MAIN, refValue, type SessionTrunk } from '../../repo/session.ts'
import { Ingester } from '../import/ingester.ts'
import { emptyTarget } from '../import/logtarget.ts'
import { Indexer } from '../indexing.ts'
import type { SessionPart } from './selection.ts'

/** The properties of a written file: its format, native id and name, its session and branch. */
interface FileWriting {
  readonly format: Format
  readonly branched: boolean
  /** Whether it is a bundle of several files. */
  readonly bundled: boolean
  readonly native: string
  readonly name: string
  readonly session: SessionTrunk
  readonly onto: string | undefined
}

const utf8 = new TextEncoder()

/**
 * Stores the lines that are written of a session as an import of the file will read them: as a log whose records have the
 * entry of the session that each line ends at.
 */
export class WrittenLog {
  readonly #change: Change
  readonly #writing: FileWriting
  readonly #part: SessionPart
  readonly #log: LogId
  /** The entry that each unit of the file ends at. */
  readonly #handles: (EntryHandle | null)[] = []
  /** The lines whose bytes are not yet parsed: the end of each, and the entry that it ends at. */
  #lines: { readonly end: number; readonly handle: EntryHandle | undefined }[] = []
  #written = 0
  #taken = 0
  readonly #ingester: Ingester

  private constructor(
    change: Change,
    indexer: Indexer,
    part: SessionPart,
    tip: EntryHandle,
    writing: FileWriting,
  ) {
    this.#change = change
    this.#writing = writing
    this.#part = part
    const { writer } = change
    this.#log = writer.newLog()
    this.#ingester = new Ingester(change, indexer, {
      format: writing.format,
      sample: { name: writing.name },
      target: emptyTarget(this.#log),
      exportedRecords: { entries: this.#handles, tip },
      onUnit: ({ bytes }) => this.#endUnit(bytes.length),
    })
  }

  /** A unit ends at the entry of the line in which it ends: some lines hold several units. */
  #endUnit(bytes: number): void {
    this.#taken += bytes
    const at = this.#lines.findIndex(({ end }) => end >= this.#taken)
    if (at > 0) this.#lines.splice(0, at)
    this.#handles.push(this.#lines[0]?.handle ?? null)
  }

  static begin(change: Change, part: SessionPart, tip: EntryHandle, writing: FileWriting): WrittenLog {
    const indexer = new Indexer(change.reader, change.writer)
    return new WrittenLog(change, indexer, part, tip, writing)
  }

  /** Adds the next line, and returns its bytes. */
  async take({ text, entry }: WrittenLine): Promise<Uint8Array> {
    const [before, own] = [this.#lines.at(-1)?.handle, this.#part.handles[entry ?? -1]]
    const bytes = utf8.encode(text)
    this.#written += bytes.length
    // On one path a line stands for everything that was written before it, also if it comes late.
    const handle =
      own === undefined || this.#writing.branched ? (own ?? before) : await this.#newer(before, own)
    this.#lines.push({ end: this.#written, handle })
    await this.#ingester.push(bytes)
    return bytes
  }

  async #newer(one: EntryHandle | undefined, other: EntryHandle): Promise<EntryHandle> {
    if (one === undefined) return other
    const { reader } = this.#change
    return (await reader.node(one)).order > (await reader.node(other)).order ? one : other
  }

  /** Completes the log. Returns whether an import of the file can continue the session. */
  async end(tip: Oid): Promise<boolean> {
    const { reader, writer, move } = this.#change
    const { session, format, native, onto, bundled } = this.#writing
    const sha256 = await this.#ingester.end()
    const { records, bytes, hash, tail, diverged } = this.#ingester
    // Nothing in files without a message shows that they are a session.
    const isNothing = bundled ? this.#handles.every((handle) => handle === null) : records === 0
    if (isNothing || diverged) return false
    const head: ExportHead = {
      format: format.name,
      written: [this.#log, records],
      tip,
      ...defined({ onto }),
      log: writer.newLog(),
      count: 0,
      entries: 0,
      hash,
      updated: null,
      reading: format.reading,
      bytes,
      sha256,
      tail: tail.map((chunk) => writer.putBlob(chunk)),
      branches: { [MAIN]: tip },
      salvaged: 0,
      ...(bundled && { bundled }),
    }
    const before = session.exports.get(native)
    move(exportRef(session.id, native), before && refValue(before), refValue(head))
    const owner = exportedRef(native)
    const owned = await reader.ref(owner)
    if (owned === undefined) move(owner, undefined, { session: session.id })
    return true
  }
}
