import type { ListState, SessionList } from '../backend.ts'
import { unlessDamaged } from './blockreader.ts'
import { ByteSink, ByteSource } from '../varint.ts'
import { wellFormed } from '../ioerrors.ts'
import { LIST, LIST_ROWS } from './keys.ts'
import { type Put, SealedPut } from './put.ts'
import { isUnsealed, unseal } from '../checksum.ts'
import type { Table } from './keyvaluestore.ts'

const MOMENT = 'the moment of the list'

/** Throws `corrupt`. */
const decodeMoment = (bytes: Uint8Array): ListState =>
  wellFormed(MOMENT, () => {
    const source = new ByteSource(bytes)
    return { operation: source.varint(), commits: source.varint(), sessions: source.varint() }
  })

/**
 * The list of sessions that was kept last. One that is damaged counts for nothing: refs say the same, and `verify` tells
 * of it.
 */
export class Lists {
  readonly #table: Table
  /** Read when it is first asked for: each append asks. */
  #moment: { readonly known: ListState | undefined } | undefined

  constructor(table: Table) {
    this.#table = table
  }

  /** Gives the moment of the list, undefined where none was kept. */
  moment(): ListState | undefined {
    this.#moment ??= { known: this.#readMoment() }
    return this.#moment.known
  }

  #readMoment(): ListState | undefined {
    const value = this.#table.get(LIST)
    if (value === undefined || isUnsealed(LIST, value)) return undefined
    return unlessDamaged(() => decodeMoment(unseal(LIST, value, MOMENT)))
  }

  /** Gives the list, undefined where none was kept. */
  read(): SessionList | undefined {
    const moment = this.moment()
    const value = moment && this.#table.get(LIST_ROWS)
    if (!value || isUnsealed(LIST_ROWS, value)) return undefined
    return { ...moment, bytes: unseal(LIST_ROWS, value, 'the list of sessions') }
  }

  /** Gives what keeps a list in the place of the one before, when it is put. */
  keep({ bytes, ...moment }: SessionList): Put[] {
    const sink = new ByteSink(16)
    for (const number of [moment.operation, moment.commits, moment.sessions]) sink.varint(number)
    this.#moment = { known: moment }
    return [new SealedPut(LIST, sink.view()), new SealedPut(LIST_ROWS, bytes)]
  }
}
