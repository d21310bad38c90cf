import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { monotonicNow } from '../../storage/clock.ts'
import { readGeneration } from '../../storage/directory/generation.ts'
import { readHolder } from '../../storage/directory/holder.ts'
import { isRunning, isStopped, processName } from '../../storage/directory/processname.ts'
import { decodeError } from './errormessage.ts'
import { FailureDetector, type HolderProgress, UnreachableHolder } from './failuredetector.ts'
import { FrameReader, frameOf, PROTOCOL } from './messages.ts'
import { socketPaths, storeName } from './socket.ts'

/** Milliseconds of silence after which a heartbeat is asked for. */
const SILENCE = 250

/** Milliseconds that are left to the process that is to have the database next, to open it and to listen. */
const CEDED = 30

/**
 * Why a request has no answer: it was not done (`gone`), its outcome is unknown (`lost`), or the holder is suspected.
 */
export type Unanswered = 'gone' | 'lost' | 'silent'

type Resolve = (answer: JsonObject | Unanswered | Promise<Unanswered>) => void

/** The process that holds a store's database, as other processes ask it. */
export class HolderClient {
  readonly #socket: Socket
  readonly #onEnd: (why: Unanswered) => void
  /** Requests by id, until they are answered. */
  readonly #waiting = new Map<number, Resolve>()
  #next = 0
  #asText = false
  readonly #detector = new FailureDetector()
  #asked = 0
  #ticked = 0
  #timer: NodeJS.Timeout | undefined
  #leaving = false
  #ended = false
  #ceded: Promise<unknown> | undefined
  readonly #leavers = new Set<() => void>()
  #settled: (() => void)[] = []

  private constructor(socket: Socket, onEnd: (why: Unanswered) => void) {
    this.#socket = socket
    this.#onEnd = onEnd
    const frames = new FrameReader()
    socket.on('data', (chunk) => {
      try {
        for (const message of frames.push(chunk)) this.#receive(message)
      } catch {
        socket.destroy() // it speaks something else
      }
    })
    socket.on('error', () => undefined) // 'close' follows
    socket.on('close', () => this.#end('lost'))
    socket.unref()
  }

  /**
   * Connects to the socket of a holder. Returns `gone` where no process listens, `silent` where the holder does not
   * answer, or why the two do not understand each other. `onEnd` is called once when it takes no more requests.
   */
  static async connect(
    name: string,
    store: string,
    onEnd: (why: Unanswered) => void = () => undefined,
  ): Promise<HolderClient | 'gone' | 'silent' | { readonly refused: string }> {
    const socket = await connectTo(socketPaths(name))
    if (!socket) return 'gone'
    let isConnected = false
    const client = new HolderClient(socket, (why) => {
      if (isConnected) onEnd(why)
    })
    const hello = await client.#ask({ ask: 'hello' })
    if (typeof hello === 'string') return hello === 'silent' ? 'silent' : 'gone'
    const [protocol, met] = [field(hello, 'protocol'), field(hello, 'store')]
    client.#asText = field(hello, 'text') === true
    if (protocol === PROTOCOL && met === store) {
      isConnected = true
      return client
    }
    client.close()
    return {
      refused:
        protocol === PROTOCOL
          ? 'it holds another store'
          : `it speaks version ${JSON.stringify(protocol)} of the protocol, this sess version ${PROTOCOL}`,
    }
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Whether it takes no more requests, because it lets the database go. */
  get isLeaving(): boolean {
    return this.#leaving
  }

  /** Resolves once all requests are answered. */
  async settled(): Promise<void> {
    while (this.#waiting.size > 0)
      await new Promise<void>((resolve) => {
        this.#settled.push(resolve)
      })
  }

  /**
   * Hands work over. Returns its result, `gone` where it was not done or `lost` where that is unknown; throws as the
   * work.
   */
  async work(name: string, of: Json): Promise<{ readonly value: Json } | 'gone' | 'lost'> {
    const answer = await this.#ask({ ask: 'work', name, of })
    if (typeof answer === 'string') return answer === 'silent' ? 'lost' : answer
    if (field(answer, 'gone') === true) {
      this.#leaving = true
      return 'gone'
    }
    const error = field(answer, 'error')
    if (isObject(error)) throw decodeError(error)
    return { value: field(answer, 'value') ?? null }
  }

  /**
   * Asks the holder to close the database as soon as it is not in use. `waited` is how long this process has waited for
   * that, in milliseconds: the one that has waited longest is to have it next.
   */
  async yield(waited = 0): Promise<'silent' | 'asked' | 'gone'> {
    const answer = await this.#ask({ ask: 'yield', waited, process: processName() })
    if (typeof answer === 'string') return answer === 'silent' ? answer : 'gone'
    if (!this.#detector.isSuspect(monotonicNow())) return 'asked'
    this.#giveUp()
    return 'silent'
  }

  /** Resolves once the database is let go, and this process may try to open it; after so many milliseconds at most. */
  async left(milliseconds: number): Promise<void> {
    if (!this.#ended)
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          this.#leavers.delete(end)
          resolve()
        }
        const timer = setTimeout(end, milliseconds)
        this.#leavers.add(end)
      })
    await this.#ceded
  }

  #ask(message: { readonly [key: string]: Json }): Promise<JsonObject | Unanswered> {
    if (!this.isOpen || this.#leaving) return this.#gone()
    const id = this.#next++
    this.#socket.write(frameOf({ id, ...message }, this.#asText))
    this.#socket.ref()
    return new Promise((resolve) => {
      const now = monotonicNow()
      // A process that needs the database asks again and again, and waits all the time.
      if (this.#waiting.size === 0 && now - this.#asked > SILENCE) this.#detector.begin(now)
      this.#asked = now
      this.#watch()
      this.#waiting.set(id, resolve)
    })
  }

  async #gone(): Promise<'gone'> {
    await this.#ceded
    return 'gone'
  }

  #receive(message: Json): void {
    if (field(message, 'leaving') === true) {
      this.#leaving = true
      if (field(message, 'next') === false) this.#ceded = pause(CEDED)
      this.#end('gone')
      return
    }
    const id = field(message, 'id')
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined
    const progress = progressOf(message)
    if (waiting && !progress) this.#detector.done(monotonicNow())
    else this.#detector.heartbeat(monotonicNow(), progress)
    if (!waiting || !isObject(message)) return
    this.#waiting.delete(id as number)
    waiting(message)
    if (this.#waiting.size > 0) return
    this.#socket.unref()
    for (const resolve of this.#settled.splice(0)) resolve()
  }

  /** Asks for heartbeats until no answer is waited for. */
  #watch(): void {
    if (this.#timer) return
    this.#ticked = monotonicNow()
    this.#timer = setInterval(() => {
      if (this.#waiting.size === 0) {
        this.#unwatch()
        return
      }
      const now = monotonicNow()
      // Time in which this process itself was stopped does not count: the holder may have answered.
      if (now - this.#ticked > 2 * SILENCE) this.#detector.begin(now)
      this.#ticked = now
      if (this.#detector.isSuspect(now)) this.#giveUp()
      else if (this.#detector.waits(now) >= SILENCE) this.#socket.write(frameOf({ id: null, ask: 'ping' }))
    }, SILENCE).unref()
  }

  /** Reports the holder as suspected to all that wait. */
  #giveUp(): void {
    this.#end('silent')
    this.#socket.destroy()
  }

  #unwatch(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #end(why: Unanswered): void {
    this.#unwatch()
    if (!this.#ended) {
      this.#ended = true
      // Before anything is asked of another process.
      this.#onEnd(why)
    }
    for (const resolve of this.#waiting.values()) resolve(why === 'gone' ? this.#gone() : why)
    this.#waiting.clear()
    for (const resolve of this.#settled.splice(0)) resolve()
    for (const end of this.#leavers) end()
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Connects to the first of some sockets on which somebody listens. */
async function connectTo(paths: readonly string[]): Promise<Socket | undefined> {
  for (const path of paths) {
    const socket = await new Promise<Socket | undefined>((resolve) => {
      const made = connect(path)
      made.once('connect', () => resolve(made))
      made.once('error', () => resolve(undefined))
    })
    if (socket) return socket
  }
  return undefined
}

/** Returns the progress that an answer reports; an answer to work reports none. */
function progressOf(message: Json): HolderProgress | undefined {
  const [steps, isLong] = [field(message, 'steps'), field(message, 'isLong')]
  return typeof steps === 'number' ? { steps, isLong: isLong === true } : undefined
}

/** Callbacks for events of the process that holds the database. */
interface Reports {
  readonly reached: () => void
  readonly left: () => void
  /** The failure detector suspects the holder that was met while a fencing token was current. */
  readonly silent: (generation: number) => void
}

/** Finds the process that holds a store's database, and keeps the connection to it. */
export class Peer {
  readonly #dir: string
  readonly #store: string
  readonly #reports: Reports
  readonly #unreachable = new UnreachableHolder()
  #holder: HolderClient | undefined
  /** Why the holder and this process do not understand each other. */
  #refused: string | undefined

  constructor(dir: string, store: string, reports: Reports) {
    this.#dir = dir
    this.#store = store
    this.#reports = reports
  }

  get refused(): string | undefined {
    return this.#refused
  }

  /** The holder, while it is connected and takes requests. */
  get connected(): HolderClient | undefined {
    const holder = this.#holder
    return holder?.isOpen && !holder.isLeaving ? holder : undefined
  }

  /** Returns the holder, connecting to it if necessary, or undefined where none can be reached now. */
  async find(): Promise<HolderClient | undefined> {
    const known = this.#holder
    if (known?.isLeaving) {
      // Requests that it has come first, wherever they are done.
      await known.settled()
      known.close()
    }
    if (known?.isOpen) return known
    const generation = readGeneration(this.#dir)
    const holder = readHolder(this.#dir)
    const socket = holder?.socket ?? ''
    // A holder without a socket closes the database soon after its last use, unless it is stopped or has ended.
    const { process: name = '' } = holder ?? {}
    if (holder?.socket === '' && isRunning(name) && !isStopped(name)) return undefined
    const found = socket === '' ? 'gone' : await this.#connect(socket, generation)
    if (found instanceof HolderClient) {
      this.#unreachable.forget()
      this.#refused = undefined
      this.#holder = found
      this.#reports.reached()
      return found
    }
    if (typeof found === 'object') this.#refused = found.refused
    else if (found === 'silent' || this.#isUnreachable(holder)) this.#reports.silent(generation)
    return undefined
  }

  #isUnreachable(holder: object | undefined): boolean {
    return this.#unreachable.isSuspect(JSON.stringify(holder ?? null), monotonicNow())
  }

  #connect(socket: string, generation: number): ReturnType<typeof HolderClient.connect> {
    const onEnd = (why: Unanswered): void => {
      if (why === 'silent') this.#reports.silent(generation)
      else this.#reports.left()
    }
    return HolderClient.connect(socket, storeName(this.#store, this.#dir), onEnd)
  }

  close(): void {
    this.#holder?.close()
  }
}
