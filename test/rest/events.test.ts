import { expect, it } from 'vitest'
import { eventStream } from '../../src/rest/events.ts'
import { append } from '../../src/verbs/append.ts'
import { newSession } from '../../src/verbs/new.ts'
import { contextOf } from '../../src/verbs/open.ts'
import { afterTest } from '../support/cleanup.ts'
import { TestServer } from '../support/restserver.ts'

interface Heard {
  readonly id?: string
  readonly event: string
  readonly data: {
    readonly sessions?: readonly { readonly id: string; readonly grew: boolean }[]
    readonly operation?: number
  }
}

/** Listens to events until it is told to stop. */
class Listener {
  readonly heard: Heard[] = []
  readonly #ending = new AbortController()

  static async begin(server: TestServer, lastId?: string, path = '/api/events'): Promise<Listener> {
    const own = new Listener()
    const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) }
    const response = await server.fetch(path, { headers, signal: own.#ending.signal })
    if (response.headers.get('content-type') !== 'text/event-stream') throw new Error(await response.text())
    void own.#read(response).catch(() => undefined)
    afterTest(() => own.stop())
    return own
  }

  get changes(): readonly Heard[] {
    return this.heard.filter(({ event }) => event === 'change')
  }

  stop(): void {
    this.#ending.abort()
  }

  async #read(response: Response): Promise<void> {
    let text = ''
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = Object.fromEntries(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]),
        )
        if (fields.event !== undefined)
          this.heard.push({
            ...fields,
            event: fields.event,
            data: JSON.parse(fields.data ?? 'null') as Heard['data'],
          })
        text = text.slice(end + 2)
      }
    }
  }
}

const says = async (server: TestServer, content: string): Promise<void> => {
  const context = contextOf(server.store)
  const [session] = server.sessions
  await append.run(context, {
    session: session as string,
    entry: [{ body: { role: 'user', content } }],
  })
}

it('tells what moved, and after a reconnection what moved meanwhile', async () => {
  const server = await TestServer.start()
  const listener = await Listener.begin(server)
  await expect.poll(() => listener.heard[0]?.event).toBe('ready')
  await says(server, 'one')
  await expect.poll(() => listener.changes.length).toBe(1)
  expect(listener.changes[0]?.data.sessions).toEqual([{ id: server.sessions[0], grew: true }])
  const last = listener.changes[0]?.id
  listener.stop()
  await says(server, 'two')
  await says(server, 'three')
  const again = await Listener.begin(server, last)
  await says(server, 'four')
  const path = `/sessions/${server.sessions[0]}/entries?limit=1`
  await expect.poll(() => again.changes.length).toBeGreaterThan(0)
  // What consecutive commits moved may be told together: the last one counts.
  const operation = async (): Promise<unknown> =>
    ((await server.ask('/changes?wait=0')).json as { next: string }).next
  await expect.poll(() => again.changes.at(-1)?.id).toBe(await operation())
  expect((await server.ask(path)).text).toContain('four')
  expect(again.heard.every(({ event }) => event === 'change')).toBe(true)
})

it('begins with a cursor, so that a page that was read before it misses nothing', async () => {
  const server = await TestServer.start()
  const { next } = (await server.ask('/changes?wait=0')).json as { readonly next: string }
  await says(server, 'between')
  const listener = await Listener.begin(server, undefined, `/api/events?since=${next}`)
  await expect.poll(() => listener.changes.length).toBe(1)
})

it('says that a reader must begin again where its cursor is not known', async () => {
  const server = await TestServer.start()
  const listener = await Listener.begin(server, '999999.999999')
  await expect.poll(() => listener.heard.map(({ event }) => event)).toEqual(['reset', 'ready'])
  await says(server, 'later')
  await expect.poll(() => listener.changes.length).toBe(1)
})

it('lets go of what it follows when the reader is gone', async () => {
  const server = await TestServer.start()
  const listeners = await Promise.all(Array.from({ length: 100 }, () => Listener.begin(server)))
  const one = await server.fetch('/api/events')
  expect([one.status, one.headers.get('retry-after')]).toEqual([503, '1'])
  for (const listener of listeners) listener.stop()
  await expect
    .poll(async () => {
      const next = await server.fetch('/api/events', { signal: AbortSignal.timeout(1000) })
      void next.body?.cancel()
      return next.status
    })
    .toBe(200)
})

it('cuts a reader that does not read, and keeps no more for it than it may be behind', async () => {
  const server = await TestServer.start()
  let isOver = false
  const stream = eventStream(contextOf(server.store), {
    since: undefined,
    signal: new AbortController().signal,
    onEnd: () => (isOver = true),
  })
  const reader = stream.getReader()
  await reader.read()
  const title = async (n: number): Promise<void> => {
    await newSession.run(contextOf(server.store), { title: `${n}${'x'.repeat(200_000)}` })
  }
  for (let n = 0; n < 12; n++) await title(n)
  await expect.poll(() => isOver).toBe(true)
  await expect(reader.read()).rejects.toThrow('the reader is too slow')
})
