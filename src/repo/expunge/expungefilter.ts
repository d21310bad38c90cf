import { encode } from '../../model/encoding/canonical.ts'
import { isObject, type Json, jsonText } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { RefMove, RefValue } from '../../model/operation.ts'
import { isLogId, type LogId, type NewRecord } from '../../model/record.ts'
import { renamedRef } from '../../model/refname.ts'
import type { EntryText } from '../../model/search/entrytext.ts'
import type { SearchIndexWriter } from '../../model/search/searchindex.ts'
import {
  blanked,
  Eraser,
  marksIn,
  repeats,
  spaced,
  type Tombstones,
  watchedIn,
} from '../../model/secrets/expunged.ts'
import { decodedTexts } from '../../model/secrets/spellings.ts'
import type { Backend, NewEntry, Transaction } from '../../storage/backend.ts'
import type { Writer } from '../writeaccess.ts'
import { eraseSecrets, eraseText } from './eraserecord.ts'

/** Returns the text that replaces content that was expunged as a whole. */
export const expungedText = (why: string): string => `[expunged${why === '' ? '' : `: ${why}`}]`

/** Returns whether a body may differ from its digest because all or a part of it was expunged. */
export const isExpunged = ({ bodies, secrets }: Tombstones, digest: string, body: Json): boolean =>
  Object.hasOwn(bodies, digest) || marksIn(jsonText(body)).some((mark) => Object.hasOwn(secrets, mark))

/** Keeps expunged content from being stored again by a transaction, for instance by that of an import. */
export class ExpungeFilter {
  /** Writes to the transaction what is left. */
  readonly writer: Writer
  readonly #backend: Backend
  readonly #inner: Transaction
  readonly #tombstones: Tombstones
  /** The texts of entries that are expunged as a whole: titles and prompts may repeat them. */
  readonly #expungedTexts: string[] = []
  readonly #entries = new Map<EntryHandle, string>()
  /** Logs whose records differ from their source. */
  readonly #logs = new Set<LogId>()

  constructor(backend: Backend, inner: Transaction, tombstones: Tombstones) {
    this.#backend = backend
    this.#inner = inner
    this.#tombstones = tombstones
    const index: SearchIndexWriter = {
      cover: (session, coverage) =>
        inner.index.cover(this.erased(session), {
          ...coverage,
          ...(coverage.names && { names: coverage.names.map(this.erased) }),
        }),
      add: (entry, texts) => inner.index.add(entry, this.#entries.has(entry) ? [] : this.#erasedTexts(texts)),
      get waiting() {
        return inner.index.waiting
      },
      update: (read, most) => inner.index.update(read, most),
      clear: () => inner.index.clear(),
    }
    this.writer = {
      addEntry: (entry) => this.#add(entry),
      appendRecord: (log, position, record) => this.#record(log, position, record),
      newLog: () => inner.newLog(),
      putBlob: (bytes) => inner.putBlob(this.#eraserFor(asText(bytes))?.bytes(bytes) ?? bytes),
      // Without a note the next import reads the source again.
      noteSource: (path, note, ref) => {
        if (this.erased(path) === path) inner.noteSource(path, note, ref)
      },
      // Of records without expunged content the state has none either.
      keepReaderState: (log, state) => {
        if (!this.#logs.has(log)) inner.keepReaderState(log, state)
      },
      index,
      rebuildZoneMaps: () => inner.rebuildZoneMaps(),
      flush: () => inner.flush(),
      get created() {
        return inner.created
      },
    }
  }

  #eraserFor(text: string): Eraser | undefined {
    const { secrets } = this.#tombstones
    if (Object.keys(secrets).length === 0) return undefined
    const found = new Map([...decodedTexts(text)].flatMap((meaning) => [...watchedIn(meaning, secrets)]))
    return found.size === 0 ? undefined : new Eraser(found)
  }

  /** Returns a text without expunged secrets. */
  readonly erased = (text: string): string => this.#eraserFor(text)?.text(text) ?? text

  #erasedTexts(texts: readonly EntryText[]): readonly EntryText[] {
    return texts.map((one) => ({ ...one, text: this.erased(one.text) }))
  }

  #add(entry: NewEntry): EntryHandle {
    const { digest, body } = entry
    const gone = Object.hasOwn(this.#tombstones.bodies, digest) ? this.#tombstones.bodies[digest] : undefined
    if (!gone) {
      const eraser = this.#eraserFor(textOf(body))
      return this.#inner.addEntry(eraser ? withBody(entry, eraser.value(body)) : entry)
    }
    const replacement = expungedText(gone.why)
    this.#expungedTexts.push(spaced(textOf(body)))
    const handle = this.#inner.addEntry(withBody(entry, blanked(body, replacement) as Json))
    this.#entries.set(handle, replacement)
    return handle
  }

  #record(log: LogId, position: number, record: NewRecord): void {
    const { content, lead, native } = record
    const replacement = record.entry === undefined ? undefined : this.#entries.get(record.entry)
    if (replacement !== undefined) {
      this.#logs.add(log)
      this.#inner.appendRecord(log, position, {
        ...record,
        content: eraseText(content, replacement) as NewRecord['content'],
      })
      return
    }
    const text = 'raw' in content ? content.raw.map(asText).join('') : content.shape + textOf(content.values)
    const eraser = this.#eraserFor(`${native ?? ''}\n${asText(lead)}\n${text}`)
    if (!eraser && !this.#hasErasedBody(record.entry)) {
      this.#inner.appendRecord(log, position, record)
      return
    }
    this.#logs.add(log)
    const none = eraser ?? new Eraser([])
    this.#inner.appendRecord(log, position, {
      ...record,
      lead: none.bytes(lead),
      ...(native !== undefined && { native: none.text(native) }),
      content: eraseSecrets(content, none, true) as NewRecord['content'],
    })
  }

  /** Returns whether a secret was erased from an entry's body. */
  #hasErasedBody(entry: EntryHandle | undefined): boolean {
    if (entry === undefined) return false
    const body = this.#backend.body(entry)
    return !(body instanceof Promise) && marksIn(textOf(body)).length > 0
  }

  /**
   * Returns moves of refs without expunged content. Heads of logs that differ from their source are marked `expunged`.
   */
  moves(moves: readonly RefMove[]): readonly RefMove[] {
    const moved = new Set<string>()
    return moves.map(({ name, old, new: value }) => {
      const before = moved.has(name) && old !== undefined ? this.#value(old, old) : old
      moved.add(name)
      return {
        name: renamedRef(name, this.erased),
        old: before,
        new: value === undefined ? undefined : this.#value(value, before),
      }
    })
  }

  #value(value: RefValue, before: RefValue | undefined): RefValue {
    const kept = this.#eraserFor(textOf(value))?.value(value) ?? value
    if (!isObject(kept)) return kept
    const { log, title, prompt } = kept
    const was = isObject(before) && before.log === log && before.expunged === true
    return {
      ...kept,
      ...(isLogId(log) && (was || this.#logs.has(log)) && { expunged: true }),
      ...(this.#repeatsExpunged(title) && { title: expungedText('') }),
      ...(this.#repeatsExpunged(prompt) && { prompt: expungedText('') }),
    }
  }

  #repeatsExpunged(text: Json | undefined): boolean {
    return typeof text === 'string' && repeats(text, this.#expungedTexts)
  }
}

/** Returns an entry with another body and its canonical bytes. */
const withBody = (entry: NewEntry, body: Json): NewEntry => ({
  ...entry,
  body,
  canonical: encode(body),
  encoded: undefined,
})

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** Returns the strings and keys of a value as one text. */
function textOf(value: unknown): string {
  const parts: string[] = []
  const walk = (part: unknown): void => {
    if (typeof part === 'string') parts.push(part)
    else if (Array.isArray(part)) for (const child of part as readonly unknown[]) walk(child)
    else if (typeof part === 'object' && part !== null)
      for (const [name, child] of Object.entries(part)) {
        parts.push(name)
        walk(child)
      }
  }
  walk(value)
  return parts.join('\n')
}
