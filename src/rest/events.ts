import { hasCode, SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { changes } from '../verbs/changes.ts'
import type { VerbContext } from '../verbs/open.ts'
import { swarm as swarmVerb } from '../verbs/swarm.ts'
import type { StoreChange } from '../verbs/types.ts'

/** Milliseconds between two signs of life: proxies and clients close what is silent for long. */
const HEARTBEAT_MS = 15_000

/** A reader that is so many bytes behind is cut; it resumes after the last event that it has read. */
const MAX_BEHIND_BYTES = 1024 * 1024

export interface FollowOptions {
  /** The cursor of the last event that the reader has. */
  readonly since: string | undefined
  /** The swarm of which alone is told: of what moves in its sessions, and of itself. */
  readonly swarm?: string | undefined
  /** Ends the stream: the reader is gone, or the server ends. */
  readonly signal: AbortSignal
  /** Called once it has ended. */
  readonly onEnd: () => void
}

/**
 * Returns what moves in the store as a stream of server-sent events: `ready` with the present cursor, then a `change` each.
 * `reset` says that what moved since the cursor of the reader is not known any more: it reads the store again.
 */
export function eventStream(
  context: VerbContext,
  { since, swarm, signal, onEnd }: FollowOptions,
): ReadableStream<Uint8Array> {
  const own = new AbortController()
  const over = AbortSignal.any([signal, own.signal])
  let heartbeat: NodeJS.Timeout | undefined
  const end = (): void => {
    clearInterval(heartbeat)
    own.abort()
  }
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const send = (text: string): void => {
      if (over.aborted) return
      controller.enqueue(ENCODER.encode(text))
      if ((controller.desiredSize ?? 0) > 0) return
      end()
      controller.error(new SessError('stopped', 'the reader is too slow'))
    }
    heartbeat = setInterval(() => send(': alive\n\n'), HEARTBEAT_MS)
    signal.addEventListener('abort', end, { once: true })
    follow({ ...context, repo: context.repo.call({ signal: over }), signal: over }, { since, swarm }, send)
      .catch((error: unknown) => {
        if (!over.aborted) send(eventOf('problem', { code: error instanceof SessError ? error.code : 'bug' }))
      })
      .finally(() => {
        const wasCut = own.signal.aborted && !signal.aborted
        end()
        if (!wasCut) close(controller)
        onEnd()
      })
  }
  return new ReadableStream(
    { start, cancel: end },
    { highWaterMark: MAX_BEHIND_BYTES, size: (chunk) => chunk.byteLength },
  )
}

const ENCODER = new TextEncoder()

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close()
  } catch {
    // The reader has cancelled it.
  }
}

async function follow(
  context: VerbContext,
  { since, swarm }: Pick<FollowOptions, 'since' | 'swarm'>,
  send: (text: string) => void,
): Promise<void> {
  let from = since
  const isAsked = await filterOf(context, swarm)
  for (;;) {
    const at = from ?? (await presentCursor(context))
    if (from === undefined) send(eventOf('ready', {}, at))
    try {
      for await (const change of changes.events(context, { since: at })) {
        from = change.cursor
        if (await isAsked(change)) send(eventOf('change', changes.item.wire(change) as Json, change.cursor))
      }
      return
    } catch (error) {
      if (!hasCode(error, 'no-operation') || from === undefined) throw error
      from = undefined
      send(eventOf('reset', {}))
    }
  }
}

/** Returns a function that returns whether a change is of a swarm: of its sessions, as they are now, or of itself. */
async function filterOf(
  context: VerbContext,
  name: string | undefined,
): Promise<(change: StoreChange) => Promise<boolean>> {
  if (name === undefined) return () => Promise.resolve(true)
  const read = async (): Promise<ReadonlySet<string>> => {
    const { session, branches } = await swarmVerb.run(context, { swarm: name })
    return new Set([session, ...branches.map((branch) => branch.session)])
  }
  let sessions = await read()
  return async (change) => {
    if (!change.swarms.includes(name)) return change.sessions.some(({ id }) => sessions.has(id))
    // It may have been removed.
    sessions = await read().catch(() => sessions)
    return true
  }
}

const presentCursor = async (context: VerbContext): Promise<string> =>
  (await changes.run(context, { limit: 0, wait: 0 })).next as string

/** Returns an event as text; JSON has no line breaks of its own. */
const eventOf = (name: string, data: Json, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
