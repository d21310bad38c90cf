import type { Awaitable } from '../model/async.ts'
import type { Oid } from '../model/encoding/oid.ts'
import type { Json } from '../model/json.ts'
import type { EntryHandle, Node } from '../model/node.ts'
import type { Operation, OperationLog, OperationRange, RefValue } from '../model/operation.ts'
import type { BlobId, LogId, RecordBatch, RecordRange, WriterId } from '../model/record.ts'
import { type RefName, TOMBSTONES } from '../model/refname.ts'
import { refProblem } from '../model/refs/table.ts'
import type { SearchIndex } from '../model/search/searchindex.ts'
import type { Tombstones } from '../model/secrets/expunged.ts'
import type { Backend, Cache, StoreSizes } from '../storage/backend.ts'
import { tombstonesOf } from './expunge/tombstones.ts'
import { GraftOverlay } from './grafts.ts'

/** A point in time: right after an operation. */
export interface PointInTime {
  readonly operation: number
  /** The values that refs had then which moved since; undefined where there was no such ref. */
  readonly refs: ReadonlyMap<RefName, RefValue | undefined>
}

/** The session that `@` and `HEAD` name in one process. */
export interface CurrentChoice {
  /** Its id or a prefix of it, where the environment or the user named one: it is current whatever the folder. */
  named?: string | undefined
  /** The session that was taken because it is the newest of a folder, once something resolved to it. */
  taken?: { readonly id: string; readonly title: string | null; readonly folder: string } | undefined
}

/** The user's context in which revisions are resolved. */
export interface RevisionContext {
  /** The folder from which the current session is looked for. */
  readonly cwd?: string
  /** The session that `@` and `HEAD` name, as far as that was chosen. */
  readonly current?: CurrentChoice
  /** Takes the refs that reads go on without, because they have not the form of their kind: see `unsoundrefs.ts`. */
  readonly passedOver?: Map<RefName, string> | undefined
  /** Whether such a ref is an error nevertheless, except where it is only in the way of a name. */
  readonly isStrict?: boolean
  /** Returns the time of a text such as `yesterday`, in milliseconds since 1970; undefined if it is none. */
  readonly parseTime?: (text: string) => number | undefined
}

/** The read access to the content of a store. */
type StoredContent = Omit<Backend, 'begin' | 'close'>

/** The read access of a unit of work to a store. */
export interface Reader extends StoredContent, RevisionContext {
  /** Whether it reads the store as it was at an earlier time. */
  readonly isPast?: boolean
}

/** Returns the look of graph functions at the entries of a store. */
export const lookIn =
  (reader: Pick<Reader, 'node'>) =>
  (entry: EntryHandle): Awaitable<Node> =>
    reader.node(entry)

/**
 * A backend with grafts applied, and with the refs of an earlier point in time if requested. Entries and records never
 * change, so they are read as they are now.
 */
export class StoreReader implements Reader {
  readonly #backend: StoredContent
  readonly #grafts: GraftOverlay | undefined
  readonly #past: PointInTime | undefined
  readonly cwd: string
  readonly current: CurrentChoice
  readonly parseTime: (text: string) => number | undefined
  readonly passedOver: Map<RefName, string> | undefined
  readonly isStrict: boolean

  constructor(
    backend: StoredContent,
    {
      grafts,
      past,
      cwd = '/',
      current = {},
      parseTime = () => undefined,
      passedOver,
      isStrict = false,
    }: RevisionContext & {
      readonly grafts?: GraftOverlay | undefined
      readonly past?: PointInTime | undefined
    } = {},
  ) {
    this.#backend = backend
    this.#grafts = grafts
    this.#past = past
    this.cwd = cwd
    this.current = current
    this.parseTime = parseTime
    this.passedOver = passedOver
    this.isStrict = isStrict
  }

  get capabilities(): Backend['capabilities'] {
    return this.#backend.capabilities
  }

  get writer(): WriterId {
    return this.#backend.writer
  }

  find(oid: Oid): Awaitable<EntryHandle | undefined> {
    return this.#backend.find(oid)
  }

  /** Returns the handles of the oids that are stored. */
  findMany(oids: Iterable<Oid>, check?: () => void): Awaitable<ReadonlyMap<Oid, EntryHandle>> {
    return this.#backend.findMany(oids, check)
  }

  /** Returns the oids that begin with some hex digits (4 or more), at most `limit` of them. */
  findByPrefix(prefix: string, limit: number): Promise<Oid[]> {
    return this.#backend.findByPrefix(prefix, limit)
  }

  /** Returns an entry without its body. A grafted root has the parent that its graft names. */
  node(entry: EntryHandle): Awaitable<Node> {
    const node = this.#backend.node(entry)
    const grafts = this.#grafts
    if (!grafts) return node
    return node instanceof Promise ? node.then((one) => grafts.apply(one)) : grafts.apply(node)
  }

  oid(entry: EntryHandle): Awaitable<Oid> {
    return this.#backend.oid(entry)
  }

  body(entry: EntryHandle): Awaitable<Json> {
    return this.#backend.body(entry)
  }

  canonicalBody(entry: EntryHandle): Awaitable<Uint8Array> {
    return this.#backend.canonicalBody(entry)
  }

  /**
   * Reads ahead the bodies of entries, where reading many together is cheaper. Throws nothing: `body` reports damage.
   */
  prefetch(entries: readonly EntryHandle[]): Promise<void> {
    return this.#backend.prefetch(entries)
  }

  /** Yields all entries, unreachable ones included; where given, only those stored after another one. */
  entries(after?: EntryHandle): AsyncIterable<EntryHandle> {
    return this.#backend.entries(after)
  }

  get isPast(): boolean {
    return this.#past !== undefined
  }

  readLog(log: LogId, range: RecordRange): AsyncIterable<RecordBatch> {
    return this.#backend.readLog(log, range)
  }

  recordRanges(log: LogId, count: number, entry: EntryHandle): Awaitable<readonly RecordRange[]> {
    return this.#backend.recordRanges(log, count, entry)
  }

  /** Returns the number of records of a log, with those of undone appends. */
  logLength(log: LogId): Awaitable<number> {
    return this.#backend.logLength(log)
  }

  logs(): AsyncIterable<readonly [log: LogId, length: number]> {
    return this.#backend.logs()
  }

  readBlob(blob: BlobId): Awaitable<Uint8Array> {
    return this.#backend.readBlob(blob)
  }

  ref(name: RefName): Awaitable<RefValue | undefined> {
    const past = this.#past?.refs
    return past?.has(name) && !isOfPresent(name) ? past.get(name) : this.#backend.ref(name)
  }

  /** Yields the refs whose names begin with a prefix, in the order of names; with `after` those after a text. */
  refs(prefix: string, after?: string): AsyncIterable<[RefName, RefValue]> {
    return this.#past && !isOfPresent(prefix)
      ? pastRefs(this.#backend, { prefix, after }, this.#past)
      : this.#backend.refs(prefix, after)
  }

  operation(number: number): Awaitable<Operation | undefined> {
    return number > (this.#past?.operation ?? number) ? undefined : this.#backend.operation(number)
  }

  operations({ upTo, ...range }: OperationRange): AsyncIterable<Operation> {
    return this.#backend.operations({ ...range, upTo: Math.min(upTo, this.#past?.operation ?? upTo) })
  }

  operationLog(): Awaitable<OperationLog> {
    const past = this.#past
    if (!past) return this.#backend.operationLog()
    const log = this.#backend.operationLog()
    return log instanceof Promise ? log.then((one) => atPoint(one, past)) : atPoint(log, past)
  }

  /** The caches. There are no sessions in them for an earlier point in time. */
  get cache(): Cache {
    const { cache } = this.#backend
    return this.#past
      ? { ...withoutSessions(cache), list: () => undefined, listState: () => undefined }
      : cache
  }

  get index(): SearchIndex {
    return this.#backend.index
  }

  sizes(check?: () => void): Promise<StoreSizes> {
    return this.#backend.sizes(check)
  }

  verify(): AsyncIterable<string> {
    return this.#backend.verify()
  }
}

/** Returns a cache without what is remembered of sessions. */
function withoutSessions(cache: Cache): Cache {
  const { session: _, ...others } = cache
  return others
}

/** Reads refs without those that have not the form of their kind, which a check reports. */
class SoundRefsReader extends StoreReader {
  override get cache(): Cache {
    return withoutSessions(super.cache)
  }

  override async ref(name: RefName): Promise<RefValue | undefined> {
    const value = await super.ref(name)
    return value !== undefined && refProblem(name, value) === undefined ? value : undefined
  }

  override async *refs(prefix: string, after?: string): AsyncGenerator<[RefName, RefValue]> {
    for await (const [name, value] of super.refs(prefix, after))
      if (refProblem(name, value) === undefined) yield [name, value]
  }
}

/** Returns a reader of a store that leaves out the refs that have not the form of their kind: for checks and repairs. */
export const withSoundRefs = (reader: StoredContent): Reader => new SoundRefsReader(reader)

const atPoint = (log: OperationLog, { operation }: PointInTime): OperationLog => ({
  ...log,
  latest: operation,
})

/** Whether a ref is read as it is now at any point in time: what was expunged was expunged from all of them. */
const isOfPresent = (name: string): boolean => name.startsWith(TOMBSTONES)

async function* pastRefs(
  backend: StoredContent,
  { prefix, after = '' }: { readonly prefix: string; readonly after: string | undefined },
  { refs }: PointInTime,
): AsyncGenerator<[RefName, RefValue]> {
  const names = [...refs.keys()]
    .filter((name) => name.startsWith(prefix) && name > after && !isOfPresent(name))
    .sort()
  let next = 0
  const moved = function* (name: RefName): Generator<[RefName, RefValue]> {
    const value = refs.get(name)
    if (value !== undefined) yield [name, value]
  }
  for await (const [name, value] of backend.refs(prefix, after)) {
    for (; (names[next] ?? name) < name; next++) yield* moved(names[next] as RefName)
    if (!refs.has(name) || isOfPresent(name)) yield [name, value]
  }
  for (; next < names.length; next++) yield* moved(names[next] as RefName)
}

/** Caches the present grafts and tombstones of the databases that were read. All calls on an open store share it. */
export class ReaderCache {
  #grafts = new WeakMap<Backend, Promise<GraftOverlay | undefined>>()
  #tombstones = new WeakMap<Backend, Tombstones>()
  /** Identifies what is cached: another one once grafts or tombstones moved. */
  version: object = {}

  /** Returns the present grafts of a backend, undefined where it has none. */
  grafts(backend: Backend): Promise<GraftOverlay | undefined> {
    const known = this.#grafts.get(backend)
    if (known) return known
    const reading = GraftOverlay.read(backend, backend)
    this.#grafts.set(backend, reading)
    // A failure is not remembered: the next read may succeed.
    reading.catch(() => {
      if (this.#grafts.get(backend) === reading) this.#grafts.delete(backend)
    })
    return reading
  }

  /** Returns the tombstones of a store. Throws `corrupt` where one cannot be read, except for repairs. */
  async tombstones(backend: Backend, { repairs }: { readonly repairs?: boolean } = {}): Promise<Tombstones> {
    if (repairs) return tombstonesOf(withSoundRefs(backend))
    const known = this.#tombstones.get(backend) ?? (await tombstonesOf(backend))
    this.#tombstones.set(backend, known)
    return known
  }

  /** Forgets the grafts and tombstones that were read, because they moved. */
  forget(): void {
    this.#grafts = new WeakMap()
    this.#tombstones = new WeakMap()
    this.version = {}
  }
}

/** Makes a reader of a backend. */
export type MakeReader = (...of: ConstructorParameters<typeof StoreReader>) => Reader

/** Makes the readers of one call: with grafts, and at the point in time that it reads. */
export class CallReaders {
  readonly cache: ReaderCache
  readonly #pastOf: (backend: Backend) => Awaitable<PointInTime | undefined>
  readonly #make: MakeReader
  readonly #context: RevisionContext
  readonly #grafted = new WeakMap<Backend, { readonly version: object; readonly reader: Promise<Reader> }>()
  readonly #plain = new WeakMap<Backend, Reader>()

  constructor(
    cache: ReaderCache,
    pastOf: (backend: Backend) => Awaitable<PointInTime | undefined>,
    context: RevisionContext = {},
    make: MakeReader = (...of) => new StoreReader(...of),
  ) {
    this.#make = make
    this.cache = cache
    this.#pastOf = pastOf
    this.#context = context
  }

  /** Returns the reader of a backend; a `plain` one shows entries as they are stored, without grafts. */
  async of(backend: Backend, { plain = false }: { readonly plain?: boolean }): Promise<Reader> {
    if (plain) return this.#plainOf(backend, await this.#pastOf(backend))
    const { version } = this.cache
    const known = this.#grafted.get(backend)
    return known?.version === version ? known.reader : this.#read(backend, version)
  }

  /** Returns another reader of a backend, as `make` makes it. */
  async another(backend: Backend, plain: boolean, make: MakeReader): Promise<Reader> {
    const past = await this.#pastOf(backend)
    const grafts = plain ? undefined : await this.#graftsOf(backend, past)
    return make(backend, { grafts, past, ...this.#context })
  }

  #plainOf(backend: Backend, past: PointInTime | undefined): Reader {
    const known = this.#plain.get(backend) ?? this.#make(backend, { past, ...this.#context })
    this.#plain.set(backend, known)
    return known
  }

  #read(backend: Backend, version: object): Promise<Reader> {
    const reader = this.#withGrafts(backend)
    const made = { version, reader }
    this.#grafted.set(backend, made)
    // A failure is not remembered: the next read may succeed.
    reader.catch(() => {
      if (this.#grafted.get(backend) === made) this.#grafted.delete(backend)
    })
    return reader
  }

  async #withGrafts(backend: Backend): Promise<Reader> {
    const past = await this.#pastOf(backend)
    const grafts = await this.#graftsOf(backend, past)
    return grafts ? this.#make(backend, { grafts, past, ...this.#context }) : this.#plainOf(backend, past)
  }

  #graftsOf(backend: Backend, past: PointInTime | undefined): Promise<GraftOverlay | undefined> {
    return past ? GraftOverlay.read(backend, this.#plainOf(backend, past)) : this.cache.grafts(backend)
  }
}
