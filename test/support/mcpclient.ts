import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { mcpHandler } from '../../src/mcp/handler.ts'
import type { Asker, Memory } from '../../src/mcp/memory.ts'
import { serverMaker } from '../../src/mcp/server.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import { contextOf, type Store } from '../../src/verbs/open.ts'
import { afterTest } from './cleanup.ts'

/** Returns a memory of a store. */
export const memoryOf = (store: Store, more: Partial<Memory> = {}): Memory => ({
  context: ({ signal, command }) => Promise.resolve(contextOf(store, { signal, command, actor: 'program' })),
  writes: false,
  showsSecrets: false,
  version: '0.0.0',
  asker: { ids: [] } satisfies Asker,
  ...more,
})

/** A client of the oldest revision that all clients speak, in this process. */
export async function clientOf(memory: Memory): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  await serverMaker(memory)().connect(far)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  afterTest(() => client.close())
  return client
}

/** A client of a revision over HTTP, whose requests go to the handler without a socket. */
export async function httpClientOf(memory: Memory, pin?: string): Promise<Client> {
  const handler = mcpHandler(memory)
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: (url, init) => handler.fetch(new Request(url, init)),
  })
  const mode = pin === undefined ? 'legacy' : { pin }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  afterTest(async () => {
    await client.close()
    await handler.close()
  })
  return client
}

/** The answer of a tool: its text, and its data. */
export interface ToolReply {
  readonly text: string
  readonly data: JsonObject
  readonly items: readonly JsonObject[]
  readonly failed: boolean
}

/** Calls a tool, with what the client says besides. */
export async function callOf(
  client: Client,
  name: string,
  asked: JsonObject = {},
  { meta, signal }: { readonly meta?: JsonObject; readonly signal?: AbortSignal } = {},
): Promise<ToolReply> {
  const result = await client.callTool(
    { name, arguments: asked, ...(meta && { _meta: meta }) },
    signal && { signal },
  )
  const content = result.content as readonly { readonly text?: string }[]
  const data = (result.structuredContent ?? {}) as JsonObject
  return {
    text: content[0]?.text ?? '',
    data,
    items: (data.items ?? []) as readonly Json[] as readonly JsonObject[],
    failed: result.isError === true,
  }
}
