import { hasCode } from '../../model/errors.ts'
import { defined, type JsonObject } from '../../model/json.ts'
import { flag, optional, required, withDefault } from '../../verbs/input.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { revParse } from '../../verbs/rev-parse.ts'
import { arrayOf, described, integer, nullable, object, oneOf, string } from '../../verbs/schema.ts'
import { search as searchVerb } from '../../verbs/search.ts'
import type { HitSnippet } from '../../verbs/types.ts'
import { choice, count, session, text } from '../../verbs/values.ts'
import { perform, type ResultOf } from '../../verbs/verb.ts'
import { wordOf } from '../answer.ts'
import { CITED, cited } from '../cited.ts'
import { type Attempt, attemptsFor, fieldText } from '../query.ts'
import { lineOrNull, Quoted } from '../quoted.ts'
import { FACTS, factsOf } from '../sessionfacts.ts'
import { type Answer, atMost, cursorInput, type Item, readTool, type ToolCall } from '../tool.ts'

type Hit = ResultOf<typeof searchVerb>['items'][number]

/** So many hits of one session are shown, unless it is the only one that is searched. */
const MAX_OF_SESSION = 3

/** The size of a snippet, in UTF-16 units. */
const SNIPPET = 400

const input = {
  query: required(text('query'), 'words that were said; also "exact phrases", -word, A OR B, re:regex'),
  since: optional(text('time'), 'only since: 12h, 7d, 2w, yesterday, 2026-04-01'),
  until: optional(text('time'), 'only before'),
  project: optional(text('name'), 'part of the path of its folder, or of its repository'),
  agent: optional(text('agent'), 'claude, codex, pi, gemini, …'),
  role: optional(choice(['user', 'assistant', 'tool'], 'role'), 'who said it'),
  tool: optional(text('name'), 'only calls and results of this tool, such as Bash'),
  failed: flag('only failed tool calls'),
  session: optional(session(), 'only this session'),
  asking: flag('search the session that asks too'),
  limit: withDefault(count(), 8, 'how many hits, at most 50'),
  cursor: cursorInput,
}

const snippet = object({
  place: oneOf('title', 'label', 'prompt', 'reply', 'tool'),
  tool: nullable(string),
  text: string,
})

export const search = readTool({
  name: 'search',
  title: 'Search earlier sessions',
  description: `Find what was said and done in earlier sessions of every agent on this machine: decisions, fixes, errors, commands. Call it first when asked about former work ("how did we fix X", "what did I decide about Y").
Use the few words that must have been said, not a sentence: "flaky login test". Words match in any case and inside longer words; if no entry has all of them, those with most are returned, which "matching" says. Narrow by since, project, agent, role, tool.
Each hit cites session, oid and time. Then call show with an oid: it returns the entry whole, with what came before and after.`,
  input,
  about: {
    query: described('as it was searched', string),
    matching: described('how many of the words each hit has', oneOf('all', 'most', 'any')),
    excluded: described('the session that asks, which was left out', nullable(string)),
  },
  item: object({
    ...CITED,
    role: nullable(string),
    ...FACTS,
    snippets: arrayOf(snippet),
    others: described('how many other sessions share the entry', integer),
  }),
  run: async (call, { query, limit, cursor, asking, ...filters }) => {
    const own = asking || filters.session !== undefined ? null : await call.asking()
    const [form, from] = cursorParts(cursor)
    const attempts = attemptsFor(query)
    const rest = [...filtersText(filters), ...(own === null ? [] : [`-${fieldText('session', own)}`])]
    const most = atMost(limit, 50)
    for (const [i, attempt] of attempts.entries()) {
      if (i < form) continue
      const found = await foundBy(call.context, attempt, rest, {
        limit: filters.session === undefined ? most * MAX_OF_SESSION : most,
        ...defined({ after: from }),
      })
      if (found.items.length === 0 && i < attempts.length - 1) continue
      const about = {
        query: new Quoted(attempt.queries.join(' | '), { limit: 400 }),
        matching: attempt.matching,
        excluded: own,
      }
      return answered(call, found, { about, form: i, most, isOne: filters.session !== undefined })
    }
    return { items: [] }
  },
})

interface Found {
  readonly items: readonly Hit[]
  /** Undefined where the list has no pages. */
  readonly next: string | null | undefined
}

/** Returns the hits of an attempt. Of one with several queries the best are in the most of their lists. */
async function foundBy(
  context: VerbContext,
  { queries }: Attempt,
  rest: readonly string[],
  page: { readonly limit: number; readonly after?: string },
): Promise<Found> {
  const lists: (readonly Hit[])[] = []
  for (const query of queries) {
    const { result } = await perform(searchVerb, context, { query: [[query, ...rest].join(' ')], ...page })
    if (queries.length === 1) return result ?? { items: [], next: null }
    lists.push(result?.items ?? [])
  }
  const times = new Map<string, { readonly hit: Hit; times: number }>()
  for (const hit of lists.flat()) {
    const key = JSON.stringify([hit.session, hit.oid])
    const known = times.get(key)
    if (known) known.times++
    else times.set(key, { hit, times: 1 })
  }
  const items = [...times.values()].sort((a, b) => b.times - a.times || a.hit.rank - b.hit.rank)
  return { items: items.map(({ hit }) => hit), next: undefined }
}

async function answered(
  { context }: ToolCall,
  found: Found,
  how: { readonly about: object; readonly form: number; readonly most: number; readonly isOne: boolean },
): Promise<Answer> {
  const facts = await factsOf(context)
  const shown = new Map<string, number>()
  const more = new Map<string, number>()
  const items: Item[] = []
  let last: string | undefined
  for (const hit of found.items) {
    if (items.length >= how.most) break
    last = hit.cursor
    const times = shown.get(hit.session) ?? 0
    shown.set(hit.session, times + 1)
    if (!how.isOne && times >= MAX_OF_SESSION) more.set(hit.session, (more.get(hit.session) ?? 0) + 1)
    else
      items.push({
        data: await hitData(context, hit, facts),
        ...(found.next !== undefined && { cursor: cursorOf(how.form, last) }),
      })
  }
  const isMore = found.next !== null || last !== found.items.at(-1)?.cursor
  const left = [...more]
    .map(([id, hits]) => `${hits} more in session ${wordOf(id)}: search there with session.`)
    .slice(0, 5)
  return {
    about: how.about,
    items,
    next: found.next !== undefined && isMore && last !== undefined ? cursorOf(how.form, last) : null,
    ...(left.length > 0 && { left: left.join(' ') }),
  }
}

const hitData = async (
  context: VerbContext,
  hit: Hit,
  facts: Awaited<ReturnType<typeof factsOf>>,
): Promise<object> => ({
  ...cited({ session: hit.session, oid: hit.oid ?? (await tipOf(context, hit.session)), time: hit.time }),
  role: hit.role,
  ...facts(hit.session),
  snippets: hit.snippets.map(snippetData),
  others: hit.others.length,
})

/** Returns the current entry of a session that was found by its title; null where it has none. */
async function tipOf(context: VerbContext, owner: string): Promise<string | null> {
  try {
    const { result } = await perform(revParse, context, { revision: [owner], short: false })
    return result?.[0]?.oid ?? null
  } catch (error) {
    if (hasCode(error, 'empty-session', 'before-first', 'no-revision')) return null
    throw error
  }
}

const snippetData = ({ place, tool, text: said }: HitSnippet): object => ({
  place,
  tool: lineOrNull(tool, 60),
  text: new Quoted(said, { limit: SNIPPET }),
})

const cursorOf = (form: number, cursor: string): string => `${form}.${cursor}`

function cursorParts(cursor: string | undefined): readonly [form: number, from: string | undefined] {
  const [, form = '0', from] = /^(\d)\.(.+)$/.exec(cursor ?? '') ?? []
  return [Number(form), cursor === undefined ? undefined : (from ?? cursor)]
}

/** Returns the filters as fields of the query. */
function filtersText({ failed, ...named }: JsonObject): string[] {
  const fields = Object.entries(named).flatMap(([field, value]) =>
    typeof value === 'string' && value !== '' ? [fieldText(field, value)] : [],
  )
  return failed === true ? [...fields, 'is:failed'] : fields
}
