import { existsSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import { field, type Json } from '../../../src/model/json.ts'
import { HolderClient } from '../../../src/repo/lease/client.ts'
import { FrameReader, frameOf, PROTOCOL } from '../../../src/repo/lease/messages.ts'
import { HolderServer } from '../../../src/repo/lease/server.ts'
import { newSocketPath, socketPaths } from '../../../src/repo/lease/socket.ts'
import { processName } from '../../../src/storage/directory/processname.ts'
import { expectFailure } from '../../support/errors.ts'

type Works = { readonly [name: string]: (ask: Json) => Promise<Json> }

const works: Works = {
  echo: (ask) => Promise.resolve(ask),
  refuse: () => Promise.reject(new SessError('no-session', 'x')),
  letGo: () => Promise.reject(new SessError('closed', 'x')),
}

interface Resolvable {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

function resolvable(): Resolvable {
  let resolve = (): void => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

const STORE = 'abc0 1:2'

async function served(more: Works = {}, leave?: (next: string) => void): Promise<HolderServer> {
  const server = await HolderServer.listen({
    store: STORE,
    work: (name, ask) => (more[name] ?? works[name])?.(ask),
    progress: () => ({ steps: 0, isLong: false }),
    yield: () => undefined,
    ...(leave && { leave }),
  })
  if (!server) throw new Error('it does not listen')
  onTestFinished(() => server.close())
  return server
}

const pathOf = ({ name }: HolderServer): string => socketPaths(name).find((path) => existsSync(path)) ?? ''

async function connected({ name }: HolderServer): Promise<HolderClient> {
  const client = await HolderClient.connect(name, STORE)
  if (!(client instanceof HolderClient)) throw new Error('it does not connect')
  onTestFinished(() => client.close())
  return client
}

describe('the process that holds a database', () => {
  it('runs requested work, and refuses work that it does not know', async () => {
    const server = await served()
    const client = await connected(server)
    expect(await Promise.all([1, 2, 3].map((n) => client.work('echo', { n })))).toEqual([
      { value: { n: 1 } },
      { value: { n: 2 } },
      { value: { n: 3 } },
    ])
    const error = await expectFailure('no-session', () => client.work('refuse', null))
    expect([error.message, error.kind]).toEqual(["no session is called 'x'", 'user'])
    expect(await client.yield()).toBe('asked')
    expect(await client.work('unknown', null)).toBe('gone')
  })

  it('waits for clients that are being answered, however many promises the answer takes', async () => {
    const [asked, written] = [resolvable(), resolvable()]
    const append = async (): Promise<Json> => {
      asked.resolve()
      await written.promise
      for (let i = 0; i < 20; i++) await Promise.resolve()
      return 'appended'
    }
    const server = await served({ append })
    const client = await connected(server)
    const answer = client.work('append', null)
    await asked.promise
    // However slow the machine is: the moment for which the server waits is not over.
    const clock = vi.spyOn(process, 'hrtime').mockReturnValue(process.hrtime())
    onTestFinished(() => clock.mockRestore())
    let isGathered = false
    const gathered = written.promise.then(() => server.nextRequests()).then(() => (isGathered = true))
    written.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    expect(isGathered).toBe(false)
    expect(await answer).toEqual({ value: 'appended' })
    await client.work('echo', null)
    await gathered
  })

  it('takes no requests while closing, and loses none that it took before', async () => {
    const server = await served()
    const client = await connected(server)
    const asked = [client.work('echo', 1), client.work('letGo', 1), client.work('echo', 2)]
    await server.close()
    expect(
      (await Promise.all(asked)).every((answer) => typeof answer === 'object' || answer === 'gone'),
    ).toBe(true)
    expect(await client.work('echo', 3)).toBe('gone')
    expect(pathOf(server)).toBe('')
    expect(await HolderClient.connect(server.name, STORE)).toBe('gone')
  })

  it('names the client that gets the database next, for which the others wait a moment', async () => {
    const server = await served()
    const clients = [await connected(server), await connected(server), await connected(server)]
    await server.close()
    const ended: number[] = []
    const answers = clients.map(async (client, i) => {
      const answer = await client.work('echo', 1)
      ended.push(i)
      return answer
    })
    expect(await Promise.all(answers)).toEqual(['gone', 'gone', 'gone'])
    expect(ended[0]).toBe(0)
  })

  it('gives the database next to the client that has waited longest for it', async () => {
    const server = await served()
    const clients = [await connected(server), await connected(server), await connected(server)]
    const [, late, early] = clients as [HolderClient, HolderClient, HolderClient]
    await late.yield(100)
    await early.yield(500)
    await late.yield(900)
    const left: HolderClient[] = []
    const waiting = clients.map((client) => client.left(60_000).then(() => left.push(client)))
    await server.close()
    await Promise.all(waiting)
    expect(left[0]).toBe(early)
  })

  it('reports the process that is to have the database next before any client is told', async () => {
    const reported: string[] = []
    const server = await served({}, (next) => reported.push(next))
    const [asks, other] = [await connected(server), await connected(server)]
    await asks.yield(500)
    const told = Promise.all([asks, other].map((client) => client.left(60_000).then(() => [...reported])))
    await server.close()
    expect(await told).toEqual([[processName()], [processName()]])
    const unasked: string[] = []
    const idle = await served({}, (next) => unasked.push(next))
    await connected(idle)
    await idle.close()
    expect(unasked).toEqual([])
  })

  it('is waited for no longer than a client has said', async () => {
    const client = await connected(await served())
    await client.left(1)
    expect(client.isLeaving).toBe(false)
  })

  it('admits no other user, and refuses clients of another store', async () => {
    const server = await served()
    expect(statSync(pathOf(server)).mode & 0o777).toBe(0o600)
    expect(await HolderClient.connect(server.name, 'another')).toEqual({
      refused: 'it holds another store',
    })
  })

  it('survives any request and any answer', async () => {
    const server = await served()
    const framed = (bytes: Uint8Array): Buffer => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return Buffer.concat([length, bytes])
    }
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const hostile = [
      framed(Buffer.from(`{"id":${deep},"ask":"ping"}`)),
      framed(Buffer.from(`{"id":1,"ask":"work","name":"echo","of":${deep}}`)),
      // An id that no message holds: 2^64 - 1.
      framed(Buffer.from('a26269641bffffffffffffffff6361736b6470696e67', 'hex')),
      framed(Buffer.from('{')),
      framed(Buffer.alloc(0)),
      // A list of 2^32 - 1 items, and a message of as many bytes.
      framed(Buffer.from('9affffffff', 'hex')),
      Buffer.from('ffffffff00', 'hex'),
    ]
    for (const bytes of hostile) {
      const socket = connect(pathOf(server))
      const ended = new Promise((resolve) => socket.once('close', resolve))
      socket.write(bytes)
      await ended
    }
    // Half a message, and whoever sent it is gone.
    await new Promise<void>((resolve) => {
      const socket = connect(pathOf(server), () => socket.end(Buffer.from('0000ff0001', 'hex'), resolve))
    })
    expect(await (await connected(server)).work('echo', 'well')).toEqual({ value: 'well' })
  })

  it('refuses another version of the protocol', async () => {
    const path = newSocketPath('abc0.other.sock') as string
    const other = createServer((socket) => {
      const frames = new FrameReader()
      socket.on('data', (chunk) => {
        for (const message of frames.push(chunk))
          socket.write(frameOf({ id: field(message, 'id') ?? null, protocol: PROTOCOL + 1, store: STORE }))
      })
    })
    await new Promise<void>((resolve) => other.listen(path, resolve))
    onTestFinished(() => void other.close())
    expect(await HolderClient.connect('abc0.other.sock', STORE)).toEqual({
      refused: `it speaks version ${PROTOCOL + 1} of the protocol, this sess version ${PROTOCOL}`,
    })
  })
})

it('lets a client read its last answers that writes after the server closed', async () => {
  const { promise, resolve } = resolvable()
  const server = await served({ wait: () => promise.then(() => 'done') })
  const socket = connect({ path: pathOf(server), allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const answers: Json[] = []
  const frames = new FrameReader()
  socket.on('data', (chunk) => answers.push(...frames.push(chunk)))
  socket.write(frameOf({ id: 1, ask: 'work', name: 'wait' }))
  socket.write(frameOf({ id: 2, ask: 'ping' }))
  await expect.poll(() => answers.length).toBe(1)
  socket.pause()
  resolve()
  await server.close()
  const written = new Promise<void>((done) => socket.write(frameOf({ id: null, ask: 'ping' }), () => done()))
  await written
  socket.resume()
  await expect
    .poll(() => answers.slice(1))
    .toEqual([
      { id: 1, value: 'done' },
      { id: null, leaving: true, next: true },
    ])
})
