import { countsOf } from '../../formats/registry.ts'
import type { Oid } from '../../model/oid.ts'
import type { Usage } from '../../model/view.ts'
import type { Change } from '../../repo/repo.ts'
import type { SourceHead } from '../../repo/session.ts'
import { branchesOf } from './branches.ts'
import type { Ingester } from './ingester.ts'
import type { LogTarget } from './logtarget.ts'

/** The result of reading a source, with what is known from elsewhere. */
interface Read {
  readonly ingester: Ingester
  readonly target: LogTarget
  readonly reading: number
  /** The SHA-256 of its bytes. */
  readonly digest: string
  /** The usage of all its model calls together, from a sidecar file. */
  readonly usage?: Usage | undefined
  /** The branches as import last set them. */
  readonly before: { readonly [name: string]: Oid }
}

/** Returns the head of a source's log, but for what its bytes do not tell of it. */
export async function sourceHead(
  { reader, writer }: Change,
  { ingester, target, reading, digest, usage, before }: Read,
): Promise<SourceHead> {
  const { sourceEntries } = ingester
  // The next import reads the source from its beginning: where it was within a model call does not matter.
  const { last: _, ...summary } = sourceEntries.summary
  return {
    log: target.log,
    count: ingester.records - (target.first ?? 0),
    entries: sourceEntries.entries.size,
    hash: ingester.hash,
    updated: ingester.updated,
    reading,
    bytes: ingester.bytes,
    sha256: digest,
    tail: ingester.tail.map((bytes) => writer.putBlob(bytes)),
    branches: await branchesOf(reader, ingester, before),
    salvaged: ingester.salvaged,
    ...(sourceEntries.lacking > 0 && { lacking: sourceEntries.lacking }),
    summary: { ...summary, ...countsOf(usage ?? ingester.facts.usage ?? {}) },
  }
}
