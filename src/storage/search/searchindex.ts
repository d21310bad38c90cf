import type { EntryHandle, Node } from '../../model/node.ts'
import type { Ranges } from '../../model/ranges.ts'
import { holds } from '../../model/ranges.ts'
import type { SaidText } from '../../model/said.ts'
import type {
  CandidateGroup,
  Candidates,
  Coverage,
  CoveredSession,
  SearchIndex,
  SearchIndexWriter,
  WantedPieces,
} from '../../model/searchindex.ts'
import type { Counters } from '../level/counters.ts'
import { EntryNode, handleOf, rowOf } from '../level/entrynode.ts'
import { type Extent, extentPut, joinedExtent, NO_EXTENT, readExtent, readExtents } from './coverage.ts'
import { behind, type Key, SPACE } from '../level/keys.ts'
import type { Objects } from '../level/objects.ts'
import type { Put } from '../level/put.ts'
import { NO_ROW, type Row } from '../level/storedrecord.ts'
import type { Table } from '../level/keyvaluestore.ts'
import { EVERYWHERE, lookUp } from './lookup.ts'
import { WordPacker } from './wordindex.ts'
import { GROUP, groupStart } from './wordcollector.ts'

/** As many entries wait outside of the index, where a search reads them one by one, before they are indexed. */
const FEWEST = 512

/** As many entries are indexed at a time, so that memory stays bounded: as many as one segment of the index covers. */
const MOST = 30_720

/** The parts of a database that the index is made from and kept in. */
export interface Indexed {
  readonly table: Table
  readonly objects: Objects
  readonly counters: Counters
}

const everything = (
  session: string,
  { ranges, time, names }: Extent,
): CoveredSession & { ranges: Ranges } => ({
  id: session,
  time,
  names,
  size: ranges.reduce((sum, [from, to]) => sum + to - from, 0),
  mayReach: (entry) => holds(ranges, rowOf(entry)),
  ranges,
})

/** Reads the search index of a database: segments of words by groups of rows, and by session ranges of rows. */
export class LevelIndex implements SearchIndex {
  readonly #parts: Indexed
  readonly #next: () => Row

  /** `next` returns the row that the next entry gets at least. */
  constructor(parts: Indexed, next: () => Row) {
    this.#parts = parts
    this.#next = next
  }

  async sessions(): Promise<readonly CoveredSession[]> {
    const found = [...(await readExtents(this.#parts.table))].map(([id, extent]) => everything(id, extent))
    const begin = (one: (typeof found)[number]): number => one.ranges[0]?.[0] ?? 0
    const newest = ({ time }: CoveredSession): number => time ?? Number.NEGATIVE_INFINITY
    return found.sort((a, b) => begin(a) - begin(b) || newest(b) - newest(a) || (a.id < b.id ? -1 : 1))
  }

  session(id: string): Promise<CoveredSession | undefined> {
    return new Promise((resolve) => {
      const extent = readExtent(this.#parts.table, id)
      resolve(extent && everything(id, extent))
    })
  }

  async lookup(wanted: WantedPieces): Promise<Candidates> {
    const { table, objects } = this.#parts
    const places = await lookUp(table, wanted)
    return { groups: (session) => candidateGroups(objects, places, readExtent(table, session) ?? NO_EXTENT) }
  }

  waiting(): number {
    return this.#next() - this.#parts.counters.indexed
  }
}

function* candidateGroups(
  objects: Objects,
  places: ReadonlyMap<Row, number>,
  { ranges }: Extent,
): Generator<CandidateGroup> {
  for (const [from, to] of ranges.toReversed())
    for (let group = groupStart(to - 1); group >= groupStart(from); group -= GROUP) {
      const found = places.get(group) ?? EVERYWHERE
      if (found === 0) continue
      const [first, end] = [Math.max(from, group), Math.min(to, group + GROUP)]
      yield { id: group, places: found, entries: () => [...objects.rows(first, end)].reverse().map(handleOf) }
    }
}

/** Changes the search index with the end of a transaction. */
export class LevelIndexWriter implements SearchIndexWriter {
  readonly #parts: Indexed
  readonly #next: () => Row
  /** Entries from here on were added by this transaction. */
  readonly #begun: Row
  readonly #words: WordPacker
  readonly #extents = new Map<string, Extent>()
  readonly #cleared: Key[] = []
  #isCleared = false

  constructor(parts: Indexed, begun: Row, next: () => Row) {
    this.#parts = parts
    this.#begun = begun
    this.#next = next
    this.#words = new WordPacker(parts.table, parts.counters)
  }

  cover(
    session: string,
    { entries = [], paths = [], session: other, time = null, names = [] }: Coverage,
  ): void {
    const rows = [...entries].map(rowOf).sort((a, b) => a - b)
    const ranges: (readonly [Row, Row])[] = []
    for (const row of rows) {
      const last = ranges.at(-1)
      if (last?.[1] === row) ranges[ranges.length - 1] = [last[0], row + 1]
      else if (last?.[1] !== row + 1) ranges.push([row, row + 1])
    }
    this.#extend(session, { ranges, time, names })
    for (const tip of paths) this.#extend(session, { ranges: [this.#pathTo(rowOf(tip))], time, names: [] })
    if (other)
      this.#extend(session, { ranges: this.#knownUpTo(other.id, rowOf(other.upTo)), time, names: [] })
  }

  #extend(session: string, more: Extent): void {
    this.#extents.set(session, joinedExtent(this.#extents.get(session) ?? NO_EXTENT, more))
  }

  /** Returns a range of rows that has everything that an entry reaches. */
  #pathTo(row: Row): readonly [Row, Row] {
    const { objects } = this.#parts
    const run = objects.run(row)
    // The history of a merge may begin before the root of the path that it was merged into.
    if (run.merge[row - run.start] !== NO_ROW) return [0, row + 1]
    let root = row
    for (
      let [depth, jump] = objects.depthAndJump(root);
      depth > 0;
      [depth, jump] = objects.depthAndJump(root)
    )
      root = jump
    return [root, row + 1]
  }

  #knownUpTo(session: string, row: Row): Ranges {
    const stored = this.#isCleared ? undefined : readExtent(this.#parts.table, session)
    const known = joinedExtent(stored ?? NO_EXTENT, this.#extents.get(session) ?? NO_EXTENT)
    return known.ranges.flatMap(([from, to]) => (from > row ? [] : [[from, Math.min(to, row + 1)] as const]))
  }

  say(entry: EntryHandle, said: readonly SaidText[]): void {
    this.#words.tell(rowOf(entry), said)
  }

  get waiting(): number {
    return this.#next() - this.#words.indexed
  }

  async update(
    read: (node: Node) => Promise<readonly SaidText[]>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const end = groupStart(Math.min(this.#next(), this.#words.indexed + most))
    if (end - this.#words.indexed < FEWEST && !this.#isCleared) return
    while (this.#words.indexed < end) {
      const { indexed } = this.#words
      const to = Math.min(end, indexed + MOST)
      for await (const row of this.#parts.objects.rowsFrom(indexed, Math.min(to, this.#begun)))
        this.#words.tell(row, await read(new EntryNode(this.#parts.objects.run(row), row)))
      await this.#words.index(to)
    }
  }

  async clear(): Promise<void> {
    this.#isCleared = true
    await this.#words.clear()
    const extents = Uint8Array.of(SPACE.extent)
    for await (const key of this.#parts.table.keys(extents, behind(extents))) this.#cleared.push(key)
  }

  /** Returns the changes of the index, at the end of the transaction. */
  end(): readonly Put[] {
    const puts: Put[] = [...this.#words.end()]
    for (const key of this.#cleared) puts.push({ key, value: undefined })
    for (const [session, extent] of this.#extents)
      puts.push(extentPut(this.#parts.table, session, extent, this.#isCleared))
    return puts
  }
}
