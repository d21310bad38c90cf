import type { Command } from 'commander'
import type { SessError } from '../model/errors.ts'
import type { Repo } from '../repo/repo.ts'
import type { Io } from './io.ts'
import { locateStore } from './location.ts'
import { styled } from './style.ts'
import type { World } from './world.ts'

/** The options that every command takes. */
export interface GlobalOptions {
  readonly store?: string
  readonly json?: boolean
  readonly lockTimeout: number
  readonly color: boolean
  readonly version?: boolean
}

/** How the store is opened. */
interface Opening {
  /** Its folder, where it is not the usual one. */
  readonly at?: string
  /** Make it where there is none. */
  readonly create?: boolean
  /** Open it though it is damaged. */
  readonly tolerant?: boolean
}

/** One call of a command: what it prints to, and the store that it works on. */
export class Call {
  readonly io: Io
  readonly world: World
  readonly argv: readonly string[]
  options: GlobalOptions = { lockTimeout: 5, color: true }
  /** What the process exits with unless an error says otherwise. */
  status = 0
  #repo: Promise<Repo> | undefined
  #opened: Repo | undefined

  constructor(io: Io, world: World, argv: readonly string[]) {
    this.io = io
    this.world = world
    this.argv = argv
  }

  /** Gives the folder of the store. */
  get store(): string {
    return locateStore(this.options.store, this.world)
  }

  /** Gives the store, opened at the first call; with `create` it is made where there is none. */
  repo({ at = this.store, ...how }: Opening = {}): Promise<Repo> {
    this.#repo ??= this.#open(at, how)
    return this.#repo
  }

  async #open(folder: string, how: Omit<Opening, 'at'>): Promise<Repo> {
    const { Repo: Store } = await import('../repo/repo.ts')
    const repo = await Store.open(folder, {
      ...how,
      lockTimeout: this.options.lockTimeout * 1000,
      command: `sess ${this.argv.map(quoted).join(' ')}`,
      env: this.world.env,
    })
    if (repo.wasLoose)
      void this.io.note(`sess: others could look into '${repo.dir}'; it is private to you now`)
    this.#opened = repo
    return repo
  }

  /** Gives the store where it was opened. */
  get opened(): Repo | undefined {
    return this.#opened
  }

  /** Prints a hint that the setting `hints.<name>` turns off. */
  hint(name: string, text: string): void {
    if (this.io.json) return
    void this.io.note(styled('cyan', 'hint:'), ` ${text}`)
    void this.io.note(styled('dim', `hint: turn this hint off with: sess config hints.${name} false`))
  }

  /** Prints an error that does not end the command, and remembers its exit code. */
  refuse(error: SessError, exit: number): void {
    this.status = exit
    if (this.io.json) void this.io.noteData({ error: { ...error.data() } })
    else {
      void this.io.note(styled('red', 'sess:'), ` ${error.message}`)
      void this.io.note(styled('cyan', 'hint:'), ` ${error.hint}`)
    }
  }
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./~^{}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** Wraps what a command does, so that it gets its call first and then what commander parsed. */
export type Act = <A extends unknown[]>(
  run: (call: Call, ...args: A) => Promise<void>,
) => (...args: A) => Promise<void>

/** Declares the arguments and options of a command, of which only the name is known before. */
export type Load = (command: Command) => Promise<void>

/** Declares the arguments and options of a command and what it does. */
export type Define = (command: Command, act: Act, load: Load) => void
