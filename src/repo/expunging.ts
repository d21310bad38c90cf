import { BlobRef } from '../model/canonical.ts'
import { blanked, changed, type Eraser } from '../model/expunged.ts'
import { isObject, type Json } from '../model/json.ts'
import { part, type RefName } from '../model/refname.ts'
import { textOfBytes } from '../model/textofbytes.ts'
import type { Backend, Operation, RefValue } from '../storage/backend.ts'
import { contentOf, textOfContent } from '../storage/blob.ts'
import type { Row, Stored, StoredRecord } from '../storage/record.ts'
import type { Kept, Revision } from '../storage/rewrite/kept.ts'
import { emptied, erased } from './erasing.ts'
import { numbered } from './operation.ts'
import { Reach } from './reach.ts'

/** What is to be removed from a store for good, and what of it that touches. */
export interface Expunging {
  readonly eraser: Eraser
  /** The placeholders of secrets, by the secrets. */
  readonly secrets: ReadonlyMap<string, string>
  /** By digest what stands instead of what entries say, where all of that goes. */
  readonly digests: ReadonlyMap<string, string>
  /** By row the same, of the entries that were looked at. */
  readonly rows: ReadonlyMap<Row, string>
  /** The first row that was not looked at: entries from there on were written meanwhile. */
  readonly end: Row
  /** Tells whether a title or a prompt repeats what such an entry said. */
  readonly repeats: (text: string) => boolean
  /** By log the positions of records that hold something of what goes. */
  readonly records: ReadonlyMap<number, ReadonlySet<number>>
  /** By log how many records were looked at: those behind were written meanwhile. */
  readonly seen: ReadonlyMap<number, number>
}

/** The first byte of raw bytes that are kept: see `blob.ts`. */
const BYTES = 2

/** Removes something from all that a database holds while it is written anew. */
export class Expunger implements Revision {
  readonly #of: Expunging
  readonly #rows: Map<Row, string>
  /** Entries that say something else than they did. */
  readonly #changed = new Set<Row>()
  /** By number the ids of operations, which cover those before. */
  readonly #ids = new Map<number, string>()
  /** Logs in which something was found that was written meanwhile. */
  readonly #late = new Set<number>()
  readonly forgetWords = true

  constructor(of: Expunging) {
    this.#of = of
    this.#rows = new Map(of.rows)
  }

  /** Gives all of a store to be kept, but for what goes. */
  async kept(backend: Backend): Promise<Kept> {
    const reach = new Reach(backend)
    for await (const [name, value] of backend.refs('')) reach.name(this.name(name), this.ref(value))
    const forgotten = await backend.forgotten()
    this.#ids.set(forgotten.operation, forgotten.id)
    const last = await backend.lastOperation()
    for (let number = forgotten.operation + 1; number <= last; number++) {
      const operation = await backend.operation(number)
      for (const { name, old, new: value } of operation?.moves ?? [])
        for (const side of [old, value]) reach.name(name, side === undefined ? undefined : this.ref(side))
    }
    const logs = new Map<number, number>()
    for await (const [log, count] of backend.logs()) logs.set(log, count)
    await this.#lookAgain(backend)
    return { rows: { has: () => true }, logs, places: reach.places, forgotten }
  }

  /** Finds what was written meanwhile and says what goes. */
  async #lookAgain(backend: Backend): Promise<void> {
    const { digests, end, eraser } = this.#of
    for await (const row of backend.rows(end)) {
      const instead = digests.get((await backend.node(row)).digest)
      if (instead !== undefined) this.#rows.set(row, instead)
    }
    for (const log of await tailsHolding(backend, eraser)) this.#late.add(log)
  }

  readonly body = (row: Row, body: Stored): Stored => {
    const instead = this.#rows.get(row)
    const next = instead === undefined ? changed(body, this.#of.eraser.text) : emptiedBody(body, instead)
    if (next !== body) this.#changed.add(row)
    return next
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

  readonly record = (record: StoredRecord, log: number, position: number): StoredRecord => {
    const { records, seen } = this.#of
    if (position >= (seen.get(log) ?? 0)) return this.#later(record, log)
    if (!records.get(log)?.has(position)) return record
    return this.#without(record, true)
  }

  #later(record: StoredRecord, log: number): StoredRecord {
    const clean = this.#without(record, this.#changed.has(record.row))
    const { content, lead, native } = record
    if (clean.content === content && clean.lead === lead && clean.native === native) return record
    this.#late.add(log)
    return clean
  }

  /** Gives a record without what goes; `anew` says that its entry's body is another. */
  #without(record: StoredRecord, anew: boolean): StoredRecord {
    const { eraser } = this.#of
    const { native, lead } = record
    const instead = this.#rows.get(record.row)
    return {
      ...record,
      lead: eraser.bytes(lead),
      ...(native !== undefined && { native: eraser.text(native) }),
      content:
        instead === undefined ? erased(record.content, eraser, anew) : emptied(record.content, instead),
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
    const isHead =
      typeof next.log === 'number' &&
      logsIn(next).some((log) => this.#of.records.has(log) || this.#late.has(log))
    if (!isHead) return Object.keys(repeated).length > 0 ? { ...next, ...repeated } : next
    // The compressed file holds all of it still.
    const { packed: _, ...head } = next
    return { ...head, expunged: true }
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
    const anew = numbered(
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

/** Gives the logs of sources whose tails hold a secret. */
export async function tailsHolding(backend: Backend, eraser: Eraser): Promise<number[]> {
  const logs: number[] = []
  for await (const [, value] of backend.refs('')) {
    const { log, tail } = value as {
      readonly log?: number
      readonly tail?: readonly (readonly [number, number])[]
    }
    if (log === undefined || !tail) continue
    for (const [block, index] of tail)
      if (eraser.holds(textOfBytes(await backend.bytes(new BlobRef(block, index))).text)) logs.push(log)
  }
  return logs
}

/** Gives the logs that a head names. */
function logsIn({ log, earlier, written }: { readonly [key: string]: Json }): number[] {
  const pairs = [
    ...(Array.isArray(earlier) ? (earlier as Json[]) : []),
    ...(Array.isArray(written) ? [written] : []),
  ]
  return [log, ...pairs.map((pair) => (Array.isArray(pair) ? (pair[0] as Json) : null))].filter(
    (one): one is number => typeof one === 'number',
  )
}
