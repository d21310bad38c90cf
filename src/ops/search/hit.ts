import type { Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Pattern } from '../../model/pattern/pattern.ts'
import { textsOf } from '../../model/search/entrytext.ts'
import { MAX_SPANS, type MatchedPart, partsOf, type Rank, rankOf } from '../../model/search/ranking.ts'
import { type Snippet, snippetsOf } from '../../model/search/snippet.ts'
import { iso } from '../../model/time.ts'
import { type Role, roleOf } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { viewAt } from '../entries.ts'
import type { Outputs } from '../outputs.ts'
import type { SearchedSession } from './searchedsession.ts'
import type { MatchableEntry, SearchedEntry } from './terms.ts'

/** A matched piece of text, with its surroundings. */
export interface HitSnippet extends Snippet {
  readonly place: MatchedPart['place']
  /** The tool of a call or result; null if there is none or it is unknown. */
  readonly tool: string | null
}

/** An entry that was found, or a session. */
export interface Hit {
  /** Null where a session was found, by its title or its fields. */
  readonly oid: Oid | null
  readonly session: string
  readonly title: string | null
  /** The first words of its user. */
  readonly prompt: string | null
  /** The other sessions that share the entry. */
  readonly others: readonly string[]
  readonly role: Role | null
  /** When it was said in the session; of a session when it was last added to. */
  readonly time: string | null
  /** Lower is better: 3 times the rank of the words' proximity, plus the rank of the place. */
  readonly rank: Rank
  readonly snippets: readonly HitSnippet[]
}

/** The maximum number of snippets of an entry. */
const SNIPPETS = 2

/** The maximum distance of a call and its result: parallel calls are answered one after the other. */
const CALL_DISTANCE = 64

/** Returns an entry as it is held against a query, with the labels that it has in a session. */
export async function entryAt(
  reader: Reader,
  handle: EntryHandle,
  searched: SearchedSession,
  outputs: Outputs,
): Promise<MatchableEntry> {
  const { traits } = await reader.node(handle)
  const view = await viewAt(reader, handle)
  const texts = [...textsOf(view), ...(await outputs.texts(handle, view))]
  const parts = partsOf(texts, await searched.labelsOf(handle))
  return { handle, role: roleOf(traits), parts, toolOf: (part) => toolOf(reader, handle, part) }
}

/** Returns the tool of a part. A result that does not say it answers a call not far before it. */
async function toolOf(
  reader: Reader,
  handle: EntryHandle,
  { tool, call }: MatchedPart,
): Promise<string | undefined> {
  if (tool !== undefined || call === undefined) return tool
  let at: EntryHandle | undefined = handle
  for (let steps = 0; at !== undefined && steps < CALL_DISTANCE; steps++) {
    for (const block of (await viewAt(reader, at)).blocks)
      if (block.kind === 'toolCall' && block.id === call) return block.name
    at = (await reader.node(at)).parents[0]
  }
  return undefined
}

interface HitSource {
  /** The entry; null where a session was found. */
  readonly handle: EntryHandle | null
  readonly searched: SearchedSession
  readonly entry: SearchedEntry
  readonly rank: Rank
}

/** The data that all hits of a search need: the sessions that may share an entry, and the searched words. */
export interface HitContext {
  readonly reader: Reader
  readonly sessions: readonly SearchedSession[]
  /** All words, each in the ways in which it may be said. */
  readonly words: readonly (readonly Pattern[])[]
  /** The patterns that are highlighted. */
  readonly shown: readonly Pattern[]
}

/** Returns all that is shown of a hit. */
export async function hitOf({ handle, searched, rank, entry }: HitSource, telling: HitContext): Promise<Hit> {
  const meta = (await searched.session)?.meta
  return {
    oid: handle === null ? null : await telling.reader.oid(handle),
    session: searched.id,
    title: meta?.title ?? null,
    prompt: meta?.prompt ?? null,
    others: handle === null ? [] : await othersWith(handle, searched, telling),
    role: entry.role,
    time: iso(handle === null ? searched.updated : await searched.time(handle)),
    rank,
    snippets: await snippetsIn(entry, telling),
  }
}

async function othersWith(
  handle: EntryHandle,
  own: SearchedSession,
  { sessions }: HitContext,
): Promise<string[]> {
  const others: string[] = []
  for (const searched of sessions)
    if (searched !== own && searched.mayReach(handle) && (await searched.reaches(handle)))
      others.push(searched.id)
  return others
}

async function snippetsIn(entry: SearchedEntry, { words, shown }: HitContext): Promise<HitSnippet[]> {
  const ranked = entry.parts
    .map((part) => ({ part, spans: shown.flatMap((pattern) => pattern.spans(part.folded, MAX_SPANS)) }))
    .filter(({ part, spans }) => spans.length > 0 || (shown.length === 0 && part.text.trim() !== ''))
    .map(({ part, spans }) => ({ part, spans, rank: rankOf(words, [part]) }))
    .sort((a, b) => a.rank - b.rank)
  const snippets: HitSnippet[] = []
  for (const { part, spans } of ranked) {
    const tool = part.place === 'tool' ? ((await entry.toolOf(part)) ?? null) : null
    const found = spans.length > 0 ? spans : [{ from: 0, to: 0 }]
    // A result and its preview say some things twice.
    const isNew = ({ text }: Snippet): boolean => snippets.every((one) => one.text !== text)
    for (const snippet of snippetsOf(part.text, found, SNIPPETS - snippets.length))
      if (isNew(snippet)) snippets.push({ place: part.place, tool, ...snippet })
    if (snippets.length >= SNIPPETS) break
  }
  return snippets
}
