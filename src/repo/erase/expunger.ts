import { BlobRef } from '../../model/canonical.ts'
import { blanked, changed } from '../../model/expunged.ts'
import { isObject, type Json } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Operation, RefValue } from '../../model/operation.ts'
import { type BlobId, isLogId, type LogId } from '../../model/record.ts'
import { part, type RefName } from '../../model/refname.ts'
import type { Backend } from '../../storage/backend.ts'
import { blobIdOf, contentOf, textOfContent } from '../../storage/blocks/blob.ts'
import { handleOf } from '../../storage/entrynode.ts'
import type { Stored, StoredRecord } from '../../storage/record.ts'
import type { Kept, Revision } from '../../storage/rewrite/kept.ts'
import { numberOperation } from '../operation.ts'
import type { Occurrences, Removal } from './occurrences.ts'
import { Reachable } from './reachable.ts'
import { eraseSecrets, eraseText } from './recordcontent.ts'

/** What is to be removed from a store for good, and what stands instead. */
export interface ExpungeRequest extends Removal {
  /** The placeholders of secrets, by the secrets. */
  readonly secrets: ReadonlyMap<string, string>
  /** Tells whether a title or a prompt repeats what an entry said that goes whole. */
  readonly repeats: (text: string) => boolean
}

/** The first byte of raw bytes that are kept: see `blob.ts`. */
const BYTES = 2

/** Removes something from all that a database holds while it is written anew. */
export class Expunger implements Revision {
  readonly #of: ExpungeRequest
  readonly #holdings: Occurrences
  /** By number the ids of operations, which cover those before. */
  readonly #ids = new Map<number, string>()
  readonly forgetWords = true

  /** Takes what was found to hold something of it. */
  constructor(of: ExpungeRequest, holdings: Occurrences) {
    this.#of = of
    this.#holdings = holdings
  }

  /** Gives all of a store to be kept, but for what goes, of what was written meanwhile too. */
  async kept(backend: Backend): Promise<Kept> {
    await this.#holdings.look(backend)
    const reach = new Reachable(backend)
    for await (const [name, value] of backend.refs('')) reach.name(this.name(name), this.ref(value))
    const { latest: last, dropped: forgotten } = await backend.operationLog()
    this.#ids.set(forgotten.operation, forgotten.id)
    for (let number = forgotten.operation + 1; number <= last; number++) {
      const operation = await backend.operation(number)
      for (const { name, old, new: value } of operation?.moves ?? [])
        for (const side of [old, value]) reach.name(name, side === undefined ? undefined : this.ref(side))
    }
    return { entries: { has: () => true }, logs: this.#holdings.seen, blobs: reach.blobs, forgotten }
  }

  readonly body = (entry: EntryHandle, body: Stored): Stored => {
    const instead = this.#holdings.emptied.get(entry)
    return instead === undefined ? changed(body, this.#of.eraser.text) : emptiedBody(body, instead)
  }

  readonly blob = (content: Uint8Array): Uint8Array => {
    if (content[0] === BYTES) {
      const bytes = content.subarray(1)
      const next = this.#of.eraser.bytes(bytes)
      return next === bytes ? content : Buffer.concat([content.subarray(0, 1), next])
    }
    const text = textOfContent(content)
    const next = this.#of.eraser.text(text)
    return next === text ? content : contentOf(next)
  }

  readonly record = (record: StoredRecord, log: LogId, position: number): StoredRecord => {
    if (!this.#holdings.records.get(log)?.has(position)) return record
    const { eraser } = this.#of
    const { native, lead, row, content } = record
    const instead = this.#holdings.emptied.get(handleOf(row))
    return {
      ...record,
      lead: eraser.bytes(lead),
      ...(native !== undefined && { native: eraser.text(native) }),
      content: instead === undefined ? eraseSecrets(content, eraser, true) : eraseText(content, instead),
    }
  }

  /** Gives the value of a ref without what goes; heads of logs say that something went. */
  readonly ref = (value: RefValue): RefValue => {
    const next = this.#of.eraser.value(value)
    if (!isObject(next)) return next
    const { title, prompt } = next
    const repeated = {
      ...(this.#isRepeated(title) && { title: REPEATED }),
      ...(this.#isRepeated(prompt) && { prompt: REPEATED }),
    }
    const isHead = isLogId(next.log) && logsIn(next).some((log) => this.#holdings.records.has(log))
    if (!isHead) return Object.keys(repeated).length > 0 ? { ...next, ...repeated } : next
    // The compressed file holds all of it still.
    const { packed: _, tail, ...head } = next
    const blobs = tail as readonly BlobId[] | undefined
    return { ...head, ...(blobs && { tail: blobs.map((blob) => this.#blobNow(blob)) }), expunged: true }
  }

  #blobNow(blob: BlobId): BlobId {
    const bytes = this.#holdings.tails.get(blob)
    return bytes ? blobIdOf(bytes) : blob
  }

  #isRepeated(text: Json | undefined): boolean {
    return typeof text === 'string' && this.#of.repeats(text)
  }

  /** Gives the name of a ref without what goes. */
  name(name: RefName): RefName {
    let next: string = name
    for (const [secret, instead] of this.#of.secrets) next = next.replaceAll(part(secret), part(instead))
    return next as RefName
  }

  readonly operation = (operation: Operation): Operation => {
    const { number, id, command, moves, ...rest } = operation
    const next = moves.map((move) => ({
      name: this.name(move.name),
      old: move.old === undefined ? undefined : this.ref(move.old),
      new: move.new === undefined ? undefined : this.ref(move.new),
    }))
    const previous = this.#ids.get(number - 1)
    const anew = numberOperation(
      { ...rest, command: this.#of.eraser.text(command), moves: next },
      number,
      previous ?? '',
    )
    this.#ids.set(number, anew.id)
    return anew.id === id ? operation : anew
  }

  /** What import remembers is read again where it tells of what goes. */
  readonly note = <N extends RefValue>(note: N, path: string): N | undefined =>
    this.#of.eraser.value(note) === note && this.#of.eraser.text(path) === path ? note : undefined
}

/** What stands where a title or a prompt repeated what was removed. */
const REPEATED = '[expunged]'

function emptiedBody(body: Stored, instead: string): Stored {
  const blank = (value: Stored): Stored => {
    if (value instanceof BlobRef) return instead
    if (Array.isArray(value)) return (value as readonly Stored[]).map(blank)
    if (isObject(value as Json))
      return Object.fromEntries(
        Object.entries(value as { [key: string]: Stored }).map(([k, v]) => [k, blank(v)]),
      )
    return value
  }
  return blanked(blank(body), instead)
}

/** Gives the logs that a head names. */
function logsIn({ log, earlier, written }: { readonly [key: string]: Json }): LogId[] {
  const pairs = [
    ...(Array.isArray(earlier) ? (earlier as Json[]) : []),
    ...(Array.isArray(written) ? [written] : []),
  ]
  return [log, ...pairs.map((pair) => (Array.isArray(pair) ? (pair[0] as Json) : null))].filter(isLogId)
}
