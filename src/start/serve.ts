import { fileURLToPath } from 'node:url'
import type { ServeCall, ServingInterface } from '../cli/interfaces.ts'
import type { McpHandler } from '../mcp/handler.ts'
import type { Memory } from '../mcp/memory.ts'
import { startServer } from '../rest/server.ts'
import { findServers, writeServerFile } from '../rest/serverfile.ts'

/** The files of the page; from the bundle the path is the same. */
const ASSETS = fileURLToPath(new URL('../../dist/web/', import.meta.url))

/** Returns what the tools for agents read: the store that is served. */
const memoryOf = ({ context, write, version }: ServeCall): Memory => ({
  context: ({ signal, command }) =>
    Promise.resolve({
      ...context,
      signal,
      repo: context.repo.call({ signal, command: `sess serve /mcp ${command}`, actor: 'program' }),
    }),
  writes: write,
  showsSecrets: false,
  version,
  asker: { ids: [] },
})

/**
 * Starts the server of the API, of the tools for agents and of the page, and notes in the store where it is. Throws
 * `bad-usage` for a port in use.
 */
export async function startServing(call: ServeCall): Promise<ServingInterface> {
  const { context, ...how } = call
  const { store } = context
  const others = findServers(store)
  let tools: McpHandler | undefined
  const handle = async (request: Request): Promise<Response> => {
    // Loaded for the first agent: a page needs none of it.
    const { mcpHandler } = await import('../mcp/handler.ts')
    tools ??= mcpHandler(memoryOf(call))
    return tools.fetch(request)
  }
  const mounts = [{ path: '/mcp', handle }]
  const server = await startServer({ ...how, context, assets: ASSETS, mounts })
  const { url, token } = server
  const remove = writeServerFile({ url, token, store, write: how.write, pid: process.pid })
  return {
    url,
    token,
    others: others.map((other) => other.url),
    close: async () => {
      remove()
      await tools?.close()
      await server.close()
    },
  }
}
