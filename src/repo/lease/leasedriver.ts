import { isFenced as isFencedError } from '../../model/errors.ts'
import type { Backend } from '../../storage/backend.ts'
import type { LevelBackend } from '../../storage/levelbackend/levelbackend.ts'
import { CLOSED, type LeaseEffect, type LeaseEvent, type LeaseState, transition } from './leasestates.ts'

/** A database that is open to be written. */
export interface OpenDatabase<B> {
  readonly backend: B
  /** Whether the fencing token changed since the database was opened: another process took the store over. */
  readonly isFenced: () => boolean
  /** Called before the database is closed. */
  readonly onClose: () => void
}

/** Answers other processes. */
export interface Listener {
  nextRequests(): Promise<void> | undefined
  close(): Promise<void>
}

type Closable = Pick<Backend, 'close'> & { readonly failed: boolean }

/** The functions that perform the effects on the database. */
export interface Actions<B> {
  /** Opens the database, or returns undefined where another process holds it. */
  readonly open: () => Promise<OpenDatabase<B> | undefined>
  /** Listens for requests of other processes, or returns undefined where they cannot ask for the database. */
  readonly listen: () => Promise<Listener | undefined>
  /** Takes the store over from a holder that does not answer. */
  readonly takeOver: () => void
}

interface WaitingUser<B> {
  readonly admit: (backend: B | undefined) => void
  readonly reject: (reason: unknown) => void
}

/** Milliseconds after opening from which on a process listens: listening costs more than a single write. */
const LISTEN_SOON = 100

/** Milliseconds of each timer of the state machine. */
const TIMERS = {
  /** Without use, after which the database is closed if no process can ask for it. */
  idle: 40,
  /** The longest wait of a user while the database is yielded: an earlier user may itself wait for this one. */
  turn: 50,
  /** For which the database is left to the process that asked for it. */
  cede: 12,
} as const

/** Performs the effects of the state machine in `leasestates.ts` on one database, for all users in this process. */
export class LeaseDriver<B extends Closable> {
  readonly #actions: Actions<B>
  #state: LeaseState
  #opened: OpenDatabase<B> | undefined
  #queue: WaitingUser<B>[] = []
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** The error of a close or a takeover that nobody waited for: the next user receives it. */
  #failure: { readonly reason: unknown } | undefined
  readonly #timers = new Map<keyof typeof TIMERS, NodeJS.Timeout>()
  #listenTimer: NodeJS.Timeout | undefined
  #listening: Promise<void> | undefined
  #listener: Listener | undefined

  constructor(actions: Actions<B>, state: LeaseState = CLOSED) {
    this.#actions = actions
    this.#state = state
  }

  get state(): LeaseState['name'] {
    return this.#state.name
  }

  /** The database, while it is open here. */
  get opened(): B | undefined {
    return this.#opened?.backend
  }

  /** Whether the database is open but must not be used any more. */
  get isLost(): boolean {
    const opened = this.#opened
    return opened !== undefined && (opened.backend.failed || opened.isFenced())
  }

  /** Returns the database until `release`, or undefined if it is not available now. */
  take(): Promise<B | undefined> {
    if (this.#failure) {
      const { reason } = this.#failure
      this.#failure = undefined
      return Promise.reject(reason)
    }
    if (this.#state.name === 'held') {
      this.dispatch('want')
      return Promise.resolve(this.#opened?.backend)
    }
    return new Promise((admit, reject) => {
      this.#queue.push({ admit, reject })
      this.dispatch('want')
    })
  }

  /** Returns the database if it is held and no other process asked for it, without a turn of the event loop. */
  takeNow(): B | undefined {
    if (this.#state.name !== 'held' || this.isLost) return undefined
    this.dispatch('want')
    return this.#opened?.backend
  }

  release(): void {
    this.dispatch('release')
  }

  /**
   * Returns the database for work of another process: as `takeNow`, and also while it is to be closed for a third one, as
   * long as users of this process have it. Else such work would wait until the third process has had it.
   */
  takeForOther(): LeaseHandle<B> | undefined {
    const backend = this.takeNow()
    if (backend) return { backend, release: () => this.release() }
    const { name } = this.#state
    const opened = this.#opened
    if (!opened || name !== 'yielding' || this.#state.users === 0 || this.isLost) return undefined
    this.dispatch('guest')
    return { backend: opened.backend, release: () => this.dispatch('guest-release') }
  }

  /** Resolves when the clients just answered have sent their next request, or after a timeout. */
  nextRequests(): Promise<void> | undefined {
    return this.#listener?.nextRequests()
  }

  dispatch(event: LeaseEvent): void {
    const { state, effects } = transition(this.#state, event)
    this.#state = state
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: LeaseEffect): void {
    switch (effect) {
      case 'open':
        this.#opening = this.#open()
        break
      case 'close':
        this.#closing = this.#close()
        // A failure is reported to the next user, or by `end`.
        this.#closing.catch(() => undefined)
        break
      case 'admit':
        this.#settle(this.#opened?.backend)
        break
      case 'refuse':
        this.#settle(undefined)
        break
      case 'listen':
        this.#listenAfter(0)
        break
      case 'listen-soon':
        this.#listenAfter(LISTEN_SOON)
        break
      case 'start-idle':
        this.#start('idle')
        break
      case 'start-turn':
        this.#start('turn')
        break
      case 'start-cede':
        this.#start('cede')
        break
      case 'take-over':
        this.#takeOver()
    }
  }

  /** The holder is suspected in a timer, or while its socket is read: nobody receives what is thrown there. */
  #takeOver(): void {
    try {
      this.#actions.takeOver()
    } catch (reason) {
      this.#failure = { reason }
    }
  }

  #settle(backend: B | undefined): void {
    if (this.#queue.length === 0) return
    for (const { admit } of this.#queue.splice(0)) admit(backend)
  }

  #reject(reason: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(reason)
  }

  async #open(): Promise<void> {
    try {
      this.#opened = await this.#actions.open()
      this.dispatch(this.#opened ? 'opened' : 'locked')
    } catch (reason) {
      this.#reject(reason)
      this.dispatch('failed')
    } finally {
      this.#opening = undefined
    }
  }

  async #close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    clearTimeout(this.#listenTimer)
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    try {
      await this.#listening
      // A database that stays open would lock out all other processes until this one ends.
      try {
        await this.#listener?.close()
        opened?.onClose()
      } finally {
        this.#listener = undefined
        this.#listening = undefined
        await opened?.backend.close()
      }
      this.#closing = undefined
    } catch (reason) {
      this.#closing = undefined
      // After fencing nothing acknowledged is lost, and commits in flight report their own errors.
      if (!isFencedError(reason)) {
        if (this.#queue.length > 0) this.#reject(reason)
        else this.#failure = { reason }
        this.dispatch('failed')
        throw reason
      }
    }
    this.dispatch('closed')
  }

  #listenAfter(milliseconds: number): void {
    this.#listenTimer = setTimeout(() => {
      this.#listening = this.#listen()
    }, milliseconds).unref()
  }

  async #listen(): Promise<void> {
    this.#listener = await this.#actions.listen()
    if (!this.#listener) this.dispatch('deaf')
  }

  /** Timers keep no process alive, and each is made once: a new one for each use would cost a share of an append. */
  #start(name: keyof typeof TIMERS): void {
    const timer = this.#timers.get(name)
    if (timer) timer.refresh()
    else this.#timers.set(name, this.#timer(name))
  }

  #timer(name: keyof typeof TIMERS): NodeJS.Timeout {
    const timer = setTimeout(() => this.dispatch(name), TIMERS[name])
    // The other timers must fire: a user waits for them.
    return name === 'idle' ? timer.unref() : timer
  }

  /** Ends the use of a fenced database. Resolves once it is closed, or after a short wait while it is in use. */
  async fence(): Promise<void> {
    this.dispatch('fence')
    const soon = new Promise<void>((resolve) => {
      setTimeout(resolve, TIMERS.turn)
    })
    await (this.#closing ?? soon)
  }

  /** Resolves once nothing is being closed, whether that failed or not. */
  async settled(): Promise<void> {
    await this.#closing?.catch(() => undefined)
  }

  /** Closes the database for good. */
  async end(): Promise<void> {
    await this.#opening
    this.dispatch('end')
    await this.#closing
  }
}

/** The right of one user of this process to use the database until `release`. */
export interface LeaseHandle<B = LevelBackend> {
  readonly backend: B
  readonly release: () => void
}
