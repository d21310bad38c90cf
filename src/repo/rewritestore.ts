import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SessError } from '../model/errors.ts'
import type { Backend } from '../storage/backend.ts'
import { readGeneration } from '../storage/directory/generation.ts'
import { isBeingRewritten, removeLeftovers } from '../storage/directory/leftovers.ts'
import { NextGeneration } from '../storage/directory/nextgeneration.ts'
import { processName } from '../storage/directory/processname.ts'
import { QUARANTINE } from '../storage/directory/quarantine.ts'
import { checkFolder } from '../storage/directory/safefile.ts'
import { removeJournal } from '../storage/journal.ts'
import { DENSITIES } from '../storage/levelbackend/compression.ts'
import { isHeld } from '../storage/leveldb/database.ts'
import type { ContentEdits, OnCopied, RewriteScope } from '../storage/rewrite/scope.ts'
import { renewJournal } from './journalcheck.ts'
import type { Lease } from './lease/lease.ts'
import type { Mutex } from './mutex.ts'

/** How a database is rewritten. */
export interface RewriteOptions {
  /** Returns what of a database is kept. A second call must keep at least what the first one kept. */
  readonly kept: (backend: Backend) => Promise<RewriteScope>
  /** Changes the content while it is copied. */
  readonly revision?: ContentEdits
  /**
   * Leave no trace of removed content: rewrite the journal in any case, and wait until the former database is deleted.
   */
  readonly thorough?: boolean
  /** How densely it is packed: `same` compresses only what changes. */
  readonly density: keyof typeof DENSITIES
  readonly onCopied?: OnCopied
}

interface RewrittenStore {
  readonly dir: string
  readonly lease: Lease
  /** Held while something is written. */
  readonly writing: Mutex
  /** Held while the database is rewritten. */
  readonly rewriting: Mutex
  /** Throws `stopped` where the call was aborted. */
  readonly checkStop: () => void
}

/** The number of attempts to rewrite a store that is taken over meanwhile. */
const ATTEMPTS = 3

/**
 * Rewrites the database of a store as its next generation, with what `kept` returns. A process that is killed before
 * that is published leaves the store as it was. Throws `busy` where the store is taken over again and again meanwhile.
 */
export async function rewriteStore(store: RewrittenStore, options: RewriteOptions): Promise<void> {
  const unlock = await store.rewriting.lock()
  try {
    await othersRewritten(store)
    for (let left = ATTEMPTS; !(await rewriteOnce(store, options)); ) {
      if (--left === 0) throw new SessError('busy', store.dir, { detail: 'another process took it over' })
      await othersRewritten(store)
    }
  } finally {
    unlock()
  }
  // Only after writing is possible again: waiting writers of other processes use the former database until then.
  if (options.thorough) await removeFormer(store.dir)
}

/** Milliseconds between two looks at whether another process still rewrites the database. */
const LOOK = 200

/** Resolves once no other process rewrites the database. */
async function othersRewritten({ dir, checkStop }: RewrittenStore): Promise<void> {
  while (await isBeingRewritten(dir, isHeld, Date.now())) {
    checkStop()
    await pause(LOOK)
  }
}

/**
 * Copies the bulk from a snapshot while other processes go on writing; then writing stops, what was written meanwhile is
 * added, and the new generation is published in one step. Returns false where the store was taken over since the
 * beginning, perhaps by this process, from a holder that does not answer.
 */
async function rewriteOnce(
  { dir, lease, writing, checkStop }: RewrittenStore,
  { kept, revision, thorough = false, density, onCopied }: RewriteOptions,
): Promise<boolean> {
  const next = await NextGeneration.begin(dir, { density: DENSITIES[density], revision })
  const whileCopied: OnCopied = (bytes, of) => {
    checkStop()
    onCopied?.(bytes, of)
  }
  try {
    const copy = await lease.copy()
    try {
      await copy.backend.copyInto(next.rewrite, await kept(copy.backend), whileCopied)
    } finally {
      copy.release()
    }
    const unlock = await writing.lock()
    try {
      let forgets = thorough
      try {
        return await lease.exchange(async (backend) => {
          // The copy is of another database.
          if (!next.isNext()) return false
          const all = await kept(backend)
          forgets ||= all.dropped.operation > backend.operationLog().dropped.operation
          await backend.copyInto(next.rewrite, all)
          // The journal holds former values of refs, which may hold removed content. The next process that opens the
          // database, even if this one is killed now, writes it again from the refs that are there.
          if (forgets) removeJournal(dir)
          return next.publish()
        })
      } finally {
        if (forgets) await lease.use('write', (backend) => renewJournal(dir, backend))
      }
    } finally {
      unlock()
    }
  } finally {
    await next.remove()
  }
}

/** The number of attempts to delete a former database that is still read, and the milliseconds between them. */
const TRIES = 40
const PAUSE = 50

async function removeFormer(dir: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    await removeLeftovers(dir, isHeld)
    if (formerCopies(dir).length === 0) return
    await pause(PAUSE)
  }
}

/**
 * Returns the names of the databases in a store's folder that are not the current one, except this process's own
 * copies.
 */
export function formerCopies(dir: string): string[] {
  const current = `db.${readGeneration(dir)}`
  return readdirSync(dir).filter(
    (name) =>
      /^(?:db|snapshot)\.\d/.test(name) && name !== current && !name.startsWith(`snapshot.${processName()}.`),
  )
}

/** Returns the folders that damaged files were moved to, the oldest first. */
export function quarantinesIn(dir: string): string[] {
  // Its content may be removed: it must not be a link.
  if (!checkFolder(join(dir, QUARANTINE))) return []
  return readdirSync(join(dir, QUARANTINE))
    .toSorted()
    .map((name) => join(dir, QUARANTINE, name))
}

/** Removes the damaged files that are kept, and returns the folders that they were in. */
export function removeQuarantines(dir: string): string[] {
  const folders = quarantinesIn(dir)
  for (const folder of folders) rmSync(folder, { recursive: true })
  return folders
}
