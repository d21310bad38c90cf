import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { asSessError } from '../../model/errors.ts'
import { asString, field, type Json } from '../../model/json.ts'
import type { Pace } from '../pace.ts'
import { FrameReader, frameOf, PROTOCOL } from './frame.ts'
import { Gathering } from './gathering.ts'
import { type SocketPath, socketPath } from './place.ts'

/** What the process that holds a store's database does for others. */
export interface Service {
  /** The store's identity: two stores never meet. */
  readonly store: string
  /** Does a piece of work that is known by a name, or gives undefined where this process will not. */
  readonly work: (name: string, ask: Json) => Promise<Json> | undefined
  /** Has the database let go as soon as it may be, so that whoever asks can have it next. */
  readonly yield: () => void
  /** Says how what it does goes on. */
  readonly pace: () => Pace
}

/** What is answered where nothing was done and another process is to be asked. */
const GONE = { gone: true } as const

/**
 * Said to all last of all: what was not answered before was not done. One is to have the database next, and the others
 * leave it a moment to open it.
 */
const leaving = (isNext: boolean): Json => ({ id: null, leaving: true, next: isNext })

/** Answers other processes on a socket in the store's folder, to which only its user can connect. */
export class HolderServer {
  readonly name: string
  readonly #service: Service
  readonly #server: Server
  readonly #place: SocketPath
  readonly #file: string
  readonly #sockets = new Set<Socket>()
  readonly #answering = new Set<Promise<void>>()
  readonly #gathering = new Gathering<Socket>()
  #closing = false
  #left = false

  private constructor(dir: string, name: string, place: SocketPath, service: Service) {
    this.name = name
    this.#service = service
    this.#place = place
    this.#file = join(dir, name)
    this.#server = createServer((socket) => this.#meet(socket))
    this.#server.unref()
  }

  /** Begins to listen, or gives undefined where the system gives no socket. */
  static async listen(dir: string, name: string, service: Service): Promise<HolderServer | undefined> {
    const place = socketPath(dir, name)
    if (!place) return undefined
    const server = new HolderServer(dir, name, place, service)
    return new Promise((resolve) => {
      let refuse = (): void => {
        place.free()
        resolve(undefined) // without a socket others wait for the database itself
      }
      server.#server.on('error', () => refuse())
      server.#server.listen(place.path, () => {
        try {
          chmodSync(place.path, 0o600)
        } catch {
          server.#server.close()
          refuse()
          return
        }
        // Who cannot be let in later waits likewise.
        refuse = () => undefined
        resolve(server)
      })
    })
  }

  #meet(socket: Socket): void {
    const frames = new FrameReader()
    this.#sockets.add(socket)
    socket.unref()
    // Whoever asked may be gone before the answer: what was done is done.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#gathering.came(socket)
    })
    socket.on('data', (chunk) => {
      try {
        for (const message of this.#left ? [] : frames.push(chunk)) {
          const answering = this.#answer(socket, message, frames.isText)
            .catch(() => void socket.destroy()) // what cannot be said was asked for by no sess
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
    this.#gathering.came(socket)
    const reply = await this.#replyTo(message)
    if ('value' in reply) this.#gathering.left(socket)
    if (!socket.destroyed) socket.write(frameOf({ id, ...reply }, asText))
  }

  async #replyTo(message: Json): Promise<{ readonly [key: string]: Json }> {
    const ask = asString(field(message, 'ask'))
    try {
      switch (ask) {
        case 'hello':
          return { protocol: PROTOCOL, store: this.#service.store, text: true }
        case 'ping':
          return { ...this.#service.pace() }
        case 'yield':
          this.#service.yield()
          return { ...this.#service.pace() }
        case 'work': {
          const name = asString(field(message, 'name')) ?? ''
          const done = this.#closing ? undefined : this.#service.work(name, field(message, 'of') ?? null)
          return done === undefined ? GONE : { value: await done }
        }
        default:
          return GONE
      }
    } catch (thrown) {
      const { code, message: says, hint } = asSessError(thrown)
      // It was let go before anything was done.
      if (code === 'closed') return GONE
      return { error: { code, says, hint } }
    }
  }

  /** Resolves once those that were just answered have asked again, or may be long in doing so; undefined where nobody asks. */
  gathered(): Promise<void> | undefined {
    return this.#sockets.size === 0 ? undefined : this.#gatherAnswered()
  }

  async #gatherAnswered(): Promise<void> {
    // What was just written answers those that asked for it: however many promises that takes, it is done first.
    await new Promise<void>((done) => process.nextTick(done))
    await this.#gathering.all()
  }

  /** Takes no more work, answers what was asked before, and lets everybody go. */
  async close(): Promise<void> {
    this.#closing = true
    this.#server.close()
    while (this.#answering.size > 0) await Promise.all(this.#answering)
    this.#left = true
    for (const [i, socket] of [...this.#sockets].entries()) {
      socket.write(frameOf(leaving(i === 0)))
      // Not waited for: whoever is stopped takes nothing.
      socket.destroySoon()
    }
    this.#place.free()
    rmSync(this.#file, { force: true })
  }
}
