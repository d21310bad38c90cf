/* oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { locateStore, processVariables } from '../../library/outside.ts'
import type { AgentPosition } from '../../library/types.ts'
import { absolute } from './folders.ts'
import type { StoreNotice, StoreReply, StoreRequest, StoreThreadData } from './messages.ts'

/** The store that follows the file of a session. */
export interface StoreOptions {
  /**
   * The folder of the store, or false for none. By default `$SESS_PI_STORE`, which may be `off`, else where the command
   * line finds it.
   */
  readonly store?: string | false
  /** Which leaf counts when a file is opened: that of the store, unless the file has grown since, or that of the file. */
  readonly leaf?: 'store' | 'file'
}

/** Returns the folder of the store that options name, undefined for none. */
function storeOf({ store }: StoreOptions, cwd: string): string | undefined {
  const env = processVariables()
  const named = store ?? (env.SESS_PI_STORE || env.SESS_STORE)
  if (named === false || named === 'off') return undefined
  return named ? absolute(named) : locateStore({ cwd, variables: env })
}

const links = new Map<string, Link>()

/** Returns the link to the store that options name, one for all managers of the process; undefined for none. */
export function linkTo(options: StoreOptions, cwd: string): Link | undefined {
  const dir = storeOf(options, cwd)
  if (dir === undefined) return undefined
  const link = links.get(dir) ?? new Link(dir)
  links.set(dir, link)
  return link
}

/** The store's thread, and the longest wait for it in milliseconds. */
const THREAD = { file: fileURLToPath(new URL('./worker.js', import.meta.url)), timeout: 30_000 }

/**
 * The way to a store, for those who cannot wait for it asynchronously. It never throws: what keeps a session from the
 * store is a warning of the process, for the file has all of it.
 */
export class Link {
  readonly #dir: string
  readonly #thread: typeof THREAD
  readonly #flag = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #port: MessagePort | undefined
  /** The number of requests to follow a file. */
  #requested = 0
  #done = 0
  #waiters: (() => void)[] = []
  /** The number of requests that are waited for. */
  #requests = 0
  /** Whether the thread did not answer in time, and was not heard since: it is not waited for again. */
  #isSilent = false
  readonly #warned = new Set<string>()

  constructor(dir: string, thread = THREAD) {
    this.#dir = dir
    this.#thread = thread
  }

  /** Returns where a session was left; undefined where the last line of its file is the leaf. */
  leaf(place: AgentPosition): string | null | undefined {
    return existsSync(this.#dir) ? this.#wait({ ask: 'leaf', place }).leaf : undefined
  }

  /** Stores the position of a session: durable when it returns. */
  keep(place: AgentPosition): void {
    this.#wait({ ask: 'keep', place })
  }

  /** Asks the store to follow a file. The process does not end before it has. */
  follow(place: AgentPosition): void {
    const worker = this.#open()
    if (!worker) return
    this.#requested++
    worker.ref()
    worker.postMessage({ ask: 'follow', place } satisfies StoreRequest)
  }

  /** Resolves once the store has caught up with all files, or a warning was printed. */
  async settled(): Promise<void> {
    if (this.#done === this.#requested || !this.#worker) return
    await new Promise<void>((done) => {
      this.#waiters.push(done)
    })
  }

  #settle(): void {
    this.#done = this.#requested
    this.#worker?.unref()
    for (const done of this.#waiters.splice(0)) done()
  }

  #wait(request: StoreRequest): StoreReply {
    const worker = this.#open()
    const port = this.#port
    if (!worker || !port) return {}
    const number = ++this.#requests
    worker.postMessage({ ...request, number })
    const reply = this.#replyTo(number, port) ?? { failed: 'it did not answer' }
    if (reply.failed !== undefined) this.#warn(reply.failed)
    return reply
  }

  /** Waits for the reply to a request; replies to earlier ones, which came too late, are dropped. */
  #replyTo(number: number, port: MessagePort): StoreReply | undefined {
    let until: number | undefined
    for (;;) {
      // In this order: the thread sends a reply and then sets the flag.
      Atomics.store(this.#flag, 0, 0)
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
        this.#isSilent = false
        const reply = next.message as StoreReply
        if (reply.number === number) return reply
      }
      until ??= performance.now() + (this.#isSilent ? 0 : this.#thread.timeout)
      const waited = Atomics.wait(this.#flag, 0, 0, Math.max(0, until - performance.now()))
      this.#isSilent = waited === 'timed-out'
      if (this.#isSilent) return undefined
    }
  }

  #open(): Worker | undefined {
    if (this.#worker) return this.#worker
    const { file } = this.#thread
    if (!existsSync(file)) {
      this.#warn(`'${file}' is not there: build sess, or set SESS_PI_STORE=off`)
      return undefined
    }
    const { port1, port2 } = new MessageChannel()
    const data: StoreThreadData & { readonly port: MessagePort } = {
      dir: this.#dir,
      flag: this.#flag,
      port: port2,
    }
    const worker = new Worker(file, { workerData: data, transferList: [port2], name: 'sess' })
    worker.unref()
    worker.on('message', ({ done, failed }: StoreNotice) => {
      this.#isSilent = false
      if (failed !== undefined) this.#warn(failed)
      if (done === this.#requested) this.#settle()
    })
    worker.on('error', (error) => this.#warn(error.message))
    worker.on('exit', () => {
      this.#worker = undefined
      this.#isSilent = false
      this.#settle()
    })
    this.#worker = worker
    this.#port = port1
    return worker
  }

  #warn(reason: string): void {
    if (this.#warned.has(reason)) return
    this.#warned.add(reason)
    process.emitWarning(`the store '${this.#dir}' does not follow this session now: ${reason}`, {
      code: 'SESS_STORE',
    })
  }
}
