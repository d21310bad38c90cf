import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Memory } from './memory.ts'
import { serverMaker } from './server.ts'

/** Answers requests of clients over HTTP, until it is closed. */
export interface McpHandler {
  /** Answers one request. The caller has checked who sends it: its host, its origin and its token. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly close: () => Promise<void>
}

/** Returns a handler for `/mcp`, which keeps nothing between two requests. */
export function mcpHandler(memory: Memory): McpHandler {
  const { fetch, close } = createMcpHandler(serverMaker(memory))
  return { fetch: (request) => fetch(request), close }
}
