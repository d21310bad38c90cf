import type { EntryHandle, Node } from '../../model/node.ts'
import { holds, type Ranges } from '../../model/ranges.ts'
import type { EntryText } from '../../model/search/entrytext.ts'
import type {
  CandidateGroup,
  Candidates,
  Coverage,
  CoveredSession,
  SearchIndex,
  SearchIndexCheck,
  SearchIndexWriter,
  WantedPieces,
} from '../../model/search/searchindex.ts'
import type { Counters } from '../levelbackend/counters.ts'
import { PAGE_ROWS, StoredNode } from '../levelbackend/entrypage.ts'
import { type Key, prefixEnd, SPACE } from '../levelbackend/keys.ts'
import type { Put } from '../levelbackend/keyvalue.ts'
import type { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import type { Objects } from '../levelbackend/objects.ts'
import { handleOf, NO_ROW, type Row, rowOf } from '../levelbackend/rows.ts'
import {
  coveragePut,
  joinedCoverage,
  NO_COVERAGE,
  readAllCoverage,
  readCoverage,
  type StoredCoverage,
} from './coverage.ts'
import { WordCheck } from './wordcheck.ts'
import { EVERYWHERE, findWords, WordIndexWriter } from './wordindex.ts'
import { GROUP, groupStart } from './wordtable.ts'

/** The minimum number of unindexed entries before indexing. A search reads unindexed entries one by one. */
const MIN_ENTRIES = 512

/** The maximum number of entries indexed at a time, which bounds memory: as many as one segment of the index covers. */
const MAX_ENTRIES = 30_720

/** The parts of a database that the index is made from and kept in. */
export interface IndexParts {
  readonly store: KeyValueStore
  readonly objects: Objects
  readonly counters: Counters
}

const coveredSession = (
  session: string,
  { ranges, time, names }: StoredCoverage,
): CoveredSession & { ranges: Ranges } => ({
  id: session,
  time,
  names,
  size: ranges.reduce((sum, [from, to]) => sum + to - from, 0),
  mayReach: (entry) => holds(ranges, rowOf(entry)),
  ranges,
})

/** Reads the search index of a database: word segments for groups of rows, and the coverage of each session. */
export class LevelSearchIndex implements SearchIndex {
  readonly #parts: IndexParts
  readonly #nextRow: () => Row

  /** `next` returns the lowest row that the next entry may get. */
  constructor(parts: IndexParts, next: () => Row) {
    this.#parts = parts
    this.#nextRow = next
  }

  async sessions(): Promise<readonly CoveredSession[]> {
    const found = [...(await readAllCoverage(this.#parts.store))].map(([id, coverage]) =>
      coveredSession(id, coverage),
    )
    const begin = (one: (typeof found)[number]): number => one.ranges[0]?.[0] ?? 0
    const newest = ({ time }: CoveredSession): number => time ?? Number.NEGATIVE_INFINITY
    return found.sort((a, b) => begin(a) - begin(b) || newest(b) - newest(a) || (a.id < b.id ? -1 : 1))
  }

  session(id: string): Promise<CoveredSession | undefined> {
    return new Promise((resolve) => {
      const coverage = readCoverage(this.#parts.store, id)
      resolve(coverage && coveredSession(id, coverage))
    })
  }

  async lookup(wanted: WantedPieces): Promise<Candidates> {
    const { store, objects } = this.#parts
    const places = await findWords(store, wanted)
    const pages = await objects.pageStarts()
    return {
      groups: (session) =>
        candidateGroups(objects, pages, places, readCoverage(store, session) ?? NO_COVERAGE),
    }
  }

  waiting(): number {
    return this.#nextRow() - this.#parts.counters.indexed
  }

  check(): SearchIndexCheck {
    return new WordCheck(this.#parts.store, this.#parts.counters.indexed)
  }
}

/** Yields the groups in the ranges of a session that have entries: the ranges may be far wider than what is stored. */
function* candidateGroups(
  objects: Objects,
  pages: readonly Row[],
  places: ReadonlyMap<Row, number>,
  { ranges }: StoredCoverage,
): Generator<CandidateGroup> {
  for (const [from, to] of ranges.toReversed())
    for (let page = lastBefore(pages, to); (pages[page] ?? -PAGE_ROWS) + PAGE_ROWS > from; page--) {
      const start = pages[page] as Row
      for (let group = start + PAGE_ROWS - GROUP; group >= start; group -= GROUP) {
        const found = places.get(group) ?? EVERYWHERE
        const [first, end] = [Math.max(from, group), Math.min(to, group + GROUP)]
        if (found === 0 || first >= end) continue
        yield {
          id: group,
          places: found,
          entries: () => [...objects.rows(first, end)].reverse().map(handleOf),
        }
      }
    }
}

/** Returns the index of the last of some ascending rows that is before another one, -1 where there is none. */
function lastBefore(rows: readonly Row[], row: Row): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle] as Row) < row) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Changes the search index with the end of a transaction. */
export class LevelSearchIndexWriter implements SearchIndexWriter {
  readonly #parts: IndexParts
  readonly #next: () => Row
  /** The first row that this transaction added. */
  readonly #firstRow: Row
  /** Made on demand: an append covers a session, and indexes no words. */
  #made: WordIndexWriter | undefined
  readonly #coverage = new Map<string, StoredCoverage>()
  readonly #cleared: Key[] = []
  #isCleared = false

  constructor(parts: IndexParts, begun: Row, next: () => Row) {
    this.#parts = parts
    this.#firstRow = begun
    this.#next = next
  }

  get #words(): WordIndexWriter {
    this.#made ??= new WordIndexWriter(this.#parts.store, this.#parts.counters)
    return this.#made
  }

  cover(
    session: string,
    { entries = [], paths = [], session: other, time = null, names = [] }: Coverage,
  ): void {
    const ranges: [Row, Row][] = []
    for (const entry of entries) {
      const row = rowOf(entry)
      const last = ranges.at(-1)
      if (last?.[1] === row) last[1]++
      else if (last?.[1] !== row + 1) ranges.push([row, row + 1])
    }
    this.#extend(session, { ranges, time, names })
    for (const tip of paths) this.#extend(session, { ranges: [this.#pathTo(rowOf(tip))], time, names: [] })
    if (other)
      this.#extend(session, { ranges: this.#knownUpTo(other.id, rowOf(other.upTo)), time, names: [] })
  }

  #extend(session: string, more: StoredCoverage): void {
    const known = this.#coverage.get(session)
    this.#coverage.set(session, known ? joinedCoverage(known, more) : more)
  }

  /** Returns a range of rows that includes all entries that an entry reaches. */
  #pathTo(row: Row): readonly [Row, Row] {
    const { objects } = this.#parts
    const page = objects.page(row)
    // The merged history may begin before the root of the path.
    if (page.merge[row - page.start] !== NO_ROW) return [0, row + 1]
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
    const stored = this.#isCleared ? undefined : readCoverage(this.#parts.store, session)
    const known = joinedCoverage(stored ?? NO_COVERAGE, this.#coverage.get(session) ?? NO_COVERAGE)
    return known.ranges.flatMap(([from, to]) => (from > row ? [] : [[from, Math.min(to, row + 1)] as const]))
  }

  add(entry: EntryHandle, texts: readonly EntryText[]): void {
    this.#words.add(rowOf(entry), texts)
  }

  get waiting(): number {
    return this.#next() - this.#words.indexed
  }

  async update(
    read: (node: Node) => Promise<readonly EntryText[]>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    await this.#words.amend()
    const end = groupStart(Math.min(this.#next(), this.#words.indexed + most))
    if (end - this.#words.indexed < MIN_ENTRIES && !this.#isCleared) return
    while (this.#words.indexed < end) {
      // Rows may be far apart after many collections, and as far as somebody likes in a store from elsewhere.
      this.#words.skipTo((await this.#parts.objects.firstRow(this.#words.indexed, end)) ?? end)
      const { indexed } = this.#words
      if (indexed >= end) break
      const to = Math.min(end, indexed + MAX_ENTRIES)
      for await (const row of this.#parts.objects.rowsFrom(indexed, Math.min(to, this.#firstRow)))
        this.#words.add(row, await read(new StoredNode(this.#parts.objects.page(row), row)))
      await this.#words.index(to)
    }
  }

  async clear(): Promise<void> {
    this.#isCleared = true
    await this.#words.clear()
    const prefix = Uint8Array.of(SPACE.coverage)
    for await (const key of this.#parts.store.keys(prefix, prefixEnd(prefix))) this.#cleared.push(key)
  }

  /** Returns the changes of the index, at the end of the transaction. */
  puts(): readonly Put[] {
    const puts: Put[] = this.#made ? [...this.#made.puts()] : []
    for (const key of this.#cleared) puts.push({ key, value: undefined })
    for (const [session, coverage] of this.#coverage)
      puts.push(coveragePut(this.#parts.store, session, coverage, this.#isCleared))
    return puts
  }
}
