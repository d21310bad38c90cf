import { randomBytes } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { basename } from 'node:path'
import { asSessError } from '../../model/errors.ts'
import { asString, field, type Json } from '../../model/json.ts'
import { monotonicNow } from '../../storage/clock.ts'
import { processName } from '../../storage/directory/processname.ts'
import { encodeError } from './errormessage.ts'
import { ExpectedClients } from './expectedclients.ts'
import type { HolderProgress } from './failuredetector.ts'
import { FrameReader, frameOf, PROTOCOL } from './messages.ts'
import { newSocketPath } from './socket.ts'

/** The requests that the process that holds a store's database serves for others. */
export interface HolderService {
  /** A name that is unique to the store and its folder. It begins with the store's id. */
  readonly store: string
  /** Does work that is known by a name, or returns undefined where this process will not. */
  readonly work: (name: string, ask: Json) => Promise<Json> | undefined
  /** Closes the database as soon as it is not in use, so that another process can open it. */
  readonly yield: () => void
  readonly progress: () => HolderProgress
  /** Called before clients are told that the database is let go, with the process that is to have it next. */
  readonly leave?: (next: string) => void
}

/** A client that asked for the database. */
interface WaitingClient {
  readonly since: number
  /** The name of its process. */
  readonly process: string
}

/** The answer where nothing was done, and another process is to be asked. */
const GONE = { gone: true } as const

/**
 * The last message to each client: requests that were not answered before were not done. One client is to have the
 * database next, and the others leave it a moment to open it.
 */
const leaving = (isNext: boolean): Json => ({ id: null, leaving: true, next: isNext })

/** The number of hex digits of the store's id in the name of a socket, which must be short. */
const ID_DIGITS = 16

/** Milliseconds for which a client may read the last answers. */
const LINGER = 5000

/** Answers other processes on a socket in the user's runtime folder, to which only that user can connect. */
export class HolderServer {
  /** The name of the socket, by which clients find it. */
  readonly name: string
  readonly #service: HolderService
  readonly #server: Server
  readonly #path: string
  readonly #sockets = new Set<Socket>()
  readonly #answering = new Set<Promise<void>>()
  readonly #expected = new ExpectedClients<Socket>()
  readonly #wanting = new Map<Socket, WaitingClient>()
  #closing = false
  #left = false

  private constructor(path: string, service: HolderService) {
    this.name = basename(path)
    this.#service = service
    this.#path = path
    this.#server = createServer((socket) => this.#meet(socket))
    this.#server.unref()
  }

  /** Begins to listen, or returns undefined where the system provides no socket. */
  static async listen(service: HolderService): Promise<HolderServer | undefined> {
    const id = service.store.replace(/[^0-9a-f].*/s, '').slice(0, ID_DIGITS)
    const path = newSocketPath(`${id}.${processName()}.${randomBytes(4).toString('hex')}.sock`)
    if (path === undefined) return undefined
    const server = new HolderServer(path, service)
    return new Promise((resolve) => {
      let refuse = (): void => resolve(undefined)
      server.#server.on('error', () => refuse())
      server.#server.listen(path, () => {
        try {
          chmodSync(path, 0o600)
        } catch {
          server.#server.close()
          refuse()
          return
        }
        // Clients that cannot be accepted later wait for the database itself.
        refuse = () => undefined
        resolve(server)
      })
    })
  }

  #meet(socket: Socket): void {
    const frames = new FrameReader()
    this.#sockets.add(socket)
    socket.unref()
    // A client may be gone before the answer: what was done is done.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#wanting.delete(socket)
      this.#expected.asked(socket)
    })
    socket.on('data', (chunk) => {
      try {
        for (const message of this.#left ? [] : frames.push(chunk)) {
          const answering = this.#answer(socket, message, frames.isText)
            .catch(() => void socket.destroy()) // no message holds the answer: no sess asked for it
            .finally(() => this.#answering.delete(answering))
          this.#answering.add(answering)
        }
      } catch {
        socket.destroy() // it speaks something else
      }
    })
  }

  async #answer(socket: Socket, message: Json, asText: boolean): Promise<void> {
    const id = field(message, 'id') ?? null
    this.#expected.asked(socket)
    const waited = field(message, 'waited')
    if (typeof waited === 'number' && !this.#wanting.has(socket))
      this.#wanting.set(socket, {
        since: monotonicNow() - waited,
        process: asString(field(message, 'process')) ?? '',
      })
    const reply = await this.#replyTo(message)
    if ('value' in reply) this.#expected.answered(socket)
    if (!socket.destroyed) socket.write(frameOf({ id, ...reply }, asText))
  }

  async #replyTo(message: Json): Promise<{ readonly [key: string]: Json }> {
    const ask = asString(field(message, 'ask'))
    try {
      switch (ask) {
        case 'hello':
          return { protocol: PROTOCOL, store: this.#service.store, text: true }
        case 'ping':
          return { ...this.#service.progress() }
        case 'yield':
          this.#service.yield()
          return { ...this.#service.progress() }
        case 'work': {
          const name = asString(field(message, 'name')) ?? ''
          const done = this.#closing ? undefined : this.#service.work(name, field(message, 'of') ?? null)
          return done === undefined ? GONE : { value: await done }
        }
        default:
          return GONE
      }
    } catch (thrown) {
      const error = asSessError(thrown)
      // The database was closed before anything was done.
      if (error.code === 'closed') return GONE
      return { error: encodeError(error) }
    }
  }

  /**
   * Resolves when the clients just answered have sent their next request, or after a timeout; undefined without
   * clients.
   */
  nextRequests(): Promise<void> | undefined {
    return this.#sockets.size === 0 ? undefined : this.#awaitNextRequests()
  }

  async #awaitNextRequests(): Promise<void> {
    // Requests whose commit just became durable are answered first, however many promises that takes.
    await new Promise<void>((done) => process.nextTick(done))
    await this.#expected.all()
  }

  /** Returns the client that is to have the database next: the one that has waited longest, where any waits for it. */
  #longestWaiting(): Socket | undefined {
    const [first] = this.#sockets
    const [longest] = [...this.#wanting].sort(([, a], [, b]) => a.since - b.since)
    return longest?.[0] ?? first
  }

  /** Takes no more work, answers the requests that it has, and disconnects all clients. */
  async close(): Promise<void> {
    this.#closing = true
    this.#server.close()
    while (this.#answering.size > 0) await Promise.all(this.#answering)
    this.#left = true
    const next = this.#longestWaiting()
    const waiting = next && this.#wanting.get(next)
    if (waiting && waiting.process !== '') this.#service.leave?.(waiting.process)
    for (const socket of this.#sockets) {
      // The client closes its side once it has read everything: what it writes before must not fail, because the answers
      // that it has not read yet would be lost with its socket. Not waited for: a stopped process reads nothing.
      socket.end(frameOf(leaving(socket === next)))
      socket.setTimeout(LINGER, () => socket.destroy())
    }
    try {
      rmSync(this.#path, { force: true })
    } catch {
      // Nobody listens there any more. The next process that listens removes the file.
    }
  }
}
