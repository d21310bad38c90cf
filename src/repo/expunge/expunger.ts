import { BlobRef } from '../../model/encoding/canonical.ts'
import { isObject, type Json } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Operation, RefValue } from '../../model/operation.ts'
import type { BlobId, LogId } from '../../model/record.ts'
import { type RefName, renamedRef } from '../../model/refname.ts'
import { checkedValue, kindOf, referencesOf, visitReferences } from '../../model/refs/table.ts'
import { blanked, changed } from '../../model/secrets/expunged.ts'
import type { Backend } from '../../storage/backend.ts'
import { blobIdOf, decodeTextBlob, encodeTextBlob } from '../../storage/levelbackend/blob.ts'
import { handleOf } from '../../storage/levelbackend/rows.ts'
import type { Stored, StoredRecord } from '../../storage/levelbackend/storedrecord.ts'
import type { ContentEdits, RewriteScope } from '../../storage/rewrite/scope.ts'
import { numberOperation, operationsBetween } from '../oplog/operationlog.ts'
import { Reachable } from '../reachable.ts'
import { eraseSecrets, eraseText } from './eraserecord.ts'
import { blobsKey, type Occurrences, type Removal } from './occurrences.ts'

/** The content that is to be expunged from a store, and its replacements. */
export interface ExpungeRequest extends Removal {
  /** Returns whether a title or a prompt repeats the text of an entry that is expunged as a whole. */
  readonly repeats: (text: string) => boolean
}

/** The first byte of a blob that holds bytes. */
const BYTES = 2

/** Removes content from everything that a database holds, while the database is rewritten. */
export class Expunger implements ContentEdits {
  readonly #request: ExpungeRequest
  readonly #occurrences: Occurrences
  /** The new ids of operations, by number. Each id covers the operations before it. */
  readonly #ids = new Map<number, string>()
  readonly dropWords = true

  /** The tombstones that the store holds as soon as the content is gone. */
  readonly refs: ReadonlyMap<RefName, RefValue>

  constructor(request: ExpungeRequest, occurrences: Occurrences, tombstones: ReadonlyMap<RefName, RefValue>) {
    this.#request = request
    this.#occurrences = occurrences
    this.refs = tombstones
  }

  /** The entries that hold the content. */
  get edited(): Occurrences['entries'] {
    return this.#occurrences.entries
  }

  /** Searches what was written since the last call, and returns that everything in the store is kept. */
  async kept(backend: Backend): Promise<RewriteScope> {
    await this.#occurrences.search(backend)
    const reach = new Reachable(backend)
    for await (const [name, value] of backend.refs(''))
      reach.addRef(this.name(name), this.ref(checkedValue(name, value), name))
    const { dropped } = await backend.operationLog()
    this.#ids.set(dropped.operation, dropped.id)
    for await (const { moves } of operationsBetween(backend, dropped.operation))
      for (const { name, old, new: value } of moves)
        for (const side of [old, value])
          reach.addRef(name, side === undefined ? undefined : this.ref(side, name))
    return { entries: { has: () => true }, logs: this.#occurrences.seen, blobs: reach.blobs, dropped }
  }

  readonly blobs = (): Iterable<Uint8Array> => this.#occurrences.blobs.values()

  readonly body = (entry: EntryHandle, body: Stored): Stored => {
    const replacement = this.#occurrences.replacements.get(entry)
    return replacement === undefined
      ? changed(body, this.#request.eraser.text)
      : emptiedBody(body, replacement)
  }

  readonly blob = (content: Uint8Array): Uint8Array => {
    if (content[0] === BYTES) {
      const bytes = content.subarray(1)
      const next = this.#request.eraser.bytes(bytes)
      return next === bytes ? content : Buffer.concat([content.subarray(0, 1), next])
    }
    const text = decodeTextBlob(content)
    const next = this.#request.eraser.text(text)
    return next === text ? content : encodeTextBlob(next)
  }

  readonly record = (record: StoredRecord, log: LogId, position: number): StoredRecord => {
    if (!this.#occurrences.records.get(log)?.has(position)) return record
    const { eraser } = this.#request
    const { native, lead, row, content } = record
    const replacement = this.#request.files.get(log) ?? this.#occurrences.replacements.get(handleOf(row))
    return {
      ...record,
      lead: eraser.bytes(lead),
      ...(native !== undefined && { native: eraser.text(native) }),
      content:
        replacement === undefined ? eraseSecrets(content, eraser, true) : eraseText(content, replacement),
    }
  }

  /** Returns the value of a ref without expunged content. Heads of logs that lost content are marked `expunged`. */
  readonly ref = (value: RefValue, name: RefName): RefValue => {
    const blobs = (list: readonly BlobId[], isCompressed: boolean): readonly BlobId[] =>
      isCompressed ? list : this.#blobsNow(list)
    const next = visitReferences(name, changed(value, this.#text) as RefValue, { ...NOT_SEEN, blobs })
    if (!isObject(next)) return next
    const { title, prompt } = next
    const repeated = {
      ...(this.#isRepeated(title) && { title: REPEATED }),
      ...(this.#isRepeated(prompt) && { prompt: REPEATED }),
    }
    const lost = kindOf(name)?.isLogHead ? [...referencesOf(name, next).logs.keys()] : []
    if (!lost.some((log) => this.#occurrences.records.has(log)))
      return Object.keys(repeated).length > 0 ? { ...next, ...repeated } : next
    // The compressed file still holds the content.
    const { packed: _, ...head } = next
    return { ...head, expunged: true }
  }

  #blobsNow(blobs: readonly BlobId[]): readonly BlobId[] {
    const bytes = this.#occurrences.blobs.get(blobsKey(blobs))
    return bytes ? [blobIdOf(bytes)] : blobs
  }

  /** Returns a text of a ref without secrets: a prompt as it follows from the entry that it is of. */
  readonly #text = (text: string): string =>
    this.#occurrences.prompts.get(text) ?? this.#request.eraser.text(text)

  #isRepeated(text: Json | undefined): boolean {
    return typeof text === 'string' && this.#request.repeats(text)
  }

  readonly sessionName = (name: string): string => {
    const next = this.#text(name)
    return this.#isRepeated(next) ? REPEATED : next
  }

  readonly namePart = (part: string): string => this.#request.eraser.text(part)

  /** Returns the name of a ref without secrets. */
  name(name: RefName): RefName {
    return renamedRef(name, this.namePart)
  }

  readonly operation = (operation: Operation): Operation => {
    const { number, id, command, moves, ...rest } = operation
    const next = moves.map((move) => ({
      name: this.name(move.name),
      old: move.old === undefined ? undefined : this.ref(move.old, move.name),
      new: move.new === undefined ? undefined : this.ref(move.new, move.name),
    }))
    const previous = this.#ids.get(number - 1)
    const rewritten = numberOperation(
      { ...rest, command: this.#request.eraser.text(command), moves: next },
      number,
      previous ?? '',
    )
    this.#ids.set(number, rewritten.id)
    return rewritten.id === id ? operation : rewritten
  }

  /** Drops notes of sources that hold expunged content: the next import reads these sources again. */
  readonly note = <N extends RefValue>(note: N, path: string): N | undefined =>
    this.#request.eraser.value(note) === note && this.#request.eraser.text(path) === path ? note : undefined
}

/** Visits neither entries nor logs. */
const NOT_SEEN = { oid: () => undefined, log: () => undefined }

/** Replaces a title or a prompt that repeats expunged text. */
const REPEATED = '[expunged]'

function emptiedBody(body: Stored, replacement: string): Stored {
  const blank = (value: Stored): Stored => {
    if (value instanceof BlobRef) return replacement
    if (Array.isArray(value)) return (value as readonly Stored[]).map(blank)
    if (isObject(value as Json))
      return Object.fromEntries(
        Object.entries(value as { [key: string]: Stored }).map(([k, v]) => [k, blank(v)]),
      )
    return value
  }
  return blanked(blank(body), replacement)
}
