import { encode } from '../../model/canonical.ts'
import { blanked, Eraser, marksIn, NO_TOMBSTONES, type Tombstones, watchedIn } from '../../model/expunged.ts'
import { isObject, type Json, jsonText } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { RefMove, RefValue } from '../../model/operation.ts'
import { isLogId, type LogId, type NewRecord } from '../../model/record.ts'
import type { Said } from '../../model/said.ts'
import type { SearchIndexWriter } from '../../model/searchindex.ts'
import { meanings } from '../../model/spelled.ts'
import type { Backend, NewEntry, Transaction } from '../../storage/backend.ts'
import type { Writer } from '../change.ts'
import { eraseSecrets, eraseText } from './recordcontent.ts'

/** Gives what stands in the place of what was removed whole. */
export const expungedText = (why: string): string => `[expunged${why === '' ? '' : `: ${why}`}]`

/** Tells whether a body may differ from its digest: what it said was removed. */
export const isExpunged = ({ bodies, secrets }: Tombstones, digest: string, body: Json): boolean =>
  Object.hasOwn(bodies, digest) || marksIn(jsonText(body)).some((mark) => Object.hasOwn(secrets, mark))

/**
 * Returns a writer that lets nothing into the store which was expunged from it, whoever adds it; the transaction itself
 * where nothing ever was.
 */
export const filterExpunged = (
  backend: Backend,
  transaction: Transaction,
  tombstones: Tombstones,
): FilteredWriter =>
  tombstones === NO_TOMBSTONES
    ? { writer: transaction, ...UNFILTERED }
    : new ExpungeFilter(backend, transaction, tombstones)

/** A transaction that lets nothing in that was expunged, and what becomes of moves of refs. */
export interface FilteredWriter {
  readonly writer: Writer
  readonly moves: (moves: readonly RefMove[]) => readonly RefMove[]
  /** Gives what was typed without what was removed. */
  readonly said: (text: string) => string
}

/** What becomes of moves and words where nothing was removed. */
const UNFILTERED: Pick<FilteredWriter, 'moves' | 'said'> = { moves: (moves) => moves, said: (text) => text }

const folded = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

class ExpungeFilter implements FilteredWriter {
  readonly writer: Writer
  readonly #backend: Backend
  readonly #inner: Transaction
  readonly #tombstones: Tombstones
  /** What entries said that were removed whole, as titles may repeat it. */
  readonly #silenced: string[] = []
  readonly #entries = new Map<EntryHandle, string>()
  /** Logs that hold something else than their source. */
  readonly #logs = new Set<LogId>()

  constructor(backend: Backend, inner: Transaction, tombstones: Tombstones) {
    this.#backend = backend
    this.#inner = inner
    this.#tombstones = tombstones
    const index: SearchIndexWriter = {
      cover: (session, coverage) => inner.index.cover(session, coverage),
      say: (entry, said) => inner.index.say(entry, this.#entries.has(entry) ? [] : this.#erase(said)),
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
      noteSource: (path, note) => inner.noteSource(path, note),
      index,
      flush: () => inner.flush(),
      get created() {
        return inner.created
      },
    }
  }

  #eraserFor(text: string): Eraser | undefined {
    const { secrets } = this.#tombstones
    if (Object.keys(secrets).length === 0) return undefined
    const found = new Map([...meanings(text)].flatMap((meaning) => [...watchedIn(meaning, secrets)]))
    return found.size === 0 ? undefined : new Eraser(found)
  }

  readonly said = (text: string): string => this.#eraserFor(text)?.text(text) ?? text

  #erase(said: readonly Said[]): readonly Said[] {
    return said.map((one) => ({ ...one, text: this.said(one.text) }))
  }

  #add(entry: NewEntry): EntryHandle {
    const { digest, body } = entry
    const gone = Object.hasOwn(this.#tombstones.bodies, digest) ? this.#tombstones.bodies[digest] : undefined
    if (!gone) {
      const eraser = this.#eraserFor(textOf(body))
      return this.#inner.addEntry(eraser ? saying(entry, eraser.value(body)) : entry)
    }
    const instead = expungedText(gone.why)
    this.#silenced.push(folded(textOf(body)))
    const handle = this.#inner.addEntry(saying(entry, blanked(body, instead) as Json))
    this.#entries.set(handle, instead)
    return handle
  }

  #record(log: LogId, position: number, record: NewRecord): void {
    const { content, lead, native } = record
    const instead = record.entry === undefined ? undefined : this.#entries.get(record.entry)
    if (instead !== undefined) {
      this.#logs.add(log)
      this.#inner.appendRecord(log, position, {
        ...record,
        content: eraseText(content, instead) as NewRecord['content'],
      })
      return
    }
    const text = 'raw' in content ? content.raw.map(asText).join('') : content.shape + textOf(content.values)
    const eraser = this.#eraserFor(`${native ?? ''}\n${asText(lead)}\n${text}`)
    if (!eraser && !this.#isErased(record.entry)) {
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

  /** Tells whether an entry's body is not what its source holds. */
  #isErased(entry: EntryHandle | undefined): boolean {
    if (entry === undefined) return false
    const body = this.#backend.body(entry)
    return !(body instanceof Promise) && marksIn(textOf(body)).length > 0
  }

  /** Gives moves of refs without what was removed, heads of logs that differ from their sources marked as such. */
  moves(moves: readonly RefMove[]): readonly RefMove[] {
    const moved = new Set<string>()
    return moves.map(({ name, old, new: value }) => {
      const before = moved.has(name) && old !== undefined ? this.#value(old, old) : old
      moved.add(name)
      return { name, old: before, new: value === undefined ? undefined : this.#value(value, before) }
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
      ...(this.#isSilenced(title) && { title: expungedText('') }),
      ...(this.#isSilenced(prompt) && { prompt: expungedText('') }),
    }
  }

  #isSilenced(text: Json | undefined): boolean {
    if (typeof text !== 'string') return false
    const plain = folded(text).replace(/…$/, '')
    return plain.length > 3 && this.#silenced.some((said) => said.includes(plain))
  }
}

/** Gives an entry that says something else; the bytes at hand are of what it said before. */
const saying = (entry: NewEntry, body: Json): NewEntry => ({
  ...entry,
  body,
  canonical: encode(body),
})

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** Gives all that a value says as one text. */
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
