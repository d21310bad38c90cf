import type { IncomingMessage } from 'node:http'
import { type Context, Hono } from 'hono'
import { jsonText } from '../model/json.ts'
import type { VerbContext } from '../verbs/open.ts'
import { passedOverText } from '../verbs/passed-over.ts'
import type { Asset } from './assets.ts'
import type { Endpoint } from './endpoint.ts'
import { type Gate, refusalOf } from './guard.ts'
import { addStrictHeaders } from './headers.ts'
import { failed, type Refusal, refuse } from './problem.ts'
import { logRequest } from './requestlog.ts'

/** A handler of another interface, mounted behind the rules of security. */
export interface Mount {
  /** The path at and below which it answers. */
  readonly path: string
  readonly handle: (request: Request) => Promise<Response>
}

export interface RestOptions {
  /** The context of every call, with the open store. */
  readonly context: VerbContext
  readonly endpoints: readonly Endpoint[]
  /** Whether verbs that write are performed. */
  readonly write: boolean
  readonly token: string
  /** The exact forms `host:port` by which the server is reached. */
  readonly hosts: readonly string[]
  readonly assets: ReadonlyMap<string, Asset>
  readonly mounts?: readonly Mount[]
  /** Takes a line of JSON for each request. */
  readonly log?: ((line: string) => void) | undefined
}

type Bindings = { readonly Bindings: { readonly incoming?: IncomingMessage } }
type Call = Context<Bindings>

const API = '/api'

/** The most bytes of a body. */
const MAX_BODY = 16 * 1024 * 1024

/** Returns the handlers of requests: the rules of security, the API, what is mounted, and the page. */
export function restApp(options: RestOptions): Hono<Bindings> {
  const { mounts = [], log, endpoints, assets } = options
  const mounted = mounts.map(({ path }) => path)
  const gate: Gate = { ...options, guarded: [API, ...mounted], withoutOrigin: mounted }
  const app = new Hono<Bindings>()
  if (log) app.use((call, next) => logRequest(call, next, log))
  app.use(async (call, next) => {
    const refused = refusalOf(askedOf(call), gate)
    if (refused) call.res = refuse(refused)
    else await next()
    addStrictHeaders(call.res.headers)
  })
  for (const endpoint of endpoints)
    app.on(endpoint.method, API + endpoint.path, (call) => answer(options, endpoint, call))
  for (const [path, methods] of methodsByPath(endpoints)) app.all(API + path, (call) => other(call, methods))
  for (const { path, handle } of mounts) {
    app.all(path, (call) => mountedAnswer(handle, call))
    app.all(`${path}/*`, (call) => mountedAnswer(handle, call))
  }
  app.all('*', (call) => asset(assets, call))
  app.onError((error) => failed(error))
  return app
}

/** Returns the answer of another interface, with headers that can be added to. */
async function mountedAnswer(handle: Mount['handle'], { req }: Call): Promise<Response> {
  const answered = await handle(req.raw)
  return new Response(answered.body, answered)
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

/** Performs what an endpoint is for. Its work ends when the client goes away. */
async function answer(options: RestOptions, endpoint: Endpoint, call: Call): Promise<Response> {
  const { write, context } = options
  const { req } = call
  const { signal } = req.raw
  if (endpoint.effect !== 'read' && !write) return refuse(READ_ONLY)
  try {
    const body = endpoint.method === 'POST' ? await bodyOf(req.raw) : ''
    if (body === undefined) return refuse(TOO_LARGE)
    const command = `${req.method} ${req.path}`
    const {
      status = 200,
      headers,
      json,
      bytes,
    } = await endpoint.answer({
      context: {
        ...context,
        signal,
        command,
        repo: context.repo.call({ signal, command, actor: endpoint.isByProgram ? 'program' : 'person' }),
      },
      params: req.param(),
      query: new URL(req.url).searchParams,
      body,
      header: (name) => req.header(name),
    })
    const warned = { ...(await damageHeader(context)), ...headers }
    if (bytes || json === undefined) return new Response(bytes ?? null, { status, headers: warned })
    return new Response(`${jsonText(json)}\n`, {
      status,
      headers: { 'content-type': 'application/json', ...warned },
    })
  } catch (error) {
    return failed(error, endpoint.isDash)
  }
}

/** Returns the header that tells of damage that the answer went on without: none for a sound store. */
async function damageHeader({ repo }: VerbContext): Promise<Readonly<Record<string, string>>> {
  const damage = await passedOverText(repo)
  return damage === undefined ? {} : { warning: `199 sess "${damage}: sess fsck --repair"` }
}

const READ_ONLY: Refusal = {
  status: 403,
  code: 'read-only',
  detail: 'this server only reads: it was started without the right to write',
}

const TOO_LARGE: Refusal = {
  status: 413,
  code: 'too-large',
  detail: `a body has at most ${MAX_BODY} bytes`,
}

/** Reads a body; undefined where it is too large. */
async function bodyOf(request: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > MAX_BODY) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function methodsByPath(endpoints: readonly Endpoint[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const { path, method } of endpoints) {
    const own = method === 'GET' ? ['GET', 'HEAD'] : [method]
    found.set(path, [...(found.get(path) ?? ['OPTIONS']), ...own])
  }
  return found
}

/** Answers a method that no endpoint of a path has. */
const other = ({ req }: Call, methods: readonly string[]): Response => {
  const headers = { allow: methods.toSorted().join(', ') }
  if (req.method === 'OPTIONS') return new Response(null, { status: 204, headers })
  return refuse({ status: 405, code: 'wrong-method', detail: `'${req.method}' is not taken here`, headers })
}

function asset(assets: ReadonlyMap<string, Asset>, call: Call): Response {
  const { path, method } = call.req
  const found = path.startsWith(`${API}/`) ? undefined : assets.get(path)
  // Browsers ask for it unasked, and report its absence on the console of the page.
  if (!found && path === '/favicon.ico') return new Response(null, { status: 204 })
  if (!found) return refuse({ status: 404, code: 'no-route', detail: 'there is nothing at this address' })
  if (method !== 'GET' && method !== 'HEAD') return other(call, ['GET', 'HEAD', 'OPTIONS'])
  return new Response(found.bytes, { headers: { 'content-type': found.type } })
}
