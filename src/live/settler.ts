import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { asSessError } from '../model/errors.ts'
import { mayBeDatabase } from '../sources/databases.ts'
import type { FoundFile } from '../sources/files.ts'
import { addFault } from './faults.ts'
import { acquireSettling, LIVE, namesOf, releaseSettling, renewSettling, textOf } from './livefolder.ts'
import { type Note, readNote } from './note.ts'
import { dropOldStates, keepSaved } from './saved.ts'

/** A session that was imported, as a statusline names it. */
export interface ImportedSession {
  readonly path: string
  readonly session: string
  readonly title: string | null
  readonly branch: string | null
}

/** The world of a settler: stores, the places of agents, time. */
export interface SettlerWorld {
  /** The folder of what is set up for the user. */
  readonly folder: string
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<void>
  /** Returns the folder of the store for a session. Throws where it may not be used. */
  readonly storeOf: (note: Note) => string
  /** Returns the files that a note is about, as they are now. */
  readonly filesOf: (note: Note) => readonly FoundFile[]
  /** Returns a file as it is now; undefined where it is gone. */
  readonly look: (path: string) => FoundFile | undefined
  /** Imports what is new in some files, and tells of each session that was imported. Throws as an import. */
  readonly importFiles: (
    store: string,
    files: readonly FoundFile[],
    signal: AbortSignal,
  ) => Promise<readonly ImportedSession[]>
}

/** Times of a settler, in milliseconds. */
export interface Pace {
  /** How long a file must not have changed. */
  readonly quiet: number
  /** The longest wait for that. */
  readonly patience: number
  /** How long it goes on looking at files after the last note, change or import: agents add a line or two. */
  readonly linger: number
  /** The longest that it works after the last note. */
  readonly limit: number
  /** The pause between two looks. */
  readonly pause: number
}

const PACE: Pace = { quiet: 250, patience: 2000, linger: 4000, limit: 8500, pause: 100 }

/** A file that is waited for or followed, and the notes that it settles. */
interface Followed {
  readonly store: string
  file: FoundFile
  /** When the file was seen to change last, and since when it is waited for; undefined where it is saved. */
  changed: number
  waiting: number | undefined
  notes: Set<string>
}

/**
 * Imports what hooks noted, once each file is quiet, and goes on looking at these files for a few seconds. Ends within
 * ten seconds after the last note, whatever is left then: the notes stay for the next settler. Returns false where
 * another process settles.
 */
export async function settle(world: SettlerWorld, pace: Pace = PACE): Promise<boolean> {
  for (;;) {
    if (namesOf(join(world.folder, LIVE.spool)).length === 0) return true
    if (!acquireSettling(world.folder, world.now())) return false
    const settler = new Settler(world, pace)
    let isDone: boolean
    try {
      isDone = await settler.run()
    } finally {
      releaseSettling(world.folder)
    }
    // A hook that found the lock has started nobody: its note may have come after the last look.
    if (!isDone || settler.newNotes().length === 0) return true
  }
}

class Settler {
  readonly #world: SettlerWorld
  readonly #pace: Pace
  readonly #followed = new Map<string, Followed>()
  readonly #known = new Set<string>()
  readonly #reported = new Set<string>()
  readonly #over = new AbortController()
  /** When the last note came, and when it last had something to do. */
  #last: number
  #active: number
  #retry = 0

  constructor(world: SettlerWorld, pace: Pace) {
    this.#world = world
    this.#pace = pace
    this.#last = world.now()
    this.#active = this.#last
  }

  /** Returns whether it ended because there was nothing left to do. */
  async run(): Promise<boolean> {
    const { now, wait, folder } = this.#world
    dropOldStates(folder, now())
    for (;;) {
      this.#takeNotes()
      const isOver = now() - this.#last > this.#pace.limit
      if (isOver || !renewSettling(folder, now())) return false
      this.#lookAgain()
      await this.#importQuiet()
      const isIdle = [...this.#followed.values()].every(({ waiting }) => waiting === undefined)
      if (isIdle && now() - this.#active > this.#pace.linger) return true
      await wait(this.#pace.pause)
    }
  }

  /** Returns the names of the notes that have come since the last look. */
  newNotes(): string[] {
    return namesOf(join(this.#world.folder, LIVE.spool)).filter((name) => !this.#known.has(name))
  }

  #takeNotes(): void {
    const { folder, now, storeOf, filesOf } = this.#world
    for (const name of this.newNotes()) {
      this.#known.add(name)
      const path = join(folder, LIVE.spool, name)
      const note = readNote(textOf(path) ?? '')
      if (!note) {
        this.#drop(name)
        continue
      }
      this.#last = now()
      this.#active = this.#last
      try {
        const store = storeOf(note)
        const files = filesOf(note)
        for (const file of files) this.#follow(store, file, name)
        if (files.length === 0) this.#drop(name)
      } catch (error) {
        this.#report(error, note.path, note.store)
        this.#drop(name)
      }
    }
  }

  #follow(store: string, file: FoundFile, note: string): void {
    const now = this.#world.now()
    const key = `${store}\0${file.path}`
    const known = this.#followed.get(key)
    if (!known) {
      this.#followed.set(key, { store, file, changed: now, waiting: now, notes: new Set([note]) })
      return
    }
    // Only the newest note of a file is kept: a store that cannot be opened for long does not fill the spool.
    const older = known.notes
    known.notes = new Set([note])
    for (const one of older) this.#drop(one)
    known.file = file
    known.waiting ??= now
  }

  #drop(note: string): void {
    for (const { notes } of this.#followed.values()) if (notes.has(note)) return
    this.#remove(note)
  }

  #remove(note: string): void {
    try {
      unlinkSync(join(this.#world.folder, LIVE.spool, note))
    } catch {
      // Removed by another settler, or the disk is read-only: the next import does the same again.
    }
  }

  /** Finds which of the followed files have changed since. */
  #lookAgain(): void {
    const { look, now } = this.#world
    for (const [key, one] of this.#followed) {
      const file = look(one.file.path)
      if (!file) {
        this.#followed.delete(key)
        for (const note of one.notes) this.#drop(note)
      } else if (file.size !== one.file.size || file.mtime !== one.file.mtime) {
        one.file = file
        one.changed = now()
        one.waiting ??= one.changed
        this.#active = one.changed
      }
    }
  }

  async #importQuiet(): Promise<void> {
    const { now } = this.#world
    const { quiet, patience } = this.#pace
    if (now() < this.#retry) return
    const isQuiet = ({ file, changed }: Followed): boolean =>
      // A database is whole at any time.
      mayBeDatabase(file.path) || now() - changed >= quiet
    const ready = [...this.#followed.values()].filter(
      (one) => one.waiting !== undefined && (isQuiet(one) || now() - one.waiting >= patience),
    )
    for (const store of new Set(ready.map((one) => one.store)))
      await this.#importInto(
        store,
        ready.filter((one) => one.store === store),
      )
  }

  /** Writes down what went wrong, once for each store. */
  #report(error: unknown, path: string | null, store: string | null): void {
    const { folder, now } = this.#world
    const what = `${asSessError(error).code} ${store}`
    if (this.#reported.has(what)) return
    this.#reported.add(what)
    addFault(folder, error, { now: now(), path, store })
  }

  async #importInto(store: string, ready: readonly Followed[]): Promise<void> {
    const { now, importFiles } = this.#world
    const stopping = setTimeout(() => this.#over.abort(), Math.max(0, this.#last + this.#pace.limit - now()))
    const files = ready.map(({ file }) => file)
    try {
      const sessions = await importFiles(store, files, this.#over.signal)
      this.#keep(store, files, sessions)
    } catch (thrown) {
      const error = asSessError(thrown)
      this.#report(error, files[0]?.path ?? null, store)
      if (error.retryable) {
        this.#retry = now() + this.#pace.quiet
        return
      }
      // The notes stay, for when the store is repaired.
      for (const one of ready) this.#followed.delete(`${store}\0${one.file.path}`)
      return
    } finally {
      clearTimeout(stopping)
    }
    this.#active = now()
    for (const one of ready) {
      one.waiting = undefined
      const { notes } = one
      one.notes = new Set()
      for (const note of notes) this.#drop(note)
    }
  }

  #keep(store: string, files: readonly FoundFile[], sessions: readonly ImportedSession[]): void {
    const { folder, now } = this.#world
    for (const { path, size, mtime } of files) {
      // Sessions in a database have its path and their ids.
      const saved = sessions.findLast((one) => one.path === path || one.path.startsWith(`${path}#`))
      if (saved) keepSaved(folder, { ...saved, path, size, mtime, store, time: now() })
    }
  }
}
