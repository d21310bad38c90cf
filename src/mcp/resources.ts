import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { hasCode } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import { listing, ls } from '../verbs/ls.ts'
import type { VerbContext } from '../verbs/open.ts'
import { read } from '../verbs/read.ts'
import { perform } from '../verbs/verb.ts'
import { sendable } from './answer.ts'
import type { Memory } from './memory.ts'
import { lineOrNull, settleQuotes } from './quoted.ts'
import { factsOf } from './sessionfacts.ts'
import { type Answer, roomOf } from './tool.ts'
import { show } from './tools/show.ts'
import { turnData } from './turndata.ts'

/** How many sessions are listed as resources, turns are read at once, and names complete a word. */
const [SESSIONS, TURNS, NAMES] = [50, 20, 50]

/** How many milliseconds a word is completed at most. */
const MAX_WAIT = 5000

/** An entry never changes, but what is masked in it may. */
const DAY = 24 * 60 * 60 * 1000

/** The part of a request that its handler needs. */
interface Asked {
  readonly mcpReq: { readonly signal: AbortSignal }
}

type Variables = Readonly<Record<string, string | readonly string[] | undefined>>

/** Offers sessions and entries as resources. */
export function addResources(server: McpServer, memory: Memory): void {
  const contextFor = ({ mcpReq }: Asked): Promise<VerbContext> =>
    memory.context({ signal: mcpReq.signal, command: 'resource' })
  const contents = async (uri: URL, context: VerbContext, answer: Answer) => {
    const { text } = await sendable(context, answer, { room: roomOf({}), showsSecrets: memory.showsSecrets })
    return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] }
  }
  const readSession = async (uri: URL, { id, after }: Variables, asked: Asked) => {
    const context = await contextFor(asked)
    return contents(uri, context, await found(uri, () => conversation(context, wordIn(id), wordIn(after))))
  }
  const isText = { mimeType: 'text/plain' }
  server.registerResource(
    'session',
    new ResourceTemplate('sess://session/{id}', {
      list: (asked) => listed(() => contextFor(asked), memory),
      complete: { id: (value) => completed(memory, value) },
    }),
    { ...isText, title: 'A session', description: 'The conversation of a session, from its beginning on.' },
    readSession,
  )
  server.registerResource(
    'session-part',
    new ResourceTemplate('sess://session/{id}/{after}', { list: undefined }),
    { ...isText, title: 'A part of a session', description: 'The turns after those that ended with next.' },
    readSession,
  )
  server.registerResource(
    'entry',
    new ResourceTemplate('sess://entry/{oid}', { list: undefined }),
    {
      title: 'An entry',
      description: 'An entry whole, by its oid.',
      ...isText,
      cacheHint: { ttlMs: DAY, cacheScope: 'private' },
    },
    async (uri, { oid }, asked) => {
      const context = await contextFor(asked)
      const input = { revision: wordIn(oid), around: 0, from: 0, budget: 0 }
      const call = { context, asking: () => Promise.resolve(null), room: roomOf({}) }
      return contents(uri, context, await found(uri, () => show.run(call, input, {})))
    },
  )
}

/** Returns a variable of a URI. */
const wordIn = (value: string | readonly string[] | undefined): string => {
  const text = typeof value === 'string' ? value : (value?.[0] ?? '')
  try {
    return decodeURIComponent(text)
  } catch {
    return text // no escape of a URI
  }
}

/** Throws the protocol's own error where a resource does not exist. */
async function found<T>(uri: URL, read_: () => Promise<T>): Promise<T> {
  try {
    return await read_()
  } catch (error) {
    if (hasCode(error, 'no-session', 'no-revision', 'no-entry', 'no-store', 'ambiguous-revision'))
      throw new ResourceNotFoundError(uri.href)
    throw error
  }
}

async function conversation(context: VerbContext, id: string, after: string): Promise<Answer> {
  const { result } = await perform(read, context, {
    ...{ revision: id, tools: false, meta: false, limit: TURNS },
    ...(after !== '' && { after }),
  })
  const facts = await factsOf(context)
  const room = Math.floor((0.9 * roomOf({})) / TURNS)
  return {
    about: { session: id, ...facts(result?.items[0]?.session ?? id) },
    items: (result?.items ?? []).map((turn) => ({ data: turnData(turn, room), cursor: turn.cursor })),
    next: result?.next ?? null,
  }
}

/** Lists the latest sessions; none while there is no store, for clients that ask as they start. */
async function listed(open: () => Promise<VerbContext>, { showsSecrets }: Memory) {
  const context = await open().catch((error: unknown) => {
    if (hasCode(error, 'no-store')) return undefined
    throw error
  })
  if (!context) return { resources: [] }
  const { result } = await perform(ls, context, {
    ...{ where: [], sort: 'updated', reverse: false, limit: SESSIONS },
  })
  const rows = (result?.items ?? []).map((row) => ({ row, title: lineOrNull(row.title ?? row.prompt, 120) }))
  await settleQuotes(
    context,
    rows.map(({ title }) => title),
    showsSecrets,
  )
  return {
    resources: rows.map(({ row, title }) => ({
      uri: `sess://session/${encodeURIComponent(row.id)}`,
      name: row.id,
      ...defined({ title: title?.toJSON() }),
      mimeType: 'text/plain',
      description: `${row.format}, ${row.entries} entries, updated ${row.updated ?? 'at an unknown time'}`,
    })),
  }
}

async function completed(memory: Memory, prefix: string): Promise<string[]> {
  const context = await memory.context({
    signal: AbortSignal.timeout(MAX_WAIT),
    command: 'complete',
  })
  const all = await listing(context, { where: [], sort: 'updated', reverse: false }, ['id'])
  return all
    .map('id', (id) => id)
    .filter((id) => id.startsWith(prefix))
    .slice(0, NAMES)
}
