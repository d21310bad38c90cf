import { countsOf } from '../../formats/registry.ts'
import type { Oid } from '../../model/oid.ts'
import type { Usage } from '../../model/view.ts'
import type { Change } from '../../repo/repo.ts'
import type { SourceHead } from '../../repo/session.ts'
import { branchesOf } from './branches.ts'
import type { Intake } from './intake.ts'
import type { Target } from './target.ts'

/** What was read of a source, and what is known besides. */
interface Read {
  readonly intake: Intake
  readonly target: Target
  readonly reading: number
  /** The SHA-256 of its bytes. */
  readonly digest: string
  /** What a file beside it tells of all its model calls together. */
  readonly usage?: Usage | undefined
  /** The branches as import last set them. */
  readonly before: { readonly [name: string]: Oid }
}

/** Gives the head of a source's log, but for what its bytes do not tell of it. */
export async function sourceHead(
  { reader, writer }: Change,
  { intake, target, reading, digest, usage, before }: Read,
): Promise<SourceHead> {
  const { said } = intake
  // The next import reads the source from its beginning: where it was within a model call does not matter.
  const { last: _, ...summary } = said.summary
  return {
    log: target.log,
    count: intake.records - (target.first ?? 0),
    entries: said.entries.size,
    hash: intake.hash,
    updated: intake.updated,
    reading,
    bytes: intake.bytes,
    sha256: digest,
    tail: intake.tail.map((bytes) => writer.putBlob(bytes)),
    branches: await branchesOf(reader, intake, before),
    salvaged: intake.salvaged,
    ...(said.lacking > 0 && { lacking: said.lacking }),
    summary: { ...summary, ...countsOf(usage ?? intake.facts.usage ?? {}) },
  }
}
