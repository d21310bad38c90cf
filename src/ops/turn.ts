import type { Operation } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { reversal } from '../repo/oplog/reversal.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { type LoggedOperation, logged, type Moved, movedRefs } from './operations.ts'

/** An operation, and whether it is to be taken back or done again. */
export interface Aim {
  readonly kind: 'undo' | 'redo'
  readonly operation: Operation
}

/** What undo or redo did. */
export interface Turned {
  readonly kind: Aim['kind']
  /** The operation that was undone or redone. */
  readonly operation: LoggedOperation
  /** The number of the operation that did it. */
  readonly by: number
  readonly moves: readonly Moved[]
  /** Heads of logs of appends that moved since: they stayed as they are. */
  readonly left: readonly RefName[]
}

/** Turns the operation that `choose` gives, in one operation. Throws `conflict` where its refs have moved since. */
export async function turn(repo: Repo, choose: (reader: Reader) => Promise<Aim>): Promise<Turned> {
  return repo.write({}, async (change) => {
    const { kind, operation } = await choose(change.reader)
    const { moves, left } = await reversal(change.reader, operation, kind)
    for (const { name, old, new: value } of moves) change.move(name, old, value)
    change.turn({ kind, operation: operation.number })
    const by = (await change.reader.operationLog()).latest + 1
    const undoneBy = kind === 'undo' ? { undoneBy: by } : {}
    return { kind, operation: logged({ operation, ...undoneBy }), by, moves: movedRefs(moves), left }
  })
}
