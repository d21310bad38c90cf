import { SessError } from '../model/errors.ts'
import { iso } from '../model/iso.ts'
import { sessionPrefix } from '../model/refname.ts'
import type { Zone } from '../model/when.ts'
import { resolveSessionId } from '../repo/oplog/removedsession.ts'
import { resolveOperationNumber } from '../repo/oplog/resolveoperation.ts'
import { movesBack } from '../repo/oplog/reversal.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { type Moved, movedRefs } from './operations.ts'

/** What is restored. */
interface RestoreOptions {
  /** Only the refs of this session. */
  readonly session?: string
  /** In which local time a time is meant; UTC unless said. */
  readonly zone?: Zone
}

/** What a restore did. */
export interface Restored {
  /** The number of the operation that it went back to; 0 is the beginning. */
  readonly operation: number
  /** The number of the operation that did it, null where nothing had to move. */
  readonly by: number | null
  readonly moves: readonly Moved[]
}

/**
 * Restores all refs, or those of one session, to their values right after an operation, which is named as for `--at-op`.
 * The restore is one operation, which can be undone. Throws `ambiguous-operation`, and `no-operation`, also for a time
 * before the first operation: that would remove every session, which only 0 asks for.
 */
export async function restore(
  repo: Repo,
  operation: string,
  { session, zone }: RestoreOptions = {},
): Promise<Restored> {
  return repo.write({}, async (change) => {
    const { reader } = change
    const number = await resolveOperationNumber(reader, operation, repo.env.now(), zone)
    if (number === 0 && !/^0+$/.test(operation)) await refuseBeforeFirst(reader, operation)
    const prefix =
      session === undefined ? '' : sessionPrefix(await resolveSessionId(reader, session, repo.env.cwd))
    const moves = await movesBack(reader, number, prefix)
    for (const { name, old, new: value } of moves) change.move(name, old, value)
    change.turn({ kind: 'restore', operation: number })
    const by = moves.length === 0 ? null : (await reader.operationLog()).latest + 1
    return { operation: number, by, moves: movedRefs(moves) }
  })
}

/** Throws `no-operation` with the oldest operation, where there is one. */
async function refuseBeforeFirst(reader: Reader, text: string): Promise<void> {
  const oldest = await reader.operation(1)
  if (!oldest) return
  throw new SessError('no-operation', text, {
    detail: `the oldest is operation 1, of ${iso(oldest.time)}`,
    hint: 'name an operation or a later time, or 0 for the state before the first operation',
  })
}
