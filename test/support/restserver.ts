import { connect } from 'node:net'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import type { Json, JsonObject } from '../../src/model/json.ts'
import { type Mount, type RunningServer, startServer } from '../../src/rest/server.ts'
import { contextOf, openStore, type Store } from '../../src/verbs/open.ts'
import { afterTest } from './cleanup.ts'
import { newFolder } from './folder.ts'
import { smallStore } from './smallstore.ts'

interface ServerSetting {
  readonly write?: boolean
  readonly assets?: string
  readonly mounts?: readonly Mount[]
  readonly log?: (line: string) => void
}

/** A request, which has the secret and the Origin of the server unless it says otherwise. */
export interface Request {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: Json
  readonly signal?: AbortSignal
}

/** An answer that was read whole. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

/** A server of a store on a port of this machine. Each answer of the API is checked against its description. */
export class TestServer {
  readonly store: Store
  readonly sessions: readonly string[]
  readonly running: RunningServer
  readonly dir: string
  #description: Promise<JsonObject> | undefined

  private constructor(store: Store, sessions: readonly string[], running: RunningServer, dir: string) {
    this.store = store
    this.sessions = sessions
    this.running = running
    this.dir = dir
  }

  /** Serves a small store of its own. */
  static async start(setting: ServerSetting = {}): Promise<TestServer> {
    const { dir, sessions } = await smallStore()
    const store = await openStore(dir, {
      cwd: '/work',
      lockTimeout: 60_000,
      command: 'serve',
      actor: 'program',
    })
    const running = await startServer({
      write: false,
      port: 0,
      version: '1.2.3',
      assets: join(newFolder(), 'none'),
      ...setting,
      context: contextOf(store),
    })
    afterTest(async () => {
      await running.close()
      await store.close()
    })
    return new TestServer(store, sessions, running, dir)
  }

  get url(): string {
    return this.running.url
  }

  get host(): string {
    return this.url.slice('http://'.length)
  }

  fetch(path: string, { method = 'GET', headers, body, signal }: Request = {}): Promise<Response> {
    const isWrite = method !== 'GET' && method !== 'HEAD'
    const all = {
      authorization: `Bearer ${this.running.token}`,
      ...(isWrite && { origin: this.url, 'content-type': 'application/json' }),
      ...headers,
    }
    return fetch(this.url + path, {
      method,
      headers: Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  }

  /** Asks the API, and checks the answer against its description. */
  async ask(path: string, request: Request = {}): Promise<Reply> {
    const response = await this.fetch(`/api${path}`, request)
    const text = await response.text()
    const { status, headers } = response
    const isJson = /\bjson\b/.test(headers.get('content-type') ?? '')
    const json = isJson ? (JSON.parse(text) as Json) : null
    if (isJson) {
      const method = (request.method ?? 'GET').toLowerCase()
      const wrong = await this.#departures(method, path.replace(/\?.*/s, ''), status, json)
      if (wrong.length > 0)
        throw new Error(`${method} ${path} departs from its description:\n${wrong.join('\n')}\n${text}`)
    }
    return { status, headers, text, json }
  }

  post(path: string, body: Json = {}, headers: Request['headers'] = {}): Promise<Reply> {
    return this.ask(path, { method: 'POST', body, headers })
  }

  description(): Promise<JsonObject> {
    this.#description ??= this.fetch('/api/openapi.json').then(
      (response) => response.json() as Promise<JsonObject>,
    )
    return this.#description
  }

  async #departures(method: string, path: string, status: number, json: Json): Promise<readonly string[]> {
    const whole = await this.description()
    const { paths, components } = whole as unknown as Described
    const known = Object.entries(paths).filter(([pattern]) => matches(pattern, `/api${path}`))
    // A path without parameters is the better one.
    const [, operations] = known.sort(([a], [b]) => a.split('{').length - b.split('{').length)[0] ?? []
    const responses = operations?.[method]?.responses
    if (status === 404 && !responses) return []
    const content = responses?.[status === 200 ? '200' : 'default']?.content
    const [body] = Object.values(content ?? {})
    if (!body?.schema) return [`no answer with ${status} is described`]
    const validator = new Validator({ ...body.schema, components }, '2020-12', false)
    return validator.validate(json).errors.map((one) => `${one.instanceLocation}: ${one.error}`)
  }

  /** Sends bytes as they are, and returns what comes back until the server closes. */
  raw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(this.url.split(':').at(-1)), '127.0.0.1')
      let answered = ''
      socket.setEncoding('utf8')
      socket.on('data', (part: string) => (answered += part))
      socket.on('close', () => resolve(answered))
      socket.on('error', reject)
      socket.write(text)
    })
  }
}

interface Described {
  readonly components: JsonObject
  readonly paths: {
    readonly [path: string]: {
      readonly [method: string]: {
        readonly responses: {
          readonly [status: string]: {
            readonly content: { readonly [type: string]: { readonly schema?: JsonObject } }
          }
        }
      }
    }
  }
}

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
