/* oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { locateStore } from '../../repo/location.ts'
import { absolute } from './folders.ts'
import type { LeafPlace, StoreNotice, StoreReply, StoreRequest, StoreThreadData } from './keep.ts'

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
  const { env } = process
  const named = store ?? (env.SESS_PI_STORE || env.SESS_STORE)
  if (named === false || named === 'off') return undefined
  return named ? absolute(named) : locateStore(undefined, { variables: env, env: { cwd } })
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

/** The longest wait for the store's thread, in milliseconds. */
const TIMEOUT_MS = 30_000

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url))

/**
 * The way to a store, for those who cannot wait for it asynchronously. It never throws: what keeps a session from the
 * store is a warning of the process, for the file has all of it.
 */
export class Link {
  readonly #dir: string
  readonly #flag = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #port: MessagePort | undefined
  /** The number of requests to follow a file. */
  #asked = 0
  #done = 0
  #waiters: (() => void)[] = []
  readonly #told = new Set<string>()

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Returns where a session was left; undefined where its file is to say so. */
  leaf(place: LeafPlace): string | null | undefined {
    return existsSync(this.#dir) ? this.#wait({ ask: 'leaf', place }).leaf : undefined
  }

  /** Stores the position of a session: durable when it returns. */
  keep(place: LeafPlace): void {
    this.#wait({ ask: 'keep', place })
  }

  /** Asks the store to follow a file. The process does not end before it has. */
  follow(place: LeafPlace): void {
    const worker = this.#open()
    if (!worker) return
    this.#asked++
    worker.ref()
    worker.postMessage({ ask: 'follow', place } satisfies StoreRequest)
  }

  /** Resolves once the store has caught up with all files, or a warning was printed. */
  async settled(): Promise<void> {
    if (this.#done === this.#asked || !this.#worker) return
    await new Promise<void>((done) => {
      this.#waiters.push(done)
    })
  }

  #settle(): void {
    this.#done = this.#asked
    this.#worker?.unref()
    for (const done of this.#waiters.splice(0)) done()
  }

  #wait(request: StoreRequest): StoreReply {
    const worker = this.#open()
    if (!worker || !this.#port) return {}
    Atomics.store(this.#flag, 0, 0)
    worker.postMessage(request)
    const waited = Atomics.wait(this.#flag, 0, 0, TIMEOUT_MS)
    const received = receiveMessageOnPort(this.#port)
    const reply = (received?.message as StoreReply | undefined) ?? { failed: `it did not answer (${waited})` }
    if (reply.failed !== undefined) this.#warn(reply.failed)
    return reply
  }

  #open(): Worker | undefined {
    if (this.#worker) return this.#worker
    if (!existsSync(WORKER)) {
      this.#warn(`'${WORKER}' is not there: build sess, or set SESS_PI_STORE=off`)
      return undefined
    }
    const { port1, port2 } = new MessageChannel()
    const data: StoreThreadData & { readonly port: MessagePort } = {
      dir: this.#dir,
      flag: this.#flag,
      port: port2,
    }
    const worker = new Worker(WORKER, { workerData: data, transferList: [port2], name: 'sess' })
    worker.unref()
    worker.on('message', ({ done, failed }: StoreNotice) => {
      if (failed !== undefined) this.#warn(failed)
      if (done === this.#asked) this.#settle()
    })
    worker.on('error', (error) => {
      this.#warn(error.message)
      this.#settle()
      this.#worker = undefined
    })
    this.#worker = worker
    this.#port = port1
    return worker
  }

  #warn(reason: string): void {
    if (this.#told.has(reason)) return
    this.#told.add(reason)
    process.emitWarning(`the store '${this.#dir}' does not follow this session now: ${reason}`, {
      code: 'SESS_STORE',
    })
  }
}
