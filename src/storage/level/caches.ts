import { decodeStored } from '../../model/canonical.ts'
import type { ListState, SessionList, SourceNote } from '../backend.ts'
import { failsChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { ByteReader, ByteWriter } from '../varint.ts'
import { undefinedIfCorrupt } from './blockreader.ts'
import { LIST_BYTES, LIST_STATE, sourceKey } from './keys.ts'
import { ChecksummedPut, type Put } from './keyvalue.ts'
import type { KeyValueStore } from './keyvaluestore.ts'

const LIST_NAME = 'the moment of the list'

/** Throws `corrupt`. */
const decodeState = (bytes: Uint8Array): ListState =>
  wellFormed(LIST_NAME, () => {
    const source = new ByteReader(bytes)
    return { operation: source.varint(), commits: source.varint(), sessions: source.varint() }
  })

/**
 * The list of sessions that was kept last. One that is damaged counts for nothing: refs say the same, and `verify` tells
 * of it.
 */
export class SessionListCache {
  readonly #store: KeyValueStore
  /** Read when it is first asked for: each append asks. */
  #state: { readonly known: ListState | undefined } | undefined

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  /** Gives the moment of the list, undefined where none was kept. */
  state(): ListState | undefined {
    this.#state ??= { known: this.#readState() }
    return this.#state.known
  }

  #readState(): ListState | undefined {
    const value = this.#store.get(LIST_STATE)
    if (value === undefined || failsChecksum(LIST_STATE, value)) return undefined
    return undefinedIfCorrupt(() => decodeState(removeChecksum(LIST_STATE, value, LIST_NAME)))
  }

  /** Gives the list, undefined where none was kept. */
  read(): SessionList | undefined {
    const moment = this.state()
    const value = moment && this.#store.get(LIST_BYTES)
    if (!value || failsChecksum(LIST_BYTES, value)) return undefined
    return { ...moment, bytes: removeChecksum(LIST_BYTES, value, 'the list of sessions') }
  }

  /** Gives what keeps a list in the place of the one before, when it is put. */
  keep({ bytes, ...moment }: SessionList): Put[] {
    const sink = new ByteWriter(16)
    for (const number of [moment.operation, moment.commits, moment.sessions]) sink.varint(number)
    this.#state = { known: moment }
    return [new ChecksummedPut(LIST_STATE, sink.view()), new ChecksummedPut(LIST_BYTES, bytes)]
  }
}

/** Gives what was noted of a path, undefined where nothing was. */
export function readSourceNote(store: KeyValueStore, path: string): SourceNote | undefined {
  const content = store.getChecked(sourceKey(path), `the note on ${path}`)
  return content && decodeSourceNote(content, path)
}

/** Gives the note on a path that bytes hold. Throws `corrupt`. */
export const decodeSourceNote = (content: Uint8Array, path: string): SourceNote =>
  wellFormed(`the note on ${path}`, () => decodeStored(content) as SourceNote)
