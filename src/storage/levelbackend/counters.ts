import { decodeStored, encode } from '../../model/canonical.ts'
import { wellFormed } from '../ioerrors.ts'
import { NONE_DROPPED } from '../rewrite/scope.ts'
import { COUNTERS } from './keys.ts'
import { ChecksummedPut, type Put } from './keyvalue.ts'
import type { KeyValueStore } from './keyvaluestore.ts'

type StoredCounters = readonly [
  row?: number,
  block?: number,
  log?: number,
  operation?: number,
  commit?: number,
  indexed?: number,
  dropped?: number,
  id?: string,
]

const COUNTERS_NAME = 'the list of counters'

/** The number of counters. The id of the newest dropped operation may follow them. */
const NUMBERS = 7

const decodeCounters = (content: Uint8Array): StoredCounters =>
  wellFormed(COUNTERS_NAME, () => {
    const laid = decodeStored(content)
    const [numbers, id] = Array.isArray(laid) ? [laid.slice(0, NUMBERS), laid.slice(NUMBERS)] : []
    if (
      !numbers?.every((number) => Number.isSafeInteger(number) && number >= 0) ||
      !id?.every((text) => typeof text === 'string')
    )
      throw new RangeError('it is no list of numbers')
    return laid as StoredCounters
  })

/** The next free numbers of a store, none of which is used twice, not even after a crash; and the number of commits. */
export class Counters {
  row = 0
  block = 0
  log = 0
  operation = 1
  commit = 0
  /** The row up to which the word index goes. */
  indexed = 0
  dropped = NONE_DROPPED

  /** Reads the stored counters; rows, blocks and logs are only raised. Returns false where none are stored. */
  load(store: KeyValueStore): boolean {
    const content = store.getChecked(COUNTERS, COUNTERS_NAME)
    if (content === undefined) return false
    const [row = 0, block = 0, log = 0, operation = 1, commit = 0, indexed = 0, last = 0, id = ''] =
      decodeCounters(content)
    this.row = Math.max(this.row, row)
    this.block = Math.max(this.block, block)
    this.log = Math.max(this.log, log)
    this.operation = operation
    this.commit = commit
    this.indexed = indexed
    this.dropped = { operation: last, id }
    return true
  }

  /** Returns the put of the counters as they are now. */
  put(): Put {
    const { operation, id } = this.dropped
    const numbers = [this.row, this.block, this.log, this.operation, this.commit, this.indexed]
    const laid = operation === 0 ? numbers : [...numbers, operation, id]
    return new ChecksummedPut(COUNTERS, encode(laid))
  }
}
