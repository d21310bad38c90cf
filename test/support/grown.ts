import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fsck } from '../../src/index.ts'
import { Repo } from '../../src/repo/repo.ts'
import { getSession, type SourceHead } from '../../src/repo/session.ts'
import { exported, newStore } from './corpus.ts'
import { newFolder } from './folder.ts'

/** The result of reading a source, whatever the steps in which it was read. */
export interface Outcome
  extends Pick<SourceHead, 'count' | 'entries' | 'hash' | 'updated' | 'bytes' | 'sha256' | 'salvaged'> {
  readonly format: string
  readonly main: string | undefined
  /** The tips of all branches in the order of their oids: which has which name may depend on the steps. */
  readonly tips: readonly string[]
}

/**
 * Returns what a store holds of the source of a session. The hash covers the oid, time, native id and bytes of each
 * record.
 */
async function outcomeOf(dir: string, id: string): Promise<Outcome> {
  const repo = await Repo.open(dir)
  try {
    const { source, meta, branches } = await repo.read((backend) => getSession(backend, id))
    if (!source) throw new Error(`session ${id} has no source`)
    const { count, entries, hash, updated, bytes, sha256, salvaged } = source
    const { format } = meta
    const tips = [...branches.values()].sort()
    return {
      count,
      entries,
      hash,
      updated,
      bytes,
      sha256,
      salvaged,
      format,
      main: branches.get('main'),
      tips,
    }
  } finally {
    await repo.close()
  }
}

export interface Grown {
  readonly outcome: Outcome
  /** How many sessions it became. */
  readonly sessions: number
  /** The lengths at which what came back were not the bytes of the file. */
  readonly wrong: readonly number[]
  readonly findings: Fsck['findings']
}

/** Imports a file at each of some lengths and at last whole, and gives what became of it. */
export async function grown(name: string, source: Buffer, lengths: readonly number[] = []): Promise<Grown> {
  const folder = newFolder()
  const store = await newStore(join(folder, 'store'))
  const path = join(folder, name)
  writeFileSync(path, '')
  const wrong: number[] = []
  let session = ''
  let at = 0
  for (const length of [...lengths, source.length]) {
    appendFileSync(path, source.subarray(at, length))
    at = length
    const [file] = (await store.import(path)).files
    session = file?.session ?? ''
    const back = await exported(store, session)
    if (file?.bytes !== length || !back.equals(source.subarray(0, length))) wrong.push(length)
  }
  const { findings } = await store.fsck()
  const sessions = (await store.sessions()).length
  await store.close()
  return { outcome: await outcomeOf(join(folder, 'store'), session), sessions, wrong, findings }
}
