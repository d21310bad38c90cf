import { EntrySet } from '../../model/entryset.ts'
import type { EntryHandle, Node } from '../../model/node.ts'
import type { Pattern } from '../../model/pattern/pattern.ts'
import { PLACES } from '../../model/search/entrytext.ts'
import { parseQuery, type Query } from '../../model/search/query.ts'
import { type MatchedPart, placeWords, RANK_APART, rankOf } from '../../model/search/ranking.ts'
import type { CandidateGroup, Candidates, CoveredSession } from '../../model/search/searchindex.ts'
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
import { compareMatches, Matches, type Placed, type SearchPosition } from './matches.ts'
import { SearchedSession } from './searchedsession.ts'
import { type SessionTimes, sessionTimes } from './sessiontimes.ts'
import {
  holds,
  holdsOfSession,
  holdsOfTitled,
  isOfSessions,
  isTime,
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
  /** Whether there is nothing else. */
  readonly complete: boolean
  /** For each session of the store the shortest beginning of its id, of 8 characters or more, that names it alone. */
  readonly short: ReadonlyMap<string, string>
}

const LIMIT = 20

/** Better hits are looked for among this many of each kind: prompts, replies, tools, and words that are apart. */
const MAX_RANKED_PER_TIER = 256

/** The kinds of terms whose result for an entry does not depend on the session. */
const SAID: ReadonlySet<string> = new Set(['text', 'pattern', 'role', 'failed', 'tool'])

/** The number of hits whose texts are kept; those of more hits are read again. */
const KEPT = 80

/** The greatest size of the texts of a hit that are kept, in UTF-16 units. */
const MAX_KEPT = 1 << 20

/** The last tier: words that no text of an entry has together. */
const APART = PLACES.length

const sizeOf = ({ parts }: SearchedEntry): number => parts.reduce((sum, { text }) => sum + text.length, 0)

interface RankedMatch extends Placed {
  /** The entry; null where a session was found. */
  readonly handle: EntryHandle | null
  readonly searched: SearchedSession
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
  searching(repo, text, { ...options, limit: Number.POSITIVE_INFINITY, keeps: 'counts' }, (run) => ({
    hits: run.count,
    sessions: run.found.size,
  }))

/** A session in which something was found: its best hit, and how many there are. */
export interface FoundSession extends Hit {
  readonly hits: number
}

/** The sessions that a search finds hits in, that of the best hit first. */
export interface FoundSessions extends Omit<Found, 'hits'> {
  readonly sessions: readonly FoundSession[]
}

/** Returns the sessions that a search finds hits in, that of the best hit first. Throws as `search`. */
export const searchSessions = (
  repo: Repo,
  text: string,
  { limit = LIMIT, ...options }: SearchOptions = {},
): Promise<FoundSessions> =>
  searching(repo, text, { ...options, limit: Number.POSITIVE_INFINITY, keeps: 'best' }, async (run) => {
    const found = [...run.bySession.values()].sort((a, b) => compareMatches(a.best, b.best))
    const sessions: FoundSession[] = []
    for (const { best, hits } of found.slice(0, limit)) sessions.push({ ...(await run.hitOf(best)), hits })
    return { sessions, complete: found.length <= limit, short: run.shortIds() }
  })

/** The hits that a search keeps: all, the best one of each session, or none, only how many there are. */
type Keeps = 'hits' | 'best' | 'counts'

/** The hits of a session, of which only the best one is kept. */
interface SessionMatches {
  best: RankedMatch
  hits: number
}

/** Comes before all known times. */
const UNKNOWN = Number.NEGATIVE_INFINITY

/** The position before everything. */
const START: SearchPosition = { place: -1, order: 0 }

/** Runs a search, and returns the result that `make` derives from it. */
async function searching<T>(
  repo: Repo,
  text: string,
  { limit = LIMIT, session, zone, keeps = 'hits' }: SearchOptions & { readonly keeps?: Keeps },
  make: (run: SearchRun, complete: boolean) => T | Promise<T>,
): Promise<T> {
  const { clauses } = parseQuery(text, repo.env.now(), zone)
  const query: Query =
    session === undefined
      ? { clauses }
      : { clauses: [...clauses, [{ kind: 'session', value: session, not: false }]] }
  const times = await sessionTimes(repo)
  return readAside(repo, async (reader) => {
    const names = await namesIn(reader, query, repo.env.cwd)
    const run = new SearchRun(reader, query, names, limit, keeps)
    try {
      const complete = await run.search(times, isOfSessions({ clauses }))
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
  /** In the order in which they are looked through: the one that was added to last comes first. */
  #sessions: readonly SearchedSession[] = []
  readonly #places = new Map<SearchedSession, number>()
  readonly #matches: Matches<RankedMatch>
  /** Rows that are hits, or are none whatever the session. */
  readonly #done = new EntrySet()
  readonly #outputs: Outputs
  #context: HitContext | undefined
  readonly #keeps: Keeps
  /** The hits of each session, where only the best of each is kept. */
  readonly bySession = new Map<SearchedSession, SessionMatches>()
  /** The sessions with hits, where these are only counted. */
  readonly found = new Set<SearchedSession>()
  /** How many hits there are so far. */
  #count = 0

  constructor(reader: Reader, query: Query, names: QueryNames, limit: number, keeps: Keeps) {
    this.#keeps = keeps
    this.#reader = reader
    this.#outputs = new Outputs(reader)
    this.#query = query
    this.#names = names
    this.#limit = limit
    this.#matches = new Matches(Math.max(MAX_RANKED_PER_TIER, limit + 1))
    this.#words = wordsOf(query)
    this.#patterns = this.#words.map((ways) => ways.map(({ pattern }) => pattern))
  }

  /** Looks until enough is found; returns whether all was looked at. */
  async search(times: SessionTimes | undefined, sessionsOnly: boolean): Promise<boolean> {
    const { index } = this.#reader
    const covered = await index.sessions()
    const timeOf = ({ id, time }: CoveredSession): number => (times ? times.get(id) : time) ?? UNKNOWN
    this.#sessions = covered
      .filter(({ id }) => times?.has(id) ?? true)
      .sort((a, b) => timeOf(b) - timeOf(a) || (a.id < b.id ? -1 : 1))
      .map((one) => new SearchedSession(this.#reader, one, times ? (times.get(one.id) ?? null) : one.time))
    for (const [place, searched] of this.#sessions.entries()) this.#places.set(searched, place)
    for (const searched of this.#sessions) await this.#searchSession(searched, sessionsOnly)
    if (sessionsOnly) return true
    const candidates = await index.lookup(this.#words.map((ways) => ways.map(piecesOf)))
    const ranked = this.#limit !== Number.POSITIVE_INFINITY && this.#words.length > 0
    let isComplete = true
    for (const tier of ranked ? [...PLACES.keys(), APART] : [APART]) {
      const end = await this.#searchTier(tier, candidates)
      if (end === 'settled') return false
      if (end === 'full') isComplete = false
      this.#matches.end(tier)
    }
    return isComplete
  }

  /** Looks at what a session is called, and at its labels. */
  async #searchSession(searched: SearchedSession, sessionsOnly: boolean): Promise<void> {
    const all = searched.covered.names.map(folded)
    const fits = ({ pattern }: Words): boolean => all.some((name) => pattern.test(name))
    if (!sessionsOnly && !this.#words.flat().some(fits)) return
    if (!(await this.#admits(searched))) return
    await this.#lookAtSession(searched, sessionsOnly)
    if (!sessionsOnly)
      for (const handle of await searched.labelled()) await this.#look(handle, searched, false)
  }

  /** Adds a session to the hits if all of the query holds of the session itself: words of its title. */
  async #lookAtSession(searched: SearchedSession, sessionsOnly: boolean): Promise<void> {
    const session = await searched.session
    if (!session || isSilentSession(session)) return
    const { title } = session.meta
    const parts: MatchedPart[] =
      title === null || title === '' ? [] : [{ place: 'title', text: title, folded: folded(title) }]
    for (const clause of this.#query.clauses) {
      let found = false
      for (const term of clause)
        if (sessionsOnly || !isTime(term)) found ||= await holdsOfTitled(term, searched, parts, this.#names)
      if (!found) return
    }
    if (this.#keeps === 'counts') return this.#countIn(searched)
    this.#add({
      handle: null,
      searched,
      rank: this.#words.length === 0 ? 0 : rankOf(this.#patterns, parts),
      tier: 0,
      // Before the entries of its session.
      order: Number.POSITIVE_INFINITY,
      entry: { role: null, parts, toolOf: () => Promise.resolve(undefined) },
    })
  }

  /** Looks at the entries that may be found in a tier; returns why it ended: all better or all kept hits are found. */
  async #searchTier(tier: number, candidates: Candidates): Promise<'settled' | 'full' | undefined> {
    if (this.#endAt(tier, START) === 'settled') return 'settled'
    for (const searched of this.#sessions) {
      let admitted: boolean | undefined
      for (const group of candidates.groups(searched.id)) {
        if ((group.places & (1 << tier)) === 0) continue
        admitted ??= await this.#admits(searched)
        if (!admitted) break
        const order = await this.#searchGroup(group, searched, tier)
        const end =
          order === undefined
            ? undefined
            : this.#endAt(tier, { place: this.#places.get(searched) as number, order })
        if (end !== undefined) return end
      }
    }
    return undefined
  }

  /** Looks at the entries of a group; returns the order of the last one, undefined where it has none. */
  async #searchGroup(
    group: CandidateGroup,
    searched: SearchedSession,
    tier: number,
  ): Promise<number | undefined> {
    let last: Node | undefined
    for await (const handle of group.entries()) {
      last = await this.#reader.node(handle)
      if (!this.#done.has(handle) && isInTier(last.traits, tier)) await this.#look(handle, searched, true)
    }
    return last?.order
  }

  /** Returns why a search may end at a position in a tier. One hit more than is wanted shows that there are more. */
  #endAt(tier: number, position: SearchPosition): 'settled' | 'full' | undefined {
    if (this.count <= this.#limit) return undefined
    const rank = this.#words.length === 0 ? 0 : tier === APART ? RANK_APART : tier
    if (this.#matches.settled(rank, position) > this.#limit) return 'settled'
    return this.#matches.isFull(tier, position) ? 'full' : undefined
  }

  #add(found: Omit<RankedMatch, 'place'>): void {
    const { searched } = found
    const match = { ...found, place: this.#places.get(searched) as number }
    if (this.#keeps === 'hits') return this.#matches.add(match)
    this.#count++
    const known = this.bySession.get(searched)
    if (!known) this.bySession.set(searched, { best: match, hits: 1 })
    else {
      known.hits++
      if (compareMatches(match, known.best) < 0) known.best = match
    }
  }

  /** Counts a hit, which takes no place in an order. */
  #countIn(searched: SearchedSession): void {
    this.#count++
    this.found.add(searched)
  }

  /** How many hits there are so far. */
  get count(): number {
    return this.#keeps === 'hits' ? this.#matches.count : this.#count
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
    if (this.#keeps === 'counts') return this.#countIn(searched)
    const { rank, place: tier } =
      this.#words.length === 0 ? { rank: 0, place: APART } : placeWords(this.#patterns, entry.parts)
    const { order } = await this.#reader.node(handle)
    const isKept = this.count < KEPT && sizeOf(entry) <= MAX_KEPT
    this.#add({ handle, order, searched, rank, tier, entry: isKept ? entry : undefined })
  }

  shortIds(): ReadonlyMap<string, string> {
    return shortIds(this.#sessions.map(({ id }) => id))
  }

  best(): RankedMatch[] {
    return this.#matches.best(this.#limit)
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

/** Returns whether an entry may be found in a tier: prompts first, then replies too, then all. */
function isInTier(traits: Traits, tier: number): boolean {
  const role = roleOf(traits)
  return PLACES.indexOf(role === 'user' ? 'prompt' : role === 'tool' ? 'tool' : 'reply') <= tier
}
