// oxlint-disable require-await -- The interface is asynchronous for backends that have to wait.
import { encode } from '../../src/model/encoding/canonical.ts'
import { digestOf } from '../../src/model/encoding/entry.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { SessError } from '../../src/model/errors.ts'
import type { Json } from '../../src/model/json.ts'
import { type EntryHandle, jumpDepth, NEAR, type Node } from '../../src/model/node.ts'
import type { Operation, RefMove, RefValue } from '../../src/model/operation.ts'
import { type BlobId, type LogId, type LogRecord, logId, type WriterId } from '../../src/model/record.ts'
import type { RefName } from '../../src/model/refname.ts'
import { type EntryText, PLACES } from '../../src/model/search/entrytext.ts'
import type * as search from '../../src/model/search/searchindex.ts'
import { folded } from '../../src/model/search/words.ts'
import { plus } from '../../src/model/tokens.ts'
import type * as door from '../../src/storage/backend.ts'
import { blobIdOf } from '../../src/storage/levelbackend/blob.ts'
import { NONE_DROPPED } from '../../src/storage/rewrite/scope.ts'

/** The entries that a session reaches, its time and its names. */
type Covered = Pick<search.CoveredSession, 'time' | 'names'> & { readonly entries: ReadonlySet<EntryHandle> }
type Indexed = ReadonlyMap<EntryHandle, readonly EntryText[]>
const WRITER = '0'.repeat(16) as WriterId
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
const NONE: Covered = { entries: new Set(), time: null, names: [] }
/** Everything in a store. The handle of an entry is its oid, its order the number of entries before it. */
class Tables {
  readonly nodes = new Map<EntryHandle, Node>()
  readonly bodies = new Map<EntryHandle, Json>()
  readonly blobs = new Map<BlobId, Uint8Array>()
  readonly logs = new Map<LogId, LogRecord[]>()
  readonly refs = new Map<RefName, RefValue>()
  readonly operations = new Map<number, Operation>()
  readonly sources = new Map<string, door.SourceNote>()
  readonly readers = new Map<LogId, door.KeptReaderState>()
  list: door.SessionList | undefined
  newestLog = 0
  commits = 0
  readonly covered = new Map<string, Covered>()
  said: Indexed = new Map()

  node(entry: EntryHandle): Node {
    const node = this.nodes.get(entry)
    if (!node) throw new SessError('corrupt', `entry ${entry} is missing`)
    return node
  }
}

const handleOf = (oid: Oid): EntryHandle => oid as string as EntryHandle
const isSame = (a: RefValue | undefined, b: RefValue | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(encode(a), encode(b)) === 0

/** Returns a backend of plain maps and arrays, which forgets everything. */
export function simpleBackend(): door.Backend {
  const tables = new Tables()
  return {
    capabilities: { durable: false, prefixes: true },
    writer: WRITER,
    find: (oid) => tables.nodes.get(handleOf(oid))?.handle,
    findMany(oids) {
      const nodes = [...oids].flatMap((oid) => tables.nodes.get(handleOf(oid)) ?? [])
      return new Map(nodes.sort((a, b) => a.order - b.order).map(({ oid, handle }) => [oid, handle]))
    },
    async findByPrefix(prefix, limit) {
      const found = [...tables.nodes.values()].filter(({ oid }) => oid.startsWith(prefix))
      return found.slice(0, limit).map(({ oid }) => oid)
    },
    node: (entry) => tables.node(entry),
    oid: (entry) => tables.node(entry).oid,
    body: (entry) => tables.bodies.get(tables.node(entry).handle) as Json,
    canonicalBody: (entry) => encode(tables.bodies.get(tables.node(entry).handle)),
    prefetch: () => Promise.resolve(),
    async *entries(after) {
      yield* [...tables.nodes.keys()].slice(after === undefined ? 0 : tables.node(after).order + 1)
    },
    async *readLog(log, { from, to, reverse }) {
      const records = (tables.logs.get(log) ?? []).slice(from, Math.max(from, to))
      const starts = Array.from({ length: Math.ceil(records.length / 64) }, (_, i) => 64 * i)
      for (const start of reverse ? starts.reverse() : starts) {
        const batch = records.slice(start, start + 64)
        yield { start: from + start, headers: batch, records: () => batch }
      }
    },
    recordRanges: (_, count) => [{ from: 0, to: count }],
    logLength: (log) => tables.logs.get(log)?.length ?? 0,
    async *logs() {
      for (const [log, { length }] of tables.logs) yield [log, length]
    },
    readBlob: (blob) => tables.blobs.get(blob) as Uint8Array,
    ref: (name) => tables.refs.get(name),
    async *refs(prefix, after = '') {
      const found = [...tables.refs].filter(([name]) => name.startsWith(prefix) && byBytes(name, after) > 0)
      yield* found.sort(([a], [b]) => byBytes(a, b))
    },
    operation: (number) => tables.operations.get(number),
    async *operations({ after, upTo, reverse }) {
      const found = [...tables.operations.values()].slice(after, upTo)
      yield* reverse ? found.reverse() : found
    },
    operationLog: () => ({ latest: tables.operations.size, dropped: NONE_DROPPED, commits: tables.commits }),
    cache: {
      source: (path) => tables.sources.get(path),
      isAsNoted: () => false,
      readerState: (log) => tables.readers.get(log),
      ...{ list: () => tables.list, counts: () => undefined },
      listState: () => tables.list,
    },
    index: simpleIndex(tables),
    begin: () => new SimpleTransaction(tables),
    sizes: () => Promise.resolve({ entries: tables.nodes.size, blobs: tables.blobs.size }),
    async *verify() {
      for (const [entry, { digest }] of tables.nodes)
        if (digestOf(tables.bodies.get(entry) as Json) !== digest) yield `entry ${entry} has another body`
    },
    close: () => Promise.resolve(),
  }
}

/** Stores entries and blobs at once and everything else in `commit`, without a turn of the event loop. */
class SimpleTransaction implements door.Transaction {
  readonly created = { entries: 0, blobs: 0 }
  readonly index: search.SearchIndexWriter
  readonly #tables: Tables
  readonly #ends = new Map<LogId, number>()
  /** Each applies a change, in order. */
  readonly #changes: (() => void)[] = []
  readonly #moves: RefMove[] = []
  #make: door.MakeOperation | undefined

  constructor(tables: Tables) {
    this.#tables = tables
    this.index = simpleIndexWriter(tables, this.#changes)
  }

  addEntry({ body, weight: own, ...entry }: door.NewEntry): EntryHandle {
    const tables = this.#tables
    const handle = handleOf(entry.oid)
    if (tables.nodes.has(handle)) return handle
    const [parent] = entry.parents.map((one) => tables.node(one))
    const far = parent && tables.node(parent.jump)
    const isLong = far && parent.depth - far.depth === far.depth - tables.node(far.jump).depth
    tables.bodies.set(handle, body)
    const depth = parent ? parent.depth + 1 : 0
    tables.nodes.set(handle, {
      ...entry,
      handle,
      order: tables.nodes.size,
      depth,
      weight: parent ? plus(parent.weight, own) : own,
      // As long as two equal jumps in a row: Myers, "An applicative random-access stack", 1983.
      jump: isLong ? far.jump : (parent?.handle ?? handle),
      jumpDepth: jumpDepth(depth),
      merge: entry.parents.length > 1 ? handle : parent?.merge,
      near: NEAR.map((trait, i) => (entry.traits & trait ? handle : parent?.near[i])),
    })
    this.created.entries++
    return handle
  }

  newLog = () => logId(WRITER, ++this.#tables.newestLog)
  appendRecord: door.Transaction['appendRecord'] = (log, position, record) => {
    if ((this.#ends.get(log) ?? position) !== position) throw new RangeError('positions are consecutive')
    this.#ends.set(log, position + 1)
    this.#changes.push(() => {
      const { logs } = this.#tables
      logs.set(log, Object.assign(logs.get(log) ?? [], { [position]: record }))
    })
  }

  putBlob(bytes: Uint8Array): BlobId {
    const id = blobIdOf(bytes)
    if (!this.#tables.blobs.has(id)) this.created.blobs++
    this.#tables.blobs.set(id, bytes)
    return id
  }

  moveRefs = (moves: readonly RefMove[]) => void this.#moves.push(...moves)
  addOperation = (make: door.MakeOperation) => void (this.#make = make)
  noteSource: door.Transaction['noteSource'] = (path, note) =>
    void this.#changes.push(() => this.#tables.sources.set(path, note))
  keepReaderState: door.Transaction['keepReaderState'] = (log, state) =>
    void this.#changes.push(() => this.#tables.readers.set(log, state))
  keepList = (list: door.SessionList) => void this.#changes.push(() => Object.assign(this.#tables, { list }))
  keepCounts = () => undefined
  flush = () => Promise.resolve()
  rebuildZoneMaps = () => Promise.resolve()
  async commit(): Promise<void> {
    const { refs, operations, commits } = this.#tables
    const moved = new Map<RefName, RefValue | undefined>()
    for (const { name, old, new: value } of this.#moves) {
      if (!isSame(moved.has(name) ? moved.get(name) : refs.get(name), old))
        throw new SessError('conflict', name)
      moved.set(name, value)
    }
    const operation = this.#make?.(operations.size + 1, commits + 1)
    for (const [name, value] of moved) void (value === undefined ? refs.delete(name) : refs.set(name, value))
    for (const change of this.#changes) change()
    if (!operation) return
    operations.set(operation.number, operation)
    this.#tables.commits++
  }

  abandon = () => void this.#changes.splice(0)
}

function simpleIndex(tables: Tables): search.SearchIndex {
  const newestFirst = (session: string): Node[] =>
    [...(tables.covered.get(session)?.entries ?? [])]
      .map((entry) => tables.node(entry))
      .sort((a, b) => b.order - a.order)
  const sessionOf = ([id, { entries, time, names }]: [string, Covered]): search.CoveredSession => {
    return { id, time, names, size: entries.size, mayReach: (entry) => entries.has(entry) }
  }
  function* groups(session: string, wanted: search.WantedPieces): Generator<search.CandidateGroup> {
    for (const { handle, order } of newestFirst(session)) {
      const places = placesOf(tables.said.get(handle), wanted)
      const entries = async function* () {
        yield handle
      }
      if (places > 0) yield { id: order, places, entries }
    }
  }
  return {
    async sessions() {
      const first = (session: string): number => newestFirst(session).at(-1)?.order ?? 0
      return [...tables.covered].sort(([a], [b]) => first(a) - first(b)).map(sessionOf)
    },
    session: async (id) => [...tables.covered].filter(([known]) => known === id).map(sessionOf)[0],
    lookup: (wanted) => Promise.resolve({ groups: (session) => groups(session, wanted) }),
    waiting: () => tables.nodes.size - tables.said.size,
    check: () => ({ add: () => Promise.resolve(), end: () => [] }),
  }
}

/** Returns the bits of the places where wanted words are said: all of them where an entry is not indexed. */
function placesOf(said: readonly EntryText[] | undefined, wanted: search.WantedPieces): number {
  const anywhere = 1 << PLACES.length
  let places = 2 * anywhere - 1
  for (const ways of said ? wanted : []) {
    let found = 0
    for (const { place, text } of said as readonly EntryText[])
      if (ways.some((way) => holds(folded(text), way))) found |= anywhere | (1 << PLACES.indexOf(place))
    places &= found
  }
  return places
}

/** Returns whether a text may contain another one: whether it has the pieces of its words. `*` is the mark of long words. */
const holds = (text: string, words: search.WantedPieces[number][number]): boolean =>
  words.every((ways) => ways.some((pieces) => pieces.every((piece) => piece === '*' || text.includes(piece))))

function simpleIndexWriter(tables: Tables, changes: (() => void)[]): search.SearchIndexWriter {
  const added = tables.nodes.size
  const told = new Map<EntryHandle, readonly EntryText[]>()
  let said: Indexed | undefined
  const indexed = (): Indexed => said ?? tables.said
  const set = (now: Indexed): void => {
    said = now
    changes.push(() => Object.assign(tables, { said: now }))
  }
  return {
    cover: (session, coverage) =>
      void changes.push(() => {
        const known = tables.covered.get(session) ?? NONE
        const entries = new Set([...known.entries, ...reached(tables, coverage)])
        const names = [...new Set([...known.names, ...(coverage.names ?? [])])]
        tables.covered.set(session, { entries, time: coverage.time ?? known.time, names })
      }),
    add: (entry, texts) => void told.set(entry, texts),
    get waiting() {
      return tables.nodes.size - indexed().size
    },
    async update(read, most = Number.POSITIVE_INFINITY) {
      const more = new Map(indexed())
      for (const node of [...tables.nodes.values()].filter(({ handle }) => !more.has(handle)).slice(0, most))
        more.set(node.handle, told.get(node.handle) ?? (node.order < added ? await read(node) : []))
      set(more)
    },
    async clear() {
      set(new Map())
      changes.push(() => tables.covered.clear())
    },
  }
}

/** Returns the entries that a coverage stands for. */
function reached(tables: Tables, { entries = [], paths = [], session }: search.Coverage): Set<EntryHandle> {
  const found = new Set<EntryHandle>()
  const open = [...paths]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (!found.has(at)) open.push(...tables.node(at).parents)
    found.add(at)
  }
  for (const entry of entries) found.add(entry)
  if (!session) return found
  const { order } = tables.node(session.upTo)
  for (const entry of tables.covered.get(session.id)?.entries ?? [])
    if (tables.node(entry).order <= order) found.add(entry)
  return found
}
