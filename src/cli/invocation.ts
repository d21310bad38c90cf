import * as paths from 'node:path'
import { SessError } from '../model/errors.ts'
import { defined, type JsonObject } from '../model/json.ts'
import type { Variables } from '../model/variables.ts'
import { quoted } from '../text/shellwords.ts'
import { type Display, type Line, styled } from '../text/text.ts'
import type { FolderContext, Store, VerbContext } from '../verbs/open.ts'
import type { Progress } from '../verbs/progress.ts'
import type { HintName } from '../verbs/settings.ts'
import { Config, pricesIn } from '../verbs/settingvalues.ts'
import { type Env, findStore, homeOf } from '../verbs/surroundings.ts'
import type { Where } from '../verbs/values.ts'
import { errorData, hintOf } from './errors/hints.ts'
import { EXIT_OF_SIGNAL } from './exitcodes.ts'
import type { Interfaces } from './interfaces.ts'
import type { Io } from './io.ts'
import type { GlobalOptions } from './parameters.ts'
import type { Platform, Signal } from './platform.ts'
import { lineFrom } from './stdin.ts'

interface Opening {
  /** Its folder, where it is not the usual one. */
  readonly at?: string
  /** Make it where there is none. */
  readonly create?: boolean
  /** Open it though it is damaged. */
  readonly tolerant?: boolean
  /** Begin to open its database at once, as for commands that read. */
  readonly ahead?: boolean
  /** The name for its operations, where it writes time and again what nobody typed: each is an operation by itself. */
  readonly following?: string
}

/** Details of an error: lines for people, fields for programs. */
interface Detail {
  readonly lines: readonly Line[]
  readonly data: JsonObject
}

const NOTHING: Detail = { lines: [], data: {} }

/** One call of a command: what it prints to, and the store that it works on. Verbs without a store take it as it is. */
export class Invocation implements FolderContext {
  readonly io: Io
  readonly platform: Platform
  readonly argv: readonly string[]
  /** The other interfaces; undefined where only commands are run. */
  readonly interfaces: Interfaces | undefined
  readonly actor = 'person'
  options: GlobalOptions = {}
  config: Config
  /** Why the store in this folder or above must not be used where it is not named; undefined where it may. */
  refusal: SessError | undefined
  /** Whether nothing is to be written. */
  dryRun = false
  /** Whether the command must not write to a session that is current merely because it is the newest of the folder. */
  confirmsCurrent = false
  /** Whether the command only reads: what it needs is loaded while LevelDB opens. */
  reads = false
  /** How far the verb that runs is. */
  progress: Progress | undefined
  readonly onProgress = (now: Progress): void => {
    this.progress = now
  }
  /** Details of the error that ends the command. */
  detail: Detail = NOTHING
  /** The exit code unless an error sets another. */
  status = 0
  /** Whether a signal is how the command normally ends: it listens to `signal` itself, and that is no error. */
  endless = false
  /** Rejects with `stopped` when the user has stopped the command and the store has finished its writes. */
  readonly interrupted: Promise<never>
  #interrupt: (error: unknown) => void = () => undefined
  readonly #stopping = new AbortController()
  #signal: Signal | undefined
  #handling = 0
  #ignore: () => void = () => undefined
  readonly #unfinished = new Set<Promise<unknown>>()
  #repo: Promise<Store> | undefined
  #opened: Store | undefined

  constructor(io: Io, platform: Platform, argv: readonly string[], interfaces?: Interfaces) {
    this.interfaces = interfaces
    this.io = io
    this.platform = platform
    this.argv = argv
    this.config = new Config(platform.variables)
    this.interrupted = new Promise((_, reject) => {
      this.#interrupt = reject
    })
    this.interrupted.catch(() => undefined)
  }

  /**
   * Handles signals until the returned function is called: while a pager is waited for, while a file outside of the
   * store is written, and in commands that report what they kept. Without it a signal ends the process at once, also in
   * the middle of a long calculation, in which no handler would run; the store survives that
   * (docs/decisions/signals.md).
   */
  handleSignals(): () => void {
    if (this.#handling++ === 0) this.#ignore = this.platform.onSignal((signal) => this.stop(signal))
    return () => {
      if (--this.#handling === 0) this.#ignore()
    }
  }

  /** Returns the folder of the store. Throws why the one that was found is refused. */
  get store(): string {
    const { dir, isFound } = findStore(this.options.store, this.platform)
    if (isFound && this.refusal) throw this.refusal
    return dir
  }

  /** Returns the store, opened at the first call; with `create` it is created if there is none. */
  repo({ at = this.store, ...how }: Opening = {}): Promise<Store> {
    this.#repo ??= this.#open(at, how)
    return this.#repo
  }

  async #open(folder: string, { following, ahead = false, ...how }: Omit<Opening, 'at'>): Promise<Store> {
    const { openStore } = await import('../verbs/open.ts')
    const repo = await openStore(folder, {
      ...how,
      lockTimeout: 1000 * (this.options.lockTimeout ?? this.config.value('lockTimeout')),
      dryRun: this.dryRun,
      signal: this.#stopping.signal,
      actor: following === undefined ? 'person' : 'program',
      command: following ?? this.command,
      env: this.env,
      zone: this.platform.zone,
      single: following === undefined,
      confirmCurrent: this.confirmsCurrent,
      ...defined({ atOperation: this.options.atOp }),
    })
    if (repo.exposure === 'was-exposed')
      void this.io.note(`sess: others could look into '${repo.dir}'; it is private to you now`)
    if (repo.exposure === 'exposed')
      void this.io.note(
        `sess: others can look into '${repo.dir}': let its owner type 'chmod -R go= ${repo.dir}'`,
      )
    if (repo.network !== undefined)
      void this.io.note(
        `sess: '${repo.dir}' is on a network file system (${repo.network}): use it from one machine at a time`,
      )
    this.#opened = repo
    if (this.reads || ahead) {
      repo.openAhead()
      // After everything that does not wait for LevelDB.
      setImmediate(() => this.io.prepare())
    }
    return repo
  }

  /** Returns the context of verbs, with the store, which is opened at the first call. */
  async context(opening: Opening = {}): Promise<VerbContext> {
    const [{ contextOf }, repo] = await Promise.all([import('../verbs/open.ts'), this.repo(opening)])
    const { config, signal, platform, machine, onProgress } = this
    return contextOf(repo, {
      signal,
      machine,
      config,
      onProgress,
      zone: platform.zone,
      priceOf: pricesIn(config),
    })
  }

  /** The command as typed. */
  get command(): string {
    return `sess ${this.argv.map(quoted).join(' ')}`
  }

  get env(): Env {
    const { env, variables } = this.platform
    return variables.SESS_SESSION ? { ...env, session: variables.SESS_SESSION } : env
  }

  get machine(): { readonly home: string; readonly variables: Variables } {
    const { variables } = this.platform
    return { home: homeOf(this.platform), variables }
  }

  /** Returns the store where it was opened. */
  get opened(): Store | undefined {
    return this.#opened
  }

  /** Aborts when the user stops the command. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** The exit code for the signal that stopped the command. */
  get stopCode(): number | undefined {
    return this.#signal && EXIT_OF_SIGNAL[this.#signal]
  }

  /**
   * Stops the command at its next safe point: after its current write. A second signal ends the process at once; the
   * store stays intact. A pager gets the signal too: `less` leaves.
   */
  stop(signal: Signal): void {
    this.io.signalPager(signal)
    // Ctrl-C is for the pager while it has the terminal: this process must not go before it.
    if (this.#signal) {
      if (signal !== 'SIGINT' || !this.io.paging) this.platform.quit(EXIT_OF_SIGNAL[signal])
    } else {
      this.#signal = signal
      this.#stopping.abort()
      if (!this.endless) this.#rest().catch((error: unknown) => this.#interrupt(error))
    }
  }

  async #rest(): Promise<void> {
    await this.#opened?.writesSettled()
    await Promise.allSettled(this.#unfinished)
    // The command itself may report what it has just done.
    await new Promise((resolve) => setImmediate(resolve))
    this.checkStop()
  }

  /** Throws `stopped` where the user has stopped the command: a safe point of long work. */
  checkStop(): void {
    this.#opened?.checkStop()
    if (this.#signal) throw new SessError('stopped', 'nothing was changed')
  }

  /** Runs work outside of the store that is not to be left half done; it looks at `checkStop` now and then. */
  async finish<T>(work: Promise<T>): Promise<T> {
    this.#unfinished.add(work)
    const release = this.handleSignals()
    try {
      return await work
    } finally {
      release()
      this.#unfinished.delete(work)
    }
  }

  /** The width, time zone and clock by which lines for people are laid out. */
  get display(): Display {
    const { env, zone } = this.platform
    return { columns: this.io.columns, zone, now: env.now() }
  }

  /** Where the arguments were typed: relative paths and times mean something there. */
  get where(): Where {
    const { env, zone } = this.platform
    return { now: env.now, zone, absolute: (path) => paths.resolve(env.cwd, path) }
  }

  /** Whether the browser can be shown: there is a terminal that can move its cursor. */
  get hasBrowser(): boolean {
    const { stdin, stdout, variables } = this.platform
    return (
      this.interfaces !== undefined &&
      stdin.isTTY === true &&
      stdout.isTTY === true &&
      variables.TERM !== 'dumb'
    )
  }

  /** Whether a user can be asked: standard input and standard error are a terminal. */
  get isInteractive(): boolean {
    return this.platform.stdin.isTTY === true && this.platform.stderr.isTTY === true
  }

  /** Asks the user and returns the first line of the answer. */
  async ask(question: string): Promise<string> {
    await this.io.note(question)
    await this.io.flushNotes()
    return lineFrom(this.platform.stdin)
  }

  /** Prints on a terminal what is read from it, and how to end it. */
  async announceInput(what: string): Promise<void> {
    if (!this.isInteractive || this.io.json) return
    await this.io.note(`${what}; Ctrl-D on an empty line ends it`)
    await this.io.flushNotes()
  }

  /** Prints a hint that the setting `hints.<name>` turns off. */
  hint(name: HintName, text: string): void {
    if (this.io.json || !this.config.hints(name)) return
    void this.io.note(styled('cyan', 'hint:'), ` ${text}`)
    void this.io.note(styled('dim', `hint: turn this hint off with: sess config hints.${name} false`))
  }

  /** Prints an error that does not end the command, and remembers its exit code. */
  refuse(error: SessError, exit: number, { lines, data }: Detail = NOTHING): void {
    this.status = exit
    if (this.io.json) void this.io.noteData({ error: { ...errorData(error), ...data } })
    else {
      void this.io.note(styled('red', 'sess:'), ` ${error.message}`)
      for (const line of lines) void this.io.note(...line)
      void this.io.note(styled('cyan', 'hint:'), ` ${hintOf(error)}`)
    }
  }
}
