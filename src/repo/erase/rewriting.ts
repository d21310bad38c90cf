import { setTimeout as pause } from 'node:timers/promises'
import { SessError } from '../../model/errors.ts'
import type { Backend } from '../../storage/backend.ts'
import { removeLeftovers } from '../../storage/folder/generation.ts'
import { NextGeneration } from '../../storage/folder/nextgeneration.ts'
import { isHeld } from '../../storage/leveldb/database.ts'
import type { Kept, Revision } from '../../storage/rewrite/kept.ts'
import { renewJournal } from '../journal.ts'
import type { Lease } from '../lease/lease.ts'
import type { Mutex } from '../mutex.ts'
import { formerCopies } from './copies.ts'

/** How a database is written anew. */
export interface Rewriting {
  /** Gives what of a database is kept. Asked again, it gives no less of what was there before. */
  readonly kept: (backend: Backend) => Promise<Kept>
  /** What is changed on the way. */
  readonly revision?: Revision
  /** Leave nothing of what was: write the journal anew whatever goes, and wait until the database before is gone. */
  readonly thorough?: boolean
  /** Called with how many entries were taken so far. */
  readonly onProgress?: (entries: number) => void
}

interface Store {
  readonly dir: string
  readonly lease: Lease
  /** Held while something is written. */
  readonly writing: Mutex
}

/**
 * Writes the database of a store anew, with what is kept of it. `kept` is asked twice: of a copy, while others go on
 * writing, and at last of the database itself, which gives what was written meanwhile; then the new one is published in
 * one step. A process that is killed before leaves the store as it was. Throws `busy` where another process took the
 * store over.
 */
export async function rewriteStore(
  { dir, lease, writing }: Store,
  { kept, revision, thorough = false, onProgress }: Rewriting,
): Promise<void> {
  const next = await NextGeneration.begin(dir, revision)
  try {
    const copy = await lease.copy()
    try {
      await copy.backend.takeInto(next.rewrite, await kept(copy.backend), onProgress)
    } finally {
      copy.release()
    }
    const unlock = await writing.lock()
    try {
      let forgets = thorough
      const published = await lease.exchange(async (backend) => {
        const all = await kept(backend)
        forgets ||= all.forgotten.operation > backend.operationLog().dropped.operation
        await backend.takeInto(next.rewrite, all)
        return next.publish()
      })
      if (!published) throw new SessError('busy', dir, { detail: 'another process took it over' })
      // It tells what refs were, and what these named is gone.
      if (forgets) await lease.use('write', (backend) => renewJournal(dir, backend))
    } finally {
      unlock()
    }
    // Only now: what another process asked for meanwhile waits to write, and uses the former database until it has.
    if (thorough) await removeFormer(dir)
  } finally {
    await next.remove()
  }
}

/** A former database is waited for so often, so many milliseconds each time: until who read it last has let it go. */
const TRIES = 40
const PAUSE = 50

async function removeFormer(dir: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    await removeLeftovers(dir, isHeld)
    if (formerCopies(dir).length === 0) return
    await pause(PAUSE)
  }
}
