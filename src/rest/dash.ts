import { isOid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { asString, field, items, type Json, type JsonObject } from '../model/json.ts'
import { part, swarmRef } from '../model/refname.ts'
import { loadVerb, type VerbName } from '../verbs/index.ts'
import { readInput } from '../verbs/readinput.ts'
import {
  anything,
  arrayOf,
  atLeastZero,
  boolean,
  described,
  integer,
  nullable,
  number,
  object,
  oneOf,
  type Schema,
  string,
} from '../verbs/schema.ts'
import { perform } from '../verbs/verb.ts'
import { type Answer, type Endpoint, type EndpointRequest, JSON_TYPE, type Parameter } from './endpoint.ts'
import { objectIn } from './verbendpoint.ts'

/* The routes of Dash, under its paths and with its bodies. */

interface DashRoute extends Pick<Endpoint, 'method' | 'path' | 'id' | 'summary' | 'answer'> {
  readonly effect?: Endpoint['effect']
  readonly query?: readonly Parameter[]
  readonly body?: Schema
  readonly schema: Schema
}

const endpoint = ({ effect = 'read', query = [], body, schema, ...route }: DashRoute): Endpoint => ({
  ...route,
  effect,
  isDash: true,
  detail: () => Promise.resolve({ query, type: JSON_TYPE, schema, ...(body && { body }) }),
})

/** Performs a verb with an input as JSON. Returns its result as it is sent, and its operation. */
async function call(
  { context, header }: EndpointRequest,
  name: VerbName,
  asked: JsonObject,
): Promise<{ readonly sent: Json; readonly operation: number | null }> {
  const verb = await loadVerb(name)
  const key = verb.effect === 'read' ? undefined : header('idempotency-key')
  const { input, terms } = readInput(verb, { ...asked, ...(key !== undefined && { key }) }, context.where)
  const { result, operation } = await perform(verb, context, input, terms)
  return { sent: result === null ? null : (verb.output.wire(result) as Json), operation }
}

/** The bodies of Dash have no place for the operation. */
const written = (json: Json, operation: number | null): Answer => ({
  json,
  ...(operation !== null && { headers: { 'sess-operation': `${operation}` } }),
})

const id = ({ params }: EndpointRequest): string => params.id as string

const query = (name: string, about: string, schema: Schema = string): Parameter => ({
  name,
  about,
  schema,
  required: false,
  list: false,
})

const TREE_QUERY: readonly Parameter[] = [
  query('root', 'only this entry and what continues it'),
  query('depth', 'so many levels below the root at most', integer),
  query('cursor', 'only what follows this entry; the header Link has the address of the next part'),
  query('limit', 'at most so many entries, 100 by default', integer),
]

const treeSchema = arrayOf(
  object(
    {
      id: string,
      type: string,
      parentId: nullable(string),
      timestamp: nullable(string),
      depth: integer,
      hasChildren: boolean,
      metadata: anything,
    },
    { label: string, branchName: string },
  ),
)

/** The most entries of a part of a tree. */
const MAX_NODES = 1000

/** Answers with a part of a tree, and in `Link` with the address of the next one. */
async function treeOf(request: EndpointRequest, session: string, path: string): Promise<Answer> {
  const asked: { [name: string]: string } = { session }
  for (const { name } of TREE_QUERY) {
    const value = request.query.get(name)
    if (value !== null) asked[name] = value
  }
  if (Number(asked.limit ?? 0) > MAX_NODES)
    throw new SessError('bad-usage', `'limit' is at most ${MAX_NODES}`)
  for (const name of ['root', 'cursor'])
    if (asked[name] !== undefined && !isOid(asked[name])) throw new SessError('no-entry', asked[name])
  const { sent } = await call(request, 'tree-nodes', asked)
  const next = asString(field(sent, 'next'))
  const more = new URLSearchParams(request.query)
  if (next !== undefined) more.set('cursor', next)
  const link = next === undefined ? {} : { headers: { link: `<${path}?${more.toString()}>; rel="next"` } }
  return { json: field(sent, 'nodes') as Json, ...link }
}

const branchSchema = object({
  id: string,
  name: string,
  description: nullable(string),
  leafEntryId: nullable(string),
  entryCount: integer,
  session: string,
})

async function branchesOf(request: EndpointRequest): Promise<Json> {
  const { sent } = await call(request, 'swarm', { swarm: id(request) })
  const branches = items(field(sent, 'branches')) as readonly JsonObject[]
  return {
    branches: branches.map(({ name, about, oid, entries, session }) => ({
      id: name as Json,
      name: name as Json,
      description: about as Json,
      leafEntryId: oid as Json,
      entryCount: entries as Json,
      session: session as Json,
    })),
    currentBranch: branches.find(({ current }) => current === true)?.name ?? null,
  }
}

const comparisonSchema = object(
  {
    branches: arrayOf(
      object({
        branchId: string,
        name: string,
        entryCount: integer,
        totalCost: atLeastZero,
        totalTokens: integer,
        lastActivity: nullable(string),
      }),
    ),
    differences: arrayOf(
      object({
        metric: oneOf('cost', 'tokens'),
        branchA: string,
        branchB: string,
        diff: number,
        percentDiff: number,
      }),
    ),
  },
  { winner: described('the branch of the lowest cost; absent where no cost is known', string) },
)

/** Returns a comparison of `compare` in the form of Dash, in which what is not known is 0. */
function comparisonOf(sent: Json): Json {
  const metrics = new Set<Json>(['cost', 'tokens'])
  const winner = asString(field(sent, 'winner'))
  return {
    branches: (items(field(sent, 'sides')) as readonly JsonObject[]).map((side) => ({
      branchId: side.revision as Json,
      name: side.revision as Json,
      entryCount: side.entries as Json,
      totalCost: side.cost ?? 0,
      totalTokens: field(side.tokens, 'total') ?? 0,
      lastActivity: side.lastActivity as Json,
    })),
    ...(winner !== undefined && { winner }),
    differences: (items(field(sent, 'differences')) as readonly JsonObject[])
      .filter(({ metric }) => metrics.has(metric as Json))
      .map(({ metric, a, b, diff, percent }) => ({
        metric: metric as Json,
        branchA: a as Json,
        branchB: b as Json,
        diff: diff ?? 0,
        percentDiff: percent ?? 0,
      })),
  }
}

const eventSchema = object({
  id: integer,
  type: described('the command that did it', string),
  timestamp: nullable(string),
  who: string,
  actor: oneOf('person', 'program'),
})

/** Returns the newest operations that moved something of a swarm or of its sessions. */
async function eventsOf(request: EndpointRequest): Promise<Json> {
  const { sent } = await call(request, 'swarm', { swarm: id(request) })
  const sessions = items(field(sent, 'branches')).map((one) => field(one, 'session') as string)
  const refs = new Set([field(sent, 'session') as string, ...sessions].map((one) => `sessions/${part(one)}`))
  const limit = request.query.get('limit') ?? '100'
  if (Number(limit) > MAX_NODES) throw new SessError('bad-usage', `'limit' is at most ${MAX_NODES}`)
  const asked = { limit, refs: [swarmRef(id(request)), ...refs] }
  const { sent: page } = await call(request, 'op-log', asked)
  return {
    events: (items(field(page, 'items')) as readonly JsonObject[]).map(
      ({ number: operation, command, time, who, actor }) => ({
        id: operation as Json,
        type: command as Json,
        timestamp: time as Json,
        who: who as Json,
        actor: actor as Json,
      }),
    ),
  }
}

/** Returns a text of a body. Throws `bad-usage` where it has none. */
function textIn(body: JsonObject, name: string): string {
  const value = asString(body[name])
  if (value === undefined || value === '') throw new SessError('bad-usage', `'${name}' is missing`)
  return value
}

/** The endpoints with Dash's bodies. */
export const DASH_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/swarms/:id/events',
    id: 'events-of-swarm',
    summary: 'list what was done in a swarm and its sessions, the newest first',
    query: [query('limit', 'at most so many, 100 by default', integer)],
    schema: object({ events: arrayOf(eventSchema) }),
    answer: async (request) => ({ json: await eventsOf(request) }),
  }),
  endpoint({
    method: 'GET',
    path: '/sessions/:id/tree',
    id: 'tree-of-session',
    summary: 'list the entries of the tree of a session in pre-order',
    query: TREE_QUERY,
    schema: treeSchema,
    answer: (request) =>
      treeOf(request, id(request), `/api/sessions/${encodeURIComponent(id(request))}/tree`),
  }),
  endpoint({
    method: 'GET',
    path: '/swarms/:id/tree',
    id: 'tree-of-swarm',
    summary: 'list the entries of the tree of the session of a swarm, or of another session of it',
    query: [...TREE_QUERY, query('session', 'another session of the swarm')],
    schema: treeSchema,
    answer: async (request) => {
      const { sent } = await call(request, 'swarm', { swarm: id(request) })
      const own = [
        field(sent, 'session'),
        ...items(field(sent, 'branches')).map((one) => field(one, 'session')),
      ]
      const session = request.query.get('session') ?? (own[0] as string)
      if (!own.includes(session)) throw new SessError('no-session', session)
      return treeOf(request, session, `/api/swarms/${encodeURIComponent(id(request))}/tree`)
    },
  }),
  endpoint({
    method: 'GET',
    path: '/swarms/:id/branches',
    id: 'branches-of-swarm',
    summary: 'list the branches of a swarm',
    schema: object({ branches: arrayOf(branchSchema), currentBranch: nullable(string) }),
    answer: async (request) => ({ json: await branchesOf(request) }),
  }),
  endpoint({
    method: 'POST',
    path: '/swarms/:id/branches',
    id: 'branch-of-swarm',
    summary: 'make a branch in the session of a swarm',
    effect: 'write',
    body: object({ name: string }, { description: string, fromEntryId: string }),
    schema: object({ entryId: nullable(string), name: string, description: nullable(string) }),
    answer: async (request) => {
      const body = objectIn(request.body)
      const name = textIn(body, 'name')
      const { description = null, fromEntryId = null } = body
      const { sent, operation } = await call(request, 'swarm-branch', {
        swarm: id(request),
        name,
        about: description,
        start: fromEntryId,
      })
      return written({ entryId: field(sent, 'oid') ?? null, name, description }, operation)
    },
  }),
  endpoint({
    method: 'POST',
    path: '/swarms/:id/switch-branch',
    id: 'switch-of-swarm',
    summary: 'make a branch of a swarm current',
    effect: 'write',
    body: object({ branchName: string }),
    schema: object({ success: boolean, currentBranch: string }),
    answer: async (request) => {
      const name = textIn(objectIn(request.body), 'branchName')
      const { operation } = await call(request, 'swarm-switch', { swarm: id(request), name })
      return written({ success: true, currentBranch: name }, operation)
    },
  }),
  endpoint({
    method: 'POST',
    path: '/swarms/:id/compare',
    id: 'compare-of-swarm',
    summary: 'compare branches of a swarm',
    body: object({ branchIds: { ...arrayOf(string), minItems: 2 } }),
    schema: comparisonSchema,
    answer: async (request) => {
      const { branchIds = null } = objectIn(request.body)
      if (items(branchIds).length < 2)
        throw new SessError('bad-usage', "'branchIds' names two branches or more")
      const { sent } = await call(request, 'swarm-compare', { swarm: id(request), name: branchIds })
      return { json: comparisonOf(sent) }
    },
  }),
]
