import { fileURLToPath } from 'node:url'
import type { ServeCall, ServingInterface } from '../cli/interfaces.ts'
import { startServer } from '../rest/server.ts'
import { findServers, writeServerFile } from '../rest/serverfile.ts'

/** The files of the page; from the bundle the path is the same. */
const ASSETS = fileURLToPath(new URL('../../dist/web/', import.meta.url))

/** Starts the server of the API and the page, and notes in the store where it is. Throws `bad-usage` for a port in use. */
export async function startServing({ context, ...how }: ServeCall): Promise<ServingInterface> {
  const { store } = context
  const others = findServers(store)
  const server = await startServer({ ...how, context, assets: ASSETS })
  const { url, token } = server
  const remove = writeServerFile({ url, token, store, write: how.write, pid: process.pid })
  return {
    url,
    token,
    others: others.map((other) => other.url),
    close: async () => {
      remove()
      await server.close()
    },
  }
}
