import type { Note } from '../live/note.ts'
import { type FoundFile, lookAt, notedFiles } from '../live/notedfiles.ts'
import { type ImportedSession, type Pace, settle } from '../live/settler.ts'
import { setupRecord } from '../live/setup.ts'
import { contextOf, type FolderContext, machineOf, openStore, type Store } from './open.ts'
import { liveFolder, locateStore } from './surroundings.ts'

/** How a settler is asked for. */
export interface Settling {
  /** The folder of what is set up, which may name the store of all sessions. */
  readonly folder: string
  /** The clock that its times are measured by, in milliseconds. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<void>
  /** Its times, where they are not the usual ones. */
  readonly pace?: Pace
}

/** The time to wait for a store that another process has, in milliseconds: the settler tries again. */
const LOCK_TIMEOUT = 1000

/** Returns the folder of what is set up for the user of a machine. */
export const liveFolderOf = (context: FolderContext): string => liveFolder(machineOf(context))

/** Settles what hooks noted, as `settle`; opens each store once. Returns false where another process settles. */
export async function settleNotes(
  context: FolderContext,
  { folder, now, wait, pace }: Settling,
): Promise<boolean> {
  const { home, variables } = machineOf(context)
  // A note says itself which store its agent was started with.
  const own = { ...variables, SESS_STORE: undefined }
  const into = setupRecord(folder).store
  const stores = new Stores(context)
  try {
    return await settle(
      {
        folder,
        now,
        wait,
        storeOf: (note: Note) =>
          note.store ?? into ?? locateStore(undefined, { variables: own, env: { cwd: note.cwd ?? home } }),
        filesOf: (note) => notedFiles(note, { home, variables: own, cwd: note.cwd ?? home }),
        look: lookAt,
        importFiles: (dir, files, signal) => stores.importInto(dir, files, signal),
      },
      pace,
    )
  } finally {
    await stores.close()
  }
}

/** The stores that a settler has opened. */
class Stores {
  readonly #context: FolderContext
  readonly #open = new Map<string, Store>()

  constructor(context: FolderContext) {
    this.#context = context
  }

  async importInto(
    dir: string,
    files: readonly FoundFile[],
    signal: AbortSignal,
  ): Promise<readonly ImportedSession[]> {
    const [{ importNoted }, store] = await Promise.all([import('../ops/importnoted.ts'), this.#storeAt(dir)])
    const { repo } = contextOf(store, { signal, actor: 'program', command: 'hook' })
    const { sessions, refused } = await importNoted(repo, files)
    const [first] = refused
    if (first && sessions.length === 0) throw first.error
    return sessions
  }

  async #storeAt(dir: string): Promise<Store> {
    const known = this.#open.get(dir)
    if (known) return known
    const { env } = this.#context
    const opened = await openStore(dir, {
      create: true,
      env,
      actor: 'program',
      command: 'hook',
      lockTimeout: LOCK_TIMEOUT,
    })
    this.#open.set(dir, opened)
    return opened
  }

  async close(): Promise<void> {
    for (const store of this.#open.values()) await store.close()
  }
}
