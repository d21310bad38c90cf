import type { Oid } from '../model/encoding/oid.ts'
import { type ErrorCode, hasCode, SessError } from '../model/errors.ts'
import { type Operation, type RefValue, sameValue } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { kindOf } from '../model/refs/table.ts'
import { UNITS } from '../model/time.ts'
import type { Backend } from '../storage/backend.ts'
import { operationsNewestFirst } from './oplog/operationlog.ts'
import type { Reader } from './reader.ts'
import { resolve } from './revision.ts'

/** The terms on which a call writes. */
export interface WriteTerms {
  /**
   * The values on which the call was decided: oids by revisions (`SESSION`, `SESSION/BRANCH`), values by names of refs
   * (`sessions/ID/meta`); null for none. Where one is another, the call fails with `conflict`.
   */
  readonly expected?: { readonly [name: string]: RefValue } | undefined
  /** Different for each call, and the same where one is repeated whose answer was lost: it is done once. */
  readonly key?: string | undefined
}

/** For so long, in milliseconds, a repeated call is recognized by its key. */
const KEY_MEMORY = UNITS.d

/** Thrown where a call with the same key has made an operation already. */
export class RepeatedCall extends Error {
  override readonly name = 'RepeatedCall'
  readonly operation: number

  constructor(operation: number) {
    super(`operation ${operation} was made by the same call`)
    this.operation = operation
  }
}

/** The terms of one call, and what its writes have made. */
export class CallTerms {
  readonly key: string | undefined
  /** The key with which operations of the call are joined: different for each call. */
  readonly group: string
  readonly #expected: NonNullable<WriteTerms['expected']>
  /** Whether a write of the call was begun: its terms hold for the first one. */
  #isMet = false
  #operation: number | undefined

  constructor({ expected = {}, key }: WriteTerms, group: string) {
    this.#expected = expected
    this.key = key
    this.group = group
  }

  /** The newest operation that the call made; undefined without any. */
  get operation(): number | undefined {
    return this.#operation
  }

  /** Throws `RepeatedCall` where the call was made before, and `conflict` where a value is not the expected one. */
  async check(backend: Backend, reader: Reader, now: number): Promise<void> {
    if (this.#isMet) return
    const made = this.key === undefined ? undefined : await keysIn(backend).find(reader, this.key, now)
    if (made !== undefined) throw new RepeatedCall(made)
    for (const [name, expected] of Object.entries(this.#expected)) {
      const found = (await valueOf(reader, name)) ?? null
      if (sameValue(found, expected)) continue
      const detail = `expected ${inWords(expected)}, found ${inWords(found)}`
      throw new SessError('conflict', name, { detail, present: { [name]: found } })
    }
    this.#isMet = true
  }

  made({ number }: Operation): void {
    this.#operation = number
  }
}

const inWords = (value: RefValue): string =>
  value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value)

/** The errors of revisions that name no entry. */
const NONE: readonly ErrorCode[] = [
  'no-revision',
  'no-session',
  'no-branch',
  'no-label',
  'no-entry',
  'empty-session',
  'before-first',
]

/** Returns the value of a ref, or the entry of a revision; undefined where there is none. */
async function valueOf(reader: Reader, name: string): Promise<RefValue | Oid | undefined> {
  if (kindOf(name)) return reader.ref(name as RefName)
  try {
    return (await resolve(reader, name)).oid
  } catch (error) {
    if (NONE.some((code) => hasCode(error, code))) return undefined
    throw error
  }
}

/**
 * The number of keys that are remembered at most: a caller that repeats a call does so soon. So many operations are read
 * whatever their times, because those of a clock that was wrong for a while do not tell which are older.
 */
const MAX_KEYS = 10_000

/** The keys of recent operations of a database. */
class RecentKeys {
  /** The oldest first, each with the latest time of all operations up to it. */
  readonly #operations = new Map<string, Pick<Operation, 'number' | 'time'>>()
  /** The latest time of the operations that were read. */
  #latest = 0
  /** The newest operation whose key was read. */
  #read = 0

  /** Returns the number of the operation with a key; undefined where it is none of the recent ones. */
  async find(reader: Reader, key: string, now: number): Promise<number | undefined> {
    const since = now - KEY_MEMORY
    const unread: Pick<Operation, 'key' | 'number' | 'time'>[] = []
    for await (const { key: own, number, time } of operationsNewestFirst(reader)) {
      if (number <= this.#read || (unread.length >= MAX_KEYS && time < since)) break
      unread.push({ number, time, ...(own !== undefined && { key: own }) })
    }
    for (const { key: own, number, time } of unread.reverse()) {
      this.#read = number
      this.#latest = Math.max(this.#latest, time)
      if (own !== undefined) this.#operations.set(own, { number, time: this.#latest })
    }
    for (const oldest of this.#operations.keys()) {
      if (this.#operations.size <= MAX_KEYS) break
      this.#operations.delete(oldest)
    }
    const found = this.#operations.get(key)
    return found && found.time >= since ? found.number : undefined
  }
}

const keys = new WeakMap<Backend, RecentKeys>()

/** Returns the keys of an open database: another one is read anew, because what is there may differ. */
function keysIn(backend: Backend): RecentKeys {
  const known = keys.get(backend) ?? new RecentKeys()
  keys.set(backend, known)
  return known
}
