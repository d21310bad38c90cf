import type { EntryHandle, Node } from '../../model/node.ts'
import type { Pattern } from '../../model/pattern/pattern.ts'
import { PLACES } from '../../model/search/entrytext.ts'
import { parseQuery, type Query } from '../../model/search/query.ts'
import { type MatchedPart, type Rank, rankAt, rankOf } from '../../model/search/ranking.ts'
import type { CandidateGroup, Candidates } from '../../model/search/searchindex.ts'
import { folded } from '../../model/search/words.ts'
import { shortIds } from '../../model/shortid.ts'
import type { Zone } from '../../model/time.ts'
import { roleOf, type Traits } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { isSilentSession } from '../../repo/session.ts'
import { readAside } from '../../repo/stream.ts'
import { Outputs } from '../outputs.ts'
import { entryAt, type Hit, type HitContext, hitOf } from './hit.ts'
import { SearchedSession } from './searchedsession.ts'
import {
  holds,
  holdsOfSession,
  namesIn,
  piecesOf,
  type QueryNames,
  type SearchedEntry,
  type Words,
  wordsOf,
} from './terms.ts'

/** Options of a search. */
export interface SearchOptions {
  /** The maximum number of hits: 20 by default, Infinity for all. */
  readonly limit?: number
  /** Look in this session only: its id, its title, or a prefix of its id. */
  readonly session?: string
  /** Minutes that local time is ahead of UTC, for `since:` and `until:`. */
  readonly zone?: Zone
}

/** The result of a search. */
export interface Found {
  /** The best first. */
  readonly hits: readonly Hit[]
  /** Whether there is nothing else, or what else there may be was not looked at. */
  readonly complete: boolean
  /** For each session of the store the shortest beginning of its id, of 8 characters or more, that names it alone. */
  readonly short: ReadonlyMap<string, string>
}

const LIMIT = 20

/** The maximum number of groups that are read for better hits once there are enough. */
const ENOUGH_GROUPS = 48

/** The kinds of terms whose result for an entry does not depend on the session. */
const SAID: ReadonlySet<string> = new Set(['text', 'pattern', 'role', 'failed', 'tool'])

/** The number of hits whose texts are kept; those of more hits are read again. */
const KEPT = 80

/** The greatest size of the texts of a hit that are kept, in UTF-16 units. */
const MAX_KEPT = 1 << 20

const sizeOf = ({ parts }: SearchedEntry): number => parts.reduce((sum, { text }) => sum + text.length, 0)

interface RankedMatch {
  /** The entry; null where a session was found by its title. */
  readonly handle: EntryHandle | null
  /** Of hits that are equal otherwise the one with the higher order comes first. */
  readonly order: number
  readonly searched: SearchedSession
  readonly rank: Rank
  readonly entry: SearchedEntry | undefined
}

/**
 * Looks for what a query asks for (docs/search.md) in what every session reaches. The best hits come first: words in a
 * row before words near each other before words in one entry; of equals prompts, labels and titles before replies
 * before tools; of equals those of the session that was added to last, its newest first. Throws `bad-query`,
 * `no-session`, `ambiguous-revision`.
 */
export const search = (repo: Repo, text: string, options: SearchOptions = {}): Promise<Found> =>
  searching(repo, text, options, async (run, complete) => {
    const hits: Hit[] = []
    for (const match of run.best()) hits.push(await run.hitOf(match))
    return { hits, complete, short: run.shortIds() }
  })

/** Counts what a search finds, and the sessions that it is shown in. Throws as `search`. */
export const countHits = (
  repo: Repo,
  text: string,
  options: Omit<SearchOptions, 'limit'> = {},
): Promise<{ readonly hits: number; readonly sessions: number }> =>
  searching(repo, text, { ...options, limit: Number.POSITIVE_INFINITY }, (run) => {
    const matches = run.best()
    return { hits: matches.length, sessions: new Set(matches.map(({ searched }) => searched.id)).size }
  })

/** Runs a search, and returns the result that `make` derives from it. */
function searching<T>(
  repo: Repo,
  text: string,
  { limit = LIMIT, session, zone }: SearchOptions,
  make: (run: SearchRun, complete: boolean) => T | Promise<T>,
): Promise<T> {
  const { clauses } = parseQuery(text, repo.env.now(), zone)
  const query: Query =
    session === undefined
      ? { clauses }
      : { clauses: [...clauses, [{ kind: 'session', value: session, not: false }]] }
  return readAside(repo, async (reader) => {
    const run = new SearchRun(reader, query, await namesIn(reader, query, repo.env.cwd), limit)
    try {
      const complete = await run.search()
      return await make(run, complete && run.count <= limit)
    } finally {
      await run.close()
    }
  })
}

/** One search, and what it has found so far. */
class SearchRun {
  readonly #reader: Reader
  readonly #query: Query
  readonly #names: QueryNames
  readonly #limit: number
  readonly #words: readonly (readonly Words[])[]
  readonly #patterns: readonly (readonly Pattern[])[]
  readonly #sessions: SearchedSession[] = []
  readonly #matches: RankedMatch[] = []
  /** The number of hits of each rank. */
  readonly #ranks: number[] = []
  /** Rows that are hits, or are none whatever the session. */
  readonly #done = new Set<EntryHandle>()
  /** The groups that were read. */
  readonly #read = new Set<number>()
  readonly #outputs: Outputs
  #context: HitContext | undefined

  constructor(reader: Reader, query: Query, names: QueryNames, limit: number) {
    this.#reader = reader
    this.#outputs = new Outputs(reader)
    this.#query = query
    this.#names = names
    this.#limit = limit
    this.#words = wordsOf(query)
    this.#patterns = this.#words.map((ways) => ways.map(({ pattern }) => pattern))
  }

  /** How many hits there are so far. */
  get count(): number {
    return this.#matches.length
  }

  /** Looks until enough is found; returns whether all was looked at. */
  async search(): Promise<boolean> {
    const { index } = this.#reader
    for (const covered of await index.sessions())
      this.#sessions.push(new SearchedSession(this.#reader, covered))
    const stored = [...this.#sessions]
    const newest = ({ covered }: SearchedSession): number => covered.time ?? Number.NEGATIVE_INFINITY
    this.#sessions.sort((a, b) => newest(b) - newest(a) || (a.id < b.id ? -1 : 1))
    for (const searched of this.#sessions) await this.#searchNames(searched)
    const candidates = await index.lookup(this.#words.map((ways) => ways.map(piecesOf)))
    // Where everything is looked at, it is looked at in the order in which it was stored: each page is unpacked once.
    const every = this.#limit === Number.POSITIVE_INFINITY
    const inOrder = every ? stored : this.#sessions
    const ranked = !every && this.#words.length > 0
    const tiers = ranked ? [...PLACES.keys(), PLACES.length] : [PLACES.length]
    for (const tier of tiers)
      for (const searched of inOrder)
        if (!(await this.#searchSession(searched, candidates, tier))) return false
    return true
  }

  /** Looks at the title and the labels of a session. */
  async #searchNames(searched: SearchedSession): Promise<void> {
    const all = searched.covered.names.map(folded)
    const fits = ({ pattern }: Words): boolean => all.some((name) => pattern.test(name))
    if (all.length === 0 || !this.#words.flat().some(fits) || !(await this.#admits(searched))) return
    const session = await searched.session
    const title = session && !isSilentSession(session) ? session.meta.title : undefined
    if (title && this.#words.length === this.#query.clauses.length) {
      const part: MatchedPart = { place: 'title', text: title, folded: folded(title) }
      const found = this.#patterns.every((ways) => ways.some((way) => way.test(part.folded)))
      if (found)
        this.#add({
          handle: null,
          searched,
          rank: rankOf(this.#patterns, [part]),
          order: 0,
          entry: { role: null, parts: [part], toolOf: () => Promise.resolve(undefined) },
        })
    }
    for (const handle of await searched.labelled()) await this.#look(handle, searched, false)
  }

  /** Looks at the entries of a session that may be found in a tier; returns whether to go on. */
  async #searchSession(searched: SearchedSession, candidates: Candidates, tier: number): Promise<boolean> {
    let admitted: boolean | undefined
    for (const group of candidates.groups(searched.id)) {
      if ((group.places & (1 << tier)) === 0) continue
      admitted ??= await this.#admits(searched)
      if (!admitted) return true
      for await (const { handle, traits } of this.#undone(group)) {
        if (!isInTier(traits, tier)) continue
        await this.#look(handle, searched, true)
        if (this.#settled(tier)) return false
      }
      this.#read.add(group.id)
    }
    return !(this.count >= this.#limit && this.#read.size > ENOUGH_GROUPS)
  }

  /** Yields the entries of a group that are no hits yet, and may be some. */
  async *#undone(group: CandidateGroup): AsyncGenerator<Node> {
    for await (const handle of group.entries())
      if (!this.#done.has(handle)) yield await this.#reader.node(handle)
  }

  /** Whether as many hits as are wanted cannot be bettered in this tier or a later one. */
  #settled(tier: number): boolean {
    const best = rankAt(PLACES[Math.min(tier, PLACES.length - 1)] as MatchedPart['place'])
    return this.#ranks.reduce((sum, count, rank) => (rank <= best ? sum + count : sum), 0) >= this.#limit
  }

  #add(match: RankedMatch): void {
    this.#matches.push(match)
    this.#ranks[match.rank] = (this.#ranks[match.rank] ?? 0) + 1
  }

  /** Whether the query may hold of entries of a session at all. */
  async #admits(searched: SearchedSession): Promise<boolean> {
    for (const clause of this.#query.clauses) {
      let possible = false
      for (const term of clause) {
        const holdsHere = await holdsOfSession(term, searched, this.#names)
        possible ||= holdsHere === undefined || holdsHere !== term.not
      }
      if (!possible) return false
    }
    return true
  }

  /** Looks at an entry, and adds it to the hits where it is one. */
  async #look(handle: EntryHandle, searched: SearchedSession, final: boolean): Promise<void> {
    if (this.#done.has(handle)) return
    const entry = await entryAt(this.#reader, handle, searched, this.#outputs)
    for (const clause of this.#query.clauses) {
      let found = false
      for (const term of clause) found ||= (await holds(term, entry, searched, this.#names)) !== term.not
      if (found) continue
      // It does not match in other sessions either. Labels, which differ by session, were searched before.
      if (final && clause.every((term) => SAID.has(term.kind) && !term.not)) this.#done.add(handle)
      return
    }
    if (!(await searched.reaches(handle))) return
    this.#done.add(handle)
    const rank = this.#words.length === 0 ? 0 : rankOf(this.#patterns, entry.parts)
    const { order } = await this.#reader.node(handle)
    const isKept = this.count < KEPT && sizeOf(entry) <= MAX_KEPT
    this.#add({ handle, order, searched, rank, entry: isKept ? entry : undefined })
  }

  shortIds(): ReadonlyMap<string, string> {
    return shortIds(this.#sessions.map(({ id }) => id))
  }

  best(): RankedMatch[] {
    const order = new Map(this.#sessions.map((searched, i) => [searched, i]))
    const place = ({ searched }: RankedMatch): number => order.get(searched) as number
    return this.#matches
      .sort((a, b) => a.rank - b.rank || place(a) - place(b) || b.order - a.order)
      .slice(0, this.#limit)
  }

  async hitOf({ handle, searched, rank, entry }: RankedMatch): Promise<Hit> {
    this.#context ??= this.#newContext()
    const found = entry ?? (await entryAt(this.#reader, handle as EntryHandle, searched, this.#outputs))
    return hitOf({ handle, searched, rank, entry: found }, this.#context)
  }

  #newContext(): HitContext {
    const { clauses } = this.#query
    const shown = clauses.flat().flatMap((term) => ('pattern' in term && !term.not ? [term.pattern] : []))
    return { reader: this.#reader, sessions: this.#sessions, words: this.#patterns, shown }
  }

  async close(): Promise<void> {
    for (const searched of this.#sessions) await searched.close()
  }
}

/** Returns whether an entry may be found in a tier: prompts first, then replies, then the rest. */
function isInTier(traits: Traits, tier: number): boolean {
  const role = roleOf(traits)
  const place = role === 'user' ? 'prompt' : role === 'tool' ? 'tool' : 'reply'
  return tier >= PLACES.indexOf('tool') || PLACES.indexOf(place) === tier
}
