import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Awaitable } from '../model/async.ts'
import type { Oid } from '../model/encoding/oid.ts'
import type { Json } from '../model/json.ts'
import type { EntryHandle, Node } from '../model/node.ts'
import type { Operation, OperationRange, RefValue } from '../model/operation.ts'
import type { LogId, RecordBatch, RecordRange } from '../model/record.ts'
import type { RefName } from '../model/refname.ts'
import type { StoreSizes } from '../storage/backend.ts'
import { monotonicNow } from '../storage/clock.ts'
import { type MakeReader, StoreReader } from './reader.ts'

/** Milliseconds of reading after which the event loop runs, so that a signal can abort. */
const TURN = 20

/** Lets the event loop run now and then in long reads, and then throws where the call is to stop. */
class Turns {
  /** Throws where the call is to stop. */
  readonly check: () => void
  #last = monotonicNow()
  #reads = 0

  constructor(check: () => void) {
    this.check = check
  }

  /** Runs work, after a turn of the event loop where one is due. */
  before<T>(work: () => Awaitable<T>): Awaitable<T> {
    // Asking for the time takes as long as a short read.
    return ++this.#reads % 4 !== 0 ? work() : this.beforeLong(work)
  }

  /** Runs work that takes long: a turn may be due before each. */
  beforeLong<T>(work: () => Awaitable<T>): Awaitable<T> {
    if (monotonicNow() - this.#last < TURN) return work()
    const late = this.#turn().then(work)
    // A caller that takes only what is at hand does not wait for it.
    late.catch(() => undefined)
    return late
  }

  /** Yields the items, with a turn of the event loop before an item where one is due. */
  between<T>(items: AsyncIterable<T>, areLong = false): AsyncIterable<T> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = items[Symbol.asyncIterator]()
        const next = (): Promise<IteratorResult<T>> => iterator.next()
        return {
          next: async () => (areLong ? this.beforeLong(next) : this.before(next)),
          return: async (value) => (await iterator.return?.(value)) ?? { done: true, value: undefined },
        }
      },
    }
  }

  async #turn(): Promise<void> {
    await nextTurn()
    this.#last = monotonicNow()
    this.check()
  }
}

/** Returns a maker of readers, whose reads let the event loop run now and then, and end once `check` throws. */
export function stoppingReaders(check: () => void): MakeReader {
  const turns = new Turns(check)
  return (...of) => new StoppableReader(turns, ...of)
}

class StoppableReader extends StoreReader {
  readonly #turns: Turns

  constructor(turns: Turns, ...of: ConstructorParameters<typeof StoreReader>) {
    super(...of)
    this.#turns = turns
  }

  override find(oid: Oid): Awaitable<EntryHandle | undefined> {
    return this.#turns.before(() => super.find(oid))
  }

  override findMany(oids: Iterable<Oid>): Awaitable<ReadonlyMap<Oid, EntryHandle>> {
    return super.findMany(oids, this.#turns.check)
  }

  override node(entry: EntryHandle): Awaitable<Node> {
    return this.#turns.before(() => super.node(entry))
  }

  override oid(entry: EntryHandle): Awaitable<Oid> {
    return this.#turns.before(() => super.oid(entry))
  }

  override body(entry: EntryHandle): Awaitable<Json> {
    return this.#turns.before(() => super.body(entry))
  }

  override canonicalBody(entry: EntryHandle): Awaitable<Uint8Array> {
    return this.#turns.before(() => super.canonicalBody(entry))
  }

  override entries(after?: EntryHandle): AsyncIterable<EntryHandle> {
    return this.#turns.between(super.entries(after))
  }

  override readLog(log: LogId, range: RecordRange): AsyncIterable<RecordBatch> {
    return this.#turns.between(super.readLog(log, range), true)
  }

  override ref(name: RefName): Awaitable<RefValue | undefined> {
    return this.#turns.before(() => super.ref(name))
  }

  override refs(prefix: string, after?: string): AsyncIterable<[RefName, RefValue]> {
    return this.#turns.between(super.refs(prefix, after))
  }

  override operations(range: OperationRange): AsyncIterable<Operation> {
    return this.#turns.between(super.operations(range))
  }

  override async sizes(): Promise<StoreSizes> {
    return this.#turns.beforeLong(() => super.sizes(this.#turns.check))
  }

  override verify(): AsyncIterable<string> {
    return this.#turns.between(super.verify(), true)
  }
}
