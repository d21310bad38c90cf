import { defined, type JsonObject, without } from '../model/json.ts'
import { type Forks, forksOf } from '../ops/forks.ts'
import {
  checkAgent,
  type ListedRow,
  type ListedSession,
  type ListField,
  type Listing,
  listSessions,
  ORDERS,
} from '../ops/list.ts'
import { type ListedPageRow, listPage } from '../ops/rows/listpage.ts'
import { flag, type InputOf, optional, several, withDefault } from './input.ts'
import type { VerbContext } from './open.ts'
import type { Page, PageOptions } from './page.ts'
import {
  arrayOf,
  boolean,
  described,
  integer,
  mapOf,
  nullable,
  object,
  type Schema,
  string,
} from './schema.ts'
import { agent, anyLabel, anyPair, choice, count, folder, text, time } from './values.ts'
import { list, type Output } from './verb.ts'
import { dollars, gitSchema, oidSchema, timestamp, tokenCounts } from './wire.ts'

const sessionSchema: Schema = object(
  {
    id: string,
    format: string,
    title: nullable(string),
    prompt: described('the first words of its user', nullable(string)),
    cwd: described('the folder that it worked in last, where its agent finds it', nullable(string)),
    folders: described('all folders that it worked in', arrayOf(string)),
    git: described('its last state in git, and all former ones', nullable(gitSchema)),
    pullRequests: arrayOf(string),
    entries: integer,
    records: integer,
    prompts: integer,
    calls: integer,
    tokens: nullable(tokenCounts),
    cost: nullable(dollars),
    costComputed: described('whether the cost is computed by list prices', boolean),
    reportedCost: described('the cost of the whole session as its agent reports it', nullable(dollars)),
    model: nullable(string),
    branches: described('its branches; of more than 1,024 only some', mapOf(oidSchema)),
    labels: mapOf(oidSchema),
    set: mapOf(string),
    head: described('a branch, or an oid when detached', nullable(string)),
    parent: described('the session that started it, as its agent names it', nullable(string)),
    continuedIn: described('the session in which it goes on, as its agent names it', nullable(string)),
    project: described('the repository that it worked in, else its folder', nullable(string)),
    live: described('whether it grew in the last 60 seconds', boolean),
    continues: described('a session that goes on in it', nullable(string)),
    agents: described('for each sub-agent, by its id, the entry that started it', mapOf(oidSchema)),
    created: nullable(timestamp),
    updated: nullable(timestamp),
    source: described('the path that it was imported from', nullable(string)),
    silent: described('whether nobody speaks in it', boolean),
  },
  {
    moreBranches: described('whether it has more branches than are named here', boolean),
    words: described('the start of what its user or the model said last; only in pages', nullable(string)),
    forks: described(
      'the entries of its straight path, and where some branches part from it; null without any; only in pages',
      nullable(
        object({
          length: integer,
          forks: arrayOf(object({ branch: string, shared: integer, own: integer })),
        }),
      ),
    ),
  },
)

/**
 * Returns a session as JSON: all but the sums by price. Copies have the
 * index signatures that JSON has and interfaces have not.
 */
export const sessionData = (one: ListedSession): JsonObject =>
  without({ ...one, tokens: one.tokens && { ...one.tokens } }, 'parts')

/** A session in a list. */
export const listedSession: Output<ListedRow> = { schema: sessionSchema, wire: sessionData }

const input = {
  cwd: optional(folder(), 'only sessions of this folder and its subfolders'),
  project: optional(text('name'), 'only sessions of a project: part of its path or of its repository'),
  agent: optional(agent(), 'only sessions of this agent: claude, codex, pi, …'),
  since: optional(time(), 'only sessions updated since: 12h, 3d, 2w, yesterday, 2026-04-01'),
  until: optional(time(), 'only sessions not updated since'),
  where: several(anyPair(), 'only sessions with a property: KEY=VALUE, KEY!=VALUE or KEY; may be repeated'),
  label: optional(anyLabel(), 'only sessions with this label'),
  sort: withDefault(choice(ORDERS, 'order'), 'updated', 'sort by this key, descending'),
  limit: optional(count(), 'show at most N sessions'),
  reverse: flag('reverse the order'),
}

export const ls = list({
  name: 'ls',
  summary: 'list the sessions',
  input,
  item: listedSession,
  cursor: ({ id }) => id,
  items: async function* (context, options) {
    yield* (await listing(context, options)).rows()
  },
  page: (context, { reverse, ...asked }, options) =>
    reverse ? undefined : sessionPage(context, asked, options),
})

/** A row of a page of the list. */
export interface SessionRow extends ListedPageRow {
  readonly forks: Forks | null
}

/** Returns a page of the same list, with the last words of each session and where its branches part. Throws as `listing`. */
export async function sessionPage(
  { repo, priceOf }: VerbContext,
  asked: Omit<InputOf<typeof input>, 'reverse' | 'limit'>,
  options: PageOptions,
): Promise<Page<SessionRow>> {
  const page = await listPage(repo, { ...asked, ...options, priceOf })
  if (page.items.length === 0 && asked.agent !== undefined) await checkAgent(asked.agent)
  const forks = await forksOf(repo, page.items)
  return { ...page, items: page.items.map((row, i) => ({ ...row, forks: forks[i] ?? null })) }
}

/** The cursors of a page, as they are typed. */
interface PlaceInput {
  readonly after?: string
  readonly before?: string
}

/**
 * Returns the same list by columns, for a table that shows some fields of many sessions. Throws `bad-usage` for an agent that
 * nobody knows.
 */
export async function listing<F extends ListField = ListField>(
  { repo, priceOf }: VerbContext,
  { after, before, ...options }: InputOf<typeof input> & PlaceInput,
  fields?: readonly F[],
): Promise<Listing<F>> {
  const place = defined({ after, before }) as Pick<PageOptions, 'after' | 'before'>
  const sessions = await listSessions(repo, { ...options, ...place, priceOf }, fields)
  // That none of its sessions is there is no news of an agent that does not exist.
  if (sessions.count === 0 && options.agent !== undefined) await checkAgent(options.agent)
  return sessions
}
