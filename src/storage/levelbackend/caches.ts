import { decodeStored } from '../../model/encoding/canonical.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LogId } from '../../model/record.ts'
import type { KeptReaderState, ListState, SessionList, SourceNote } from '../backend.ts'
import { failsChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { ByteReader, ByteWriter } from '../varint.ts'
import { undefinedIfCorrupt } from './blockreader.ts'
import { COUNTS, LIST_BYTES, LIST_STATE, readerKey, sourceKey } from './keys.ts'
import { ChecksummedPut, type Put } from './keyvalue.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import { handleOf, NO_ROW, optionalRow } from './rows.ts'

const LIST_NAME = 'the state of the list of sessions'

/** Throws `corrupt`. */
const decodeState = (bytes: Uint8Array): ListState =>
  wellFormed(LIST_NAME, () => {
    const source = new ByteReader(bytes)
    return { operation: source.varint(), commits: source.varint(), sessions: source.varint() }
  })

/** The cached list of sessions. A damaged one counts as none: refs hold the same, and `verify` reports it. */
export class SessionListCache {
  readonly #store: KeyValueStore
  /** Read when it is first asked for: each append asks. */
  #state: { readonly known: ListState | undefined } | undefined

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  /** Returns the point in time that the list is of, or undefined. */
  state(): ListState | undefined {
    this.#state ??= { known: this.#readState() }
    return this.#state.known
  }

  #readState(): ListState | undefined {
    const value = this.#store.get(LIST_STATE)
    if (value === undefined || failsChecksum(LIST_STATE, value)) return undefined
    return undefinedIfCorrupt(() => decodeState(removeChecksum(LIST_STATE, value, LIST_NAME)))
  }

  /** Returns the list, or undefined. */
  read(): SessionList | undefined {
    const moment = this.state()
    const value = moment && this.#store.get(LIST_BYTES)
    if (!value || failsChecksum(LIST_BYTES, value)) return undefined
    return { ...moment, bytes: removeChecksum(LIST_BYTES, value, 'the list of sessions') }
  }

  /** Returns the puts that replace the list. */
  keep({ bytes, ...moment }: SessionList): Put[] {
    const sink = new ByteWriter(16)
    for (const number of [moment.operation, moment.commits, moment.sessions]) sink.varint(number)
    this.#state = { known: moment }
    return [new ChecksummedPut(LIST_STATE, sink.view()), new ChecksummedPut(LIST_BYTES, bytes)]
  }
}

/** Returns the counts of usage that sessions share, or undefined. Damaged ones count as none, and `verify` reports them. */
export function readCounts(store: KeyValueStore): Uint8Array | undefined {
  const value = store.get(COUNTS)
  return value && !failsChecksum(COUNTS, value) ? removeChecksum(COUNTS, value, 'the counts') : undefined
}

/** Returns the put of the counts of usage that sessions share. */
export const countsPut = (bytes: Uint8Array): Put => new ChecksummedPut(COUNTS, bytes)

/** Returns the note about a source, or undefined. */
export function readSourceNote(store: KeyValueStore, path: string): SourceNote | undefined {
  const content = store.getChecked(sourceKey(path), `the note on ${path}`)
  return content && decodeSourceNote(content, path)
}

/** Returns the saved state of reading the source of a log, or undefined. Throws `corrupt`. */
export function readReaderState(store: KeyValueStore, log: LogId): KeptReaderState | undefined {
  const name = `the state of reading the source of ${log}`
  const content = store.getChecked(readerKey(log), name)
  return content && wellFormed(name, () => decodeReaderState(content))
}

/** Returns the put of the state of reading the source of a log: its entries as steps from row to row, then its bytes. */
export function readerStatePut(log: LogId, { bytes, entries }: KeptReaderState): Put {
  const sink = new ByteWriter(2 * entries.length + bytes.length + ROOM)
  sink.varint(entries.length)
  let before = 0
  for (const entry of entries) {
    const row = optionalRow(entry)
    if (row === NO_ROW) sink.varint(0)
    else {
      const step = row - before
      // Steps down have odd numbers, as they are rare.
      sink.varint(step > 0 ? 2 * step : 1 - 2 * step)
      before = row
    }
  }
  sink.bytes(bytes)
  return new ChecksummedPut(readerKey(log), sink.view())
}

/** The expected number of bytes of a length and of large rows. */
const ROOM = 64

function decodeReaderState(content: Uint8Array): KeptReaderState {
  const source = new ByteReader(content)
  const count = source.varint()
  if (count > source.left) throw new RangeError('it has absurdly many entries')
  const entries: (EntryHandle | undefined)[] = []
  let row = 0
  for (let i = 0; i < count; i++) {
    const step = source.varint()
    if (step > 0) row += step % 2 === 0 ? step / 2 : (1 - step) / 2
    entries.push(step === 0 ? undefined : handleOf(row))
  }
  return { bytes: source.bytes(source.left), entries }
}

/** Decodes the note about a source. Throws `corrupt`. */
export const decodeSourceNote = (content: Uint8Array, path: string): SourceNote =>
  wellFormed(`the note on ${path}`, () => decodeStored(content) as SourceNote)
