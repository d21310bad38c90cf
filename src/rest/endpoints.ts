import { hasCode, SessError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { exported } from '../verbs/export.ts'
import { loadVerb } from '../verbs/index.ts'
import { readInput } from '../verbs/readinput.ts'
import { anything, boolean, mapOf, object, string } from '../verbs/schema.ts'
import type { Verb } from '../verbs/verb.ts'
import { DASH_ENDPOINTS } from './dash.ts'
import { type Endpoint, type EndpointDetail, JSON_TYPE } from './endpoint.ts'
import { eventStream } from './events.ts'
import { openApi } from './openapi.ts'
import { jsonOfQuery } from './query.ts'
import { ROUTES } from './routes.ts'
import { parametersOf, verbEndpoint } from './verbendpoint.ts'

/** The facts about the server that endpoints need. */
export interface ServerFacts {
  readonly version: string
  readonly store: string
  readonly write: boolean
  /** Aborts when the server ends. */
  readonly signal: AbortSignal
}

/** Returns all endpoints of the API. */
export async function endpointsOf(facts: ServerFacts): Promise<readonly Endpoint[]> {
  const verbs = await Promise.all(
    ROUTES.map(async (route) => verbEndpoint(route, await loadVerb(route.verb))),
  )
  const ofExport = exportEndpoint(await loadVerb('export'))
  const all: Endpoint[] = [
    about(facts),
    description(facts, () => all),
    ...verbs,
    ofExport,
    events(facts),
    ...DASH_ENDPOINTS,
  ]
  return all
}

const own = (
  path: string,
  id: string,
  summary: string,
): Pick<Endpoint, 'method' | 'path' | 'id' | 'summary' | 'effect'> => ({
  method: 'GET',
  path,
  id,
  summary,
  effect: 'read',
})

const returns =
  (detail: Omit<EndpointDetail, 'query'>): (() => Promise<EndpointDetail>) =>
  () =>
    Promise.resolve({ query: [], ...detail })

const LINKS = ['sessions', 'search', 'ops', 'usage', 'store', 'events', 'openapi.json']

const about = ({ version, store, write }: ServerFacts): Endpoint => ({
  ...own('', 'about', 'describe this server'),
  detail: returns({
    type: JSON_TYPE,
    schema: object({ version: string, store: string, write: boolean, links: mapOf(string) }),
  }),
  answer: () => {
    const links = Object.fromEntries(LINKS.map((name) => [name, `/api/${name}`]))
    return Promise.resolve({ json: { version, store, write, links } })
  },
})

const description = ({ version }: ServerFacts, endpoints: () => readonly Endpoint[]): Endpoint => {
  let made: Promise<JsonObject> | undefined
  return {
    ...own('/openapi.json', 'openapi', 'describe this API, as OpenAPI'),
    detail: returns({ type: JSON_TYPE, schema: mapOf(anything) }),
    answer: async () => ({ json: await (made ??= openApi(endpoints(), version)) }),
  }
}

/** Bytes of a session may be a page with anything in it: a browser saves them, and shows nothing. */
const SAVED = { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' }

const exportEndpoint = (declared: Verb): Endpoint => ({
  ...own('/sessions/:id/export', 'export', declared.summary),
  detail: () =>
    Promise.resolve({
      query: parametersOf(declared.input, ['session']),
      type: SAVED['content-type'],
    }),
  answer: async ({ context, params, query }) => {
    const asked = { ...jsonOfQuery(declared.input, query), session: params.id as string }
    const { input } = readInput(declared, asked, context.where)
    const chunks = exported(context, input as Parameters<typeof exported>[1], () => undefined)
    return { bytes: await streamOf(chunks), headers: SAVED }
  },
})

/** Returns bytes as a stream, which reads no faster than it is read. What fails before the first byte is thrown. */
async function streamOf(chunks: AsyncGenerator<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const next = async (): Promise<Uint8Array | undefined> => {
    const chunk: IteratorResult<Uint8Array, unknown> = await chunks.next()
    return chunk.done === true ? undefined : chunk.value
  }
  let ahead: Uint8Array | undefined = await next()
  return new ReadableStream({
    pull: async (controller) => {
      if (ahead === undefined) controller.close()
      else {
        controller.enqueue(ahead)
        ahead = await next().catch((error: unknown) => {
          // Its reader is gone: nobody is told, and least of all standard error.
          if (hasCode(error, 'stopped')) return undefined
          throw error
        })
      }
    },
    cancel: async () => {
      await chunks.return(undefined)
    },
  })
}

/** The most streams of events at once. */
const MAX_STREAMS = 100

const events = ({ signal }: ServerFacts): Endpoint => {
  let open = 0
  return {
    ...own('/events', 'events', 'follow what moves in the store, as server-sent events'),
    detail: () =>
      Promise.resolve({
        query: [
          {
            name: 'since',
            about: 'begin after the event with this id; the header Last-Event-ID says the same',
            schema: string,
            required: false,
            list: false,
          },
          {
            name: 'swarm',
            about: 'tell only of what moves in this swarm and its sessions',
            schema: string,
            required: false,
            list: false,
          },
        ],
        type: EVENTS_TYPE,
      }),
    answer: ({ context, query, header }) => {
      if (open >= MAX_STREAMS)
        throw new SessError('busy', context.store, { detail: 'too many readers of events' })
      open++
      const since = header('last-event-id') ?? query.get('since') ?? undefined
      const swarm = query.get('swarm') ?? undefined
      const over = AbortSignal.any([signal, ...(context.signal ? [context.signal] : [])])
      const onEnd = (): void => void open--
      return Promise.resolve({
        bytes: eventStream(context, { since, swarm, signal: over, onEnd }),
        headers: { 'content-type': EVENTS_TYPE },
      })
    },
  }
}

const EVENTS_TYPE = 'text/event-stream'
