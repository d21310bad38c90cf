import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Memory } from './memory.ts'
import { serverMaker } from './server.ts'

/** The streams of a client, and the signal that ends the server. */
export interface StdioCall {
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
  /** Called with errors that no answer can report. */
  readonly onError: (error: Error) => void
}

/** Serves one client on streams, until its input ends or the signal aborts. */
export async function serveOnStreams(
  memory: Memory,
  { input, output, signal, onError }: StdioCall,
): Promise<void> {
  const transport = new StdioServerTransport(input, output)
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve).once('close', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const server = serveStdio(serverMaker(memory), { transport, onerror: onError })
  await ended
  await server.close()
}
