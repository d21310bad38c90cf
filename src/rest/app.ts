import type { IncomingMessage } from 'node:http'
import { type Context, Hono } from 'hono'
import { isOid } from '../model/encoding/oid.ts'
import type { JsonObject } from '../model/json.ts'
import { loadVerb } from '../verbs/index.ts'
import type { VerbContext } from '../verbs/open.ts'
import { answer, type RouteRequest, textOf } from './answer.ts'
import type { Asset } from './assets.ts'
import { eventStream } from './events.ts'
import { type Gate, refusalOf } from './guard.ts'
import { addStrictHeaders } from './headers.ts'
import { failed, refuse } from './problem.ts'
import { logRequest } from './requestlog.ts'
import { ROUTES, type Route } from './routes.ts'

/** A handler of another interface, mounted behind the rules of security. */
export interface Mount {
  /** The path below which it answers. */
  readonly path: string
  readonly handle: (request: Request) => Promise<Response>
}

export interface RestOptions {
  /** The context of every call, with the open store. */
  readonly context: VerbContext
  /** Whether verbs that write are performed. */
  readonly write: boolean
  readonly token: string
  /** The exact forms `host:port` by which the server is reached. */
  readonly hosts: readonly string[]
  readonly version: string
  readonly assets: ReadonlyMap<string, Asset>
  readonly mounts?: readonly Mount[]
  /** Ends streams. */
  readonly signal: AbortSignal
  /** Takes a line of JSON for each request. */
  readonly log?: ((line: string) => void) | undefined
}

type Bindings = { readonly Bindings: { readonly incoming?: IncomingMessage } }
type Call = Context<Bindings>

const API = '/api'

/** Returns the handlers of requests: the rules of security, the API, what is mounted, and the page. */
export function restApp(options: RestOptions): Hono<Bindings> {
  const { mounts = [] } = options
  const mounted = mounts.map(({ path }) => path)
  const gate: Gate = { ...options, guarded: [API, ...mounted], withoutOrigin: mounted }
  const app = new Hono<Bindings>()
  const { log } = options
  if (log) app.use((call, next) => logRequest(call, next, log))
  app.use(async (call, next) => {
    const refused = refusalOf(askedOf(call), gate)
    if (refused) call.res = refuse(refused)
    else await next()
    call.res = new Response(call.res.body, call.res)
    addStrictHeaders(call.res.headers)
  })
  app.get(API, (call) => call.json(aboutData(options)))
  for (const route of ROUTES)
    app.on(route.method, API + route.path, (call) => routeAnswer(options, route, call))
  app.get(`${API}/events`, (call) => events(options, call))
  for (const { path, handle } of mounts) {
    app.all(path, (call) => handle(call.req.raw))
    app.all(`${path}/*`, (call) => handle(call.req.raw))
  }
  app.get('*', (call) => asset(options.assets, call))
  app.notFound(() => NOT_FOUND())
  app.onError((error) => failed(error))
  return app
}

function askedOf({ req, env }: Call): Parameters<typeof refusalOf>[0] {
  return {
    method: req.method,
    path: req.path,
    hosts: hostsOf(env.incoming) ?? [req.header('host') ?? ''],
    header: (name) => req.header(name),
  }
}

/** Returns all values of the header, of which Node keeps the first one alone. */
function hostsOf(incoming: IncomingMessage | undefined): readonly string[] | undefined {
  return incoming?.rawHeaders.filter((_, i, all) => i % 2 === 1 && all[i - 1]?.toLowerCase() === 'host')
}

const aboutData = ({ version, write, context }: RestOptions): JsonObject => ({
  version,
  store: context.store,
  write,
  links: Object.fromEntries(
    ['sessions', 'search', 'ops', 'usage', 'store', 'events', 'openapi.json'].map((name) => [
      name,
      `${API}/${name}`,
    ]),
  ),
})

async function routeAnswer(options: RestOptions, route: Route, call: Call): Promise<Response> {
  const { write, context } = options
  const { signal } = call.req.raw
  try {
    const { effect } = await loadVerb(route.verb)
    if (effect !== 'read' && !write) return refuse(READ_ONLY)
    if (route.path.includes(':oid') && !isOid(call.req.param('oid') ?? '')) return NOT_FOUND()
    const command = `${route.method} ${call.req.path}`
    const own = { ...context, signal, repo: context.repo.call({ signal, command, actor: 'person' }), command }
    const answered = await answer(route, own, await requestOf(route, call))
    return new Response(textOf(answered), { headers: { 'content-type': 'application/json' } })
  } catch (error) {
    return failed(error)
  }
}

const NOT_FOUND = (): Response =>
  refuse({ status: 404, code: 'no-route', detail: 'there is nothing at this address' })

const READ_ONLY = {
  status: 403,
  code: 'read-only',
  detail: "this server only reads: start it with 'sess serve --write'",
} as const

async function requestOf(route: Route, call: Call): Promise<RouteRequest> {
  return {
    params: call.req.param(),
    query: new URL(call.req.url).searchParams,
    header: (name) => call.req.header(name),
    ...(route.method === 'POST' && { body: await call.req.text() }),
  }
}

function events({ context, signal }: RestOptions, call: Call): Response {
  const since = call.req.header('last-event-id') ?? call.req.query('since')
  const over = AbortSignal.any([signal, call.req.raw.signal])
  return new Response(eventStream(context, { since, signal: over }), {
    headers: { 'content-type': 'text/event-stream' },
  })
}

function asset(assets: ReadonlyMap<string, Asset>, call: Call): Response {
  const found = assets.get(call.req.path)
  if (!found) return NOT_FOUND()
  return new Response(found.bytes, { headers: { 'content-type': found.type } })
}
