import { Repo } from '../../src/repo/repo.ts'
import { getSession, type SourceHead } from '../../src/repo/session.ts'

/** What was made of a source, whatever the steps in which it was read. */
export interface Outcome
  extends Pick<SourceHead, 'count' | 'entries' | 'hash' | 'updated' | 'bytes' | 'sha256' | 'salvaged'> {
  readonly format: string
  readonly main: string | undefined
  /** The tips of all branches in the order of their oids: names may depend on the steps. */
  readonly tips: readonly string[]
}

/**
 * Gives what a store holds of the source of a session. The hash covers the oid, time, native id and bytes of each
 * record.
 */
export async function outcomeOf(dir: string, id: string): Promise<Outcome> {
  const repo = await Repo.open(dir)
  try {
    const { source, meta, branches } = await repo.read((backend) => getSession(backend, id))
    if (!source) throw new Error(`session ${id} has no source`)
    const { count, entries, hash, updated, bytes, sha256, salvaged } = source
    return {
      count,
      entries,
      hash,
      updated,
      bytes,
      sha256,
      salvaged,
      format: meta.format,
      main: branches.get('main'),
      tips: [...branches.values()].sort(),
    }
  } finally {
    await repo.close()
  }
}
