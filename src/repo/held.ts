/** Something that is open. */
export interface Opened {
  /** Whether it can be used no more. */
  readonly failed?: boolean
  close(): Promise<void>
}

/** Milliseconds without use after which something is let go. */
const IDLE = 40

/** How long whoever asks waits until it was let go: not longer, for who uses it may wait for this. */
const PATIENT = 50

/** How long it is left to whoever asked for it. */
const LEFT = 12

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/** Holds something open while it is used, opens it once for all who ask at once, and lets it go when it is idle. */
export class Held<R extends Opened> {
  readonly #open: () => Promise<R | undefined>
  readonly #keep: boolean
  #opened: R | undefined
  #opening: Promise<R | undefined> | undefined
  #closing: Promise<void> | undefined
  /** Why it could not be let go while nobody used it: the next one who asks for it is told. */
  #failure: unknown
  #users = 0
  #idle: NodeJS.Timeout | undefined
  /** Since when it is asked to be let go, and resolves once it is. */
  #asked: { readonly done: Promise<void>; readonly resolve: () => void } | undefined
  #leftUntil = 0
  #ended = false

  /** `open` gives undefined where it cannot be had now. With `keep` it stays open until it is closed. */
  constructor(open: () => Promise<R | undefined>, { keep = false }: { readonly keep?: boolean } = {}) {
    this.#open = open
    this.#keep = keep
  }

  /** What is open, whether it can be had or not. */
  get opened(): R | undefined {
    return this.#opened
  }

  /** Whether it is open, or is being opened. */
  get isOpen(): boolean {
    return this.#opened !== undefined || this.#opening !== undefined
  }

  /** Whether it is open and can be had at once. */
  get isReady(): boolean {
    return this.#opened !== undefined && !this.#asked
  }

  /** Gives it, to be let go by `release`; undefined where it cannot be had now. */
  async take(): Promise<R | undefined> {
    if (this.#asked) await Promise.race([this.#asked.done, pause(PATIENT)])
    const left = this.#leftUntil - Date.now()
    if (left > 0 && !this.isOpen) await pause(left)
    // What is let go for good may wait for whoever asks here.
    if (this.#ended) return undefined
    this.#users++
    let taken: R | undefined
    try {
      if (this.#opened?.failed && this.#users === 1) await this.letGo()
      await this.#closing
      if (this.#failure !== undefined) throw this.#takeFailure()
      taken = this.#opened ?? (await (this.#opening ??= this.#start()))
      return taken
    } finally {
      if (!taken) this.#users--
    }
  }

  /**
   * Takes what is at hand without a turn of the event loop, and gives what lets it go; undefined where it is not at hand,
   * or can be used no more, or somebody asked for it.
   */
  takeNow(): (() => void) | undefined {
    if (!this.isReady || this.#ended || this.#opened?.failed) return undefined
    this.#users++
    return () => this.release()
  }

  async #start(): Promise<R | undefined> {
    try {
      const opened = await this.#open()
      // Here, not where it is waited for: between the two another one might open it again.
      this.#opened = opened
      return opened
    } finally {
      this.#opening = undefined
    }
  }

  release(): void {
    this.#users--
    if (this.#users > 0 || this.#keep) return
    if (this.#asked) setTimeout(this.#letGoIdle, 0).unref()
    // The same one each time, and not ended as it is taken: a timer of its own for each use would be a share of an append.
    else if (this.#idle) this.#idle.refresh()
    else this.#idle = setTimeout(this.#letGoIdle, IDLE).unref()
  }

  readonly #letGoIdle = (): void => {
    if (this.#users === 0) this.#letGoLater()
  }

  /** Has it let go as soon as nobody uses it, and not opened again for a moment. */
  yield(): void {
    if (this.#asked || !this.isOpen || this.#keep) return
    let resolve = (): void => undefined
    const done = new Promise<void>((settle) => {
      resolve = settle
    })
    this.#asked = { done, resolve }
    if (this.#users === 0) this.#letGoLater()
  }

  #letGoLater(): void {
    this.letGo().catch((error: unknown) => {
      this.#failure = error
    })
  }

  #takeFailure(): unknown {
    const failure = this.#failure
    this.#failure = undefined
    return failure
  }

  /** Lets it go. */
  letGo(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    if (opened)
      this.#closing = opened.close().finally(() => {
        this.#closing = undefined
        this.#leave()
      })
    return this.#closing ?? Promise.resolve()
  }

  /** Leaves it for a moment to whoever asked for it. */
  #leave(): void {
    if (!this.#asked) return
    this.#leftUntil = Date.now() + LEFT
    this.#asked.resolve()
    this.#asked = undefined
  }

  /** Lets it go for good as soon as nobody uses it; resolves then, or soon where somebody does. */
  async retire(): Promise<void> {
    this.#ended = true
    this.yield()
    if (this.#closing) await this.#closing
    else if (this.#asked) await Promise.race([this.#asked.done, pause(PATIENT)])
  }

  /** Lets it go for good, once nothing is being opened. */
  async close(): Promise<void> {
    this.#ended = true
    clearTimeout(this.#idle)
    await this.#opening
    await this.letGo()
  }
}
