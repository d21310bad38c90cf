import { realpathSync } from 'node:fs'
import { Level } from 'level'
import { checkDatabaseFolder } from '../folder/openfile.ts'

type Pairs = Level<Uint8Array, Uint8Array>

/** What abstract-level calls to open and to close, which its types do not tell. */
interface Hooks {
  _open(options: object): Promise<void>
  _close(): Promise<void>
}

const Base = Level as unknown as new (...of: ConstructorParameters<typeof Level>) => Pairs & Hooks

const OPEN = Symbol.for('sess.open')

/** The folders of the databases that are open here, or being opened: of all copies of this module in a thread. */
const open: Set<string> = ((globalThis as { [OPEN]?: Set<string> })[OPEN] ??= new Set())

/**
 * A LevelDB that is not open twice in a process. LevelDB itself refuses the second one, but has opened the file of its
 * lock by then and closes it again; with that the system takes away the lock of the whole process (fcntl(2)), another
 * process gets in, and both write. So it is not asked.
 */
export class SoleLevel extends Base {
  #folder: string | undefined

  override async _open(options: object): Promise<void> {
    const folder = pathOf(this.location)
    if (open.has(folder))
      throw Object.assign(new Error('already open in this process'), { code: 'LEVEL_LOCKED' })
    open.add(folder)
    try {
      checkDatabaseFolder(this.location)
      await super._open(options)
      this.#folder = folder
    } catch (error) {
      open.delete(folder)
      throw error
    }
  }

  /** One that does not close stays open. */
  override async _close(): Promise<void> {
    await super._close()
    if (this.#folder !== undefined) open.delete(this.#folder)
  }
}

/** Tells whether the database in a folder is open here, or being opened. */
export const isOpenHere = (folder: string): boolean => open.has(pathOf(folder))

/** A folder that is reached by a link is the same. */
function pathOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder // it is not there yet
  }
}
