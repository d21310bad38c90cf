import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { SessError } from '../model/errors.ts'
import type { VerbContext } from '../verbs/open.ts'
import { OpenTrees } from '../verbs/opentrees.ts'
import { type Mount, restApp } from './app.ts'
import { readAssets } from './assets.ts'
import { endpointsOf } from './endpoints.ts'

export type { Mount } from './app.ts'

export interface ServeOptions {
  readonly context: VerbContext
  readonly write: boolean
  /** 0 for one that is free. */
  readonly port: number
  readonly version: string
  /** The folder with the files of the page. */
  readonly assets: string
  readonly mounts?: readonly Mount[]
  readonly log?: (line: string) => void
}

/** A server that listens. */
export interface RunningServer {
  /** Its address, without a slash at the end. */
  readonly url: string
  /** The secret of this run, without which the API answers nothing. */
  readonly token: string
  /** Ends its streams and connections; resolves once the port is free. */
  close(): Promise<void>
}

/** Only this machine reaches it. */
const HOST = '127.0.0.1'

/** A client gets so many milliseconds to send its headers, and its whole request. */
const [HEADERS_MS, REQUEST_MS] = [10_000, 60_000]

const TOKEN_BYTES = 32

const MAX_PORT = 65_535

/** Begins to serve a store on a port of this machine. Throws the error of the system where the port is taken. */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { context, write, version, log, mounts = [] } = options
  const ending = new AbortController()
  const facts = { version, write, store: context.store, signal: ending.signal }
  const endpoints = await endpointsOf(facts)
  const server = createServer({
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: 5000,
  })
  if (options.port > MAX_PORT) throw portError({ code: 'EACCES' }, options.port)
  server.listen({ host: HOST, port: options.port })
  await once(server, 'listening').catch((error: unknown) => {
    throw portError(error, options.port)
  })
  const { port } = server.address() as AddressInfo
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const app = restApp({
    // Spread once: its prices are looked up on use.
    context: { ...context, trees: new OpenTrees(context.repo) },
    endpoints,
    write,
    mounts,
    log,
    token,
    hosts: [`${HOST}:${port}`, `localhost:${port}`],
    assets: readAssets(options.assets),
  })
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  server.on('request', (request, response) => {
    // An answer that ends after the server began to leaves a connection that waits for more requests.
    response.once('close', () => ending.signal.aborted && server.closeIdleConnections())
    void listener(request, response)
  })
  return {
    url: `http://${HOST}:${port}`,
    token,
    close: async () => {
      ending.abort()
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), CLOSING_MS).unref()
      await closed
    },
  }
}

function portError(error: unknown, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return new SessError('bad-usage', `the port ${port} is in use`)
  if (code === 'EACCES') return new SessError('bad-usage', `the port ${port} cannot be used`)
  return error
}

/** Answers that are being sent get so many milliseconds. */
const CLOSING_MS = 300
