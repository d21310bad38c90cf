import { connect as connectTo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Code, SessError } from '../../model/errors.ts'
import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { WORDINGS } from '../../model/wordings.ts'
import type { Pace } from '../pace.ts'
import { FrameReader, frameOf, PROTOCOL } from './frame.ts'
import { Patience } from './patience.ts'
import { socketPath } from './place.ts'

/** After so many milliseconds of silence a holder is asked whether it is there. */
const SILENCE = 250

/** So many milliseconds are left to the one that is to have the database next, to open it and to listen. */
const CEDED = 30

/** Why something that was asked was not answered: it was not done, or nobody knows; or the holder is stopped. */
export type Unanswered = 'gone' | 'lost' | 'silent'

interface Waiting {
  readonly resolve: (answer: JsonObject | Unanswered | Promise<Unanswered>) => void
}

/** Asks the process that holds a store's database. */
export class HolderClient {
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  #next = 0
  #asText = false
  readonly #patience = new Patience()
  #asked = 0
  #ticked = 0
  #timer: NodeJS.Timeout | undefined
  #free: () => void
  #leaving = false
  #ceded: Promise<unknown> | undefined
  #settled: (() => void)[] = []

  private constructor(socket: Socket, free: () => void) {
    this.#socket = socket
    this.#free = free
    const frames = new FrameReader()
    socket.on('data', (chunk) => {
      try {
        for (const message of frames.push(chunk)) this.#hear(message)
      } catch {
        socket.destroy() // what comes is no answer
      }
    })
    socket.on('error', () => undefined) // 'close' follows
    socket.on('close', () => this.#end('lost'))
    socket.unref()
  }

  /**
   * Connects to a holder's socket in a store's folder. Gives `gone` where nobody listens, `silent` where somebody does
   * that does not answer, or why the two do not understand each other.
   */
  static async connect(
    dir: string,
    name: string,
    store: string,
  ): Promise<HolderClient | 'gone' | 'silent' | { readonly refused: string }> {
    const place = socketPath(dir, name)
    if (!place) return 'gone'
    const socket = await new Promise<Socket | undefined>((resolve) => {
      const made = connectTo(place.path)
      made.once('connect', () => resolve(made))
      made.once('error', () => resolve(undefined))
    })
    if (!socket) {
      place.free()
      return 'gone'
    }
    const client = new HolderClient(socket, place.free)
    const hello = await client.#ask({ ask: 'hello' })
    if (typeof hello === 'string') return hello === 'silent' ? 'silent' : 'gone'
    const [protocol, met] = [field(hello, 'protocol'), field(hello, 'store')]
    client.#asText = field(hello, 'text') === true
    if (protocol === PROTOCOL && met === store) return client
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

  /** Whether it takes no more work: it lets the database go. */
  get isLeaving(): boolean {
    return this.#leaving
  }

  /** Resolves once all is answered that was asked. */
  async settled(): Promise<void> {
    while (this.#waiting.size > 0)
      await new Promise<void>((resolve) => {
        this.#settled.push(resolve)
      })
  }

  /** Has a piece of work done. Gives what came of it, or why nobody knows; throws what it threw. */
  async work(name: string, of: Json): Promise<{ readonly value: Json } | Unanswered> {
    const answer = await this.#ask({ ask: 'work', name, of })
    if (typeof answer === 'string') return answer
    if (field(answer, 'gone') === true) {
      this.#leaving = true
      return 'gone'
    }
    const error = field(answer, 'error')
    if (isObject(error)) throw errorOf(error)
    return { value: field(answer, 'value') ?? null }
  }

  /** Asks for the database: the holder lets it go as soon as it may. */
  async yield(): Promise<'silent' | 'asked' | 'gone'> {
    const answer = await this.#ask({ ask: 'yield' })
    if (typeof answer === 'string') return answer === 'silent' ? answer : 'gone'
    if (!this.#patience.isOver(Date.now())) return 'asked'
    this.#giveUp()
    return 'silent'
  }

  #ask(message: { readonly [key: string]: Json }): Promise<JsonObject | Unanswered> {
    if (!this.isOpen || this.#leaving) return this.#gone()
    const id = this.#next++
    this.#socket.write(frameOf({ id, ...message }, this.#asText))
    this.#socket.ref()
    return new Promise((resolve) => {
      const now = Date.now()
      // Whoever asks for the database asks again and again, and waits all the time.
      if (this.#waiting.size === 0 && now - this.#asked > SILENCE) this.#patience.begin(now)
      this.#asked = now
      this.#watch()
      this.#waiting.set(id, { resolve })
    })
  }

  async #gone(): Promise<'gone'> {
    await this.#ceded
    return 'gone'
  }

  #hear(message: Json): void {
    if (field(message, 'leaving') === true) {
      this.#leaving = true
      if (field(message, 'next') === false) this.#ceded = pause(CEDED)
      this.#end('gone')
      return
    }
    const id = field(message, 'id')
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined
    const pace = paceOf(message)
    if (waiting && !pace) this.#patience.done(Date.now())
    else this.#patience.hear(Date.now(), pace)
    if (!waiting || !isObject(message)) return
    this.#waiting.delete(id as number)
    waiting.resolve(message)
    if (this.#waiting.size > 0) return
    this.#socket.unref()
    for (const resolve of this.#settled.splice(0)) resolve()
  }

  /** Looks now and then whether the holder still answers, until no answer is waited for. */
  #watch(): void {
    if (this.#timer) return
    this.#ticked = Date.now()
    this.#timer = setInterval(() => {
      if (this.#waiting.size === 0) {
        this.#unwatch()
        return
      }
      const now = Date.now()
      // Where this process itself stood still, the holder may have answered in time.
      if (now - this.#ticked > 2 * SILENCE) this.#patience.begin(now)
      this.#ticked = now
      if (this.#patience.isOver(now)) this.#giveUp()
      else if (this.#patience.waits(now) >= SILENCE) this.#socket.write(frameOf({ id: null, ask: 'ping' }))
    }, SILENCE).unref()
  }

  /** Tells all who wait that it does not go on. */
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
    this.#free()
    this.#free = () => undefined
    for (const { resolve } of this.#waiting.values()) resolve(why === 'gone' ? this.#gone() : why)
    this.#waiting.clear()
    for (const resolve of this.#settled.splice(0)) resolve()
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Gives what an answer says of how the holder goes on; one to work says nothing of it. */
function paceOf(message: Json): Pace | undefined {
  const [steps, isLong] = [field(message, 'steps'), field(message, 'isLong')]
  return typeof steps === 'number' ? { steps, isLong: isLong === true } : undefined
}

function errorOf(error: Json): SessError {
  const code = asString(field(error, 'code')) ?? ''
  const hint = asString(field(error, 'hint')) ?? ''
  const known: Code = Object.hasOwn(WORDINGS, code) ? (code as Code) : 'bug'
  return SessError.told(known, asString(field(error, 'says')) ?? '', hint)
}
