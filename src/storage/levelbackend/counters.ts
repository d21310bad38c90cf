import { decodeStored, encode } from '../../model/encoding/canonical.ts'
import { SessError } from '../../model/errors.ts'
import { wellFormed } from '../ioerrors.ts'
import { NONE_DROPPED } from '../rewrite/scope.ts'
import { COUNTERS, MAX_NUMBER } from './keys.ts'
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

/**
 * The largest numbers with which a transaction may begin. A store from somebody else may claim any: numbers beyond what
 * keys, names of logs or the word index hold would take the places of others. What a transaction adds has room above.
 */
export const MAX_COUNTS = {
  row: 2 ** 36,
  block: 2 ** 47,
  log: 5e8,
  operation: 2 ** 47,
  commit: 2 ** 47,
} as const

const COUNTERS_NAME = 'the list of counters'

/** The number of counters. The id of the newest dropped operation may follow them. */
const NUMBERS = 7

const decodeCounters = (content: Uint8Array): StoredCounters =>
  wellFormed(COUNTERS_NAME, () => {
    const laid = decodeStored(content)
    const [numbers, id] = Array.isArray(laid) ? [laid.slice(0, NUMBERS), laid.slice(NUMBERS)] : []
    if (
      !numbers?.every((number) => Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER) ||
      !id?.every((text) => typeof text === 'string')
    )
      throw new RangeError('it is no list of numbers that keys hold')
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

  /** Returns what is wrong with the counters, as far as they show it; undefined for nothing. */
  problem(): string | undefined {
    const { operation: last } = this.dropped
    if (this.operation < 1 || last >= Math.max(1, this.operation))
      return `the next operation would have the number ${this.operation}, and those up to ${last} are dropped`
    for (const name of ['row', 'block', 'log', 'operation', 'commit'] as const)
      if (this[name] > MAX_COUNTS[name]) return `the next ${name} would have the number ${this[name]}`
    return undefined
  }

  /** Throws `corrupt` where nothing must be numbered by the counters. */
  check(): void {
    const problem = this.problem()
    if (problem !== undefined) throw new SessError('corrupt', problem)
  }

  /** Returns the put of the counters as they are now. */
  put(): Put {
    const { operation, id } = this.dropped
    const numbers = [this.row, this.block, this.log, this.operation, this.commit, this.indexed]
    const laid = operation === 0 ? numbers : [...numbers, operation, id]
    return new ChecksummedPut(COUNTERS, encode(laid))
  }
}
