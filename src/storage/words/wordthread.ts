/* oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Awaitable } from '../../model/awaitable.ts'
import type { Row } from '../record.ts'
import type { Told } from './words.ts'

/** What a thread is told, or asked for: a segment of the words in the groups from a row up to another. */
export type Request = Told | { readonly from: Row; readonly to: Row }

/** What a thread answers: how much it has gone through, or the segment. */
export type Answer = { readonly size: number } | { readonly bytes: Uint8Array }

/** So many UTF-16 units of text wait for a thread at most: they are copied to it, and take memory there. */
const MOST = 1 << 20

/** What it makes of a text is dropped at once: with room for more it would only take more of the process's memory. */
const YOUNG_MB = 8

/** Gives a new thread that gathers words, where a processor and what it runs are there for it, and the process may have one. */
export function wordThread(): WordThread | undefined {
  const file = new URL('./wordworker.js', import.meta.url)
  if (availableParallelism() < 2 || !existsSync(file)) return undefined
  try {
    return new WordThread(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ACCESS_DENIED') return undefined
    throw error
  }
}

/** A thread that gathers words: most of what an import does besides needs the store, and this needs texts alone. */
export class WordThread {
  readonly #worker: Worker
  /** How many UTF-16 units of what it was told it has not gone through. */
  #waiting = 0
  #bytes: Uint8Array | undefined
  #failure: Error | undefined
  #wake: (() => void) | undefined

  constructor(file: URL) {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB }
    // Flags of the process may be of no use to a thread, or refused: `--input-type` is, and what is to be loaded first.
    this.#worker = new Worker(file, { name: 'words', execArgv: [], resourceLimits })
    this.#worker.unref()
    this.#worker.on('message', (answer: Answer) => this.#hear(answer))
    this.#worker.on('error', (error: Error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('the thread that gathers words has ended')))
  }

  #hear(answer: Answer): void {
    if ('bytes' in answer) this.#bytes = answer.bytes
    else this.#waiting -= answer.size
    this.#wake?.()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#wake?.()
  }

  tell(told: Told): void {
    this.#waiting += told.size
    this.#ask(told)
  }

  #ask(request: Request): void {
    this.#worker.postMessage(request)
  }

  /** Gives the words from a row up to another as a segment, and has them forgotten. Throws what the thread failed by. */
  async encode(from: Row, to: Row): Promise<Uint8Array> {
    this.#bytes = undefined
    this.#ask({ from, to })
    await this.#until(() => this.#bytes !== undefined)
    return this.#bytes as unknown as Uint8Array
  }

  /** Waits until little of what it was told waits. */
  relax(): Awaitable<void> {
    return this.#waiting > MOST ? this.#until(() => this.#waiting <= MOST) : undefined
  }

  /** Waits for answers; the process does not end meanwhile. */
  async #until(isDone: () => boolean): Promise<void> {
    this.#worker.ref()
    while (!isDone()) {
      if (this.#failure) throw this.#failure
      await new Promise<void>((wake) => {
        this.#wake = wake
      })
    }
    this.#worker.unref()
  }

  close(): void {
    void this.#worker.terminate()
  }
}
