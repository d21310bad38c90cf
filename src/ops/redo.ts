import { SessError } from '../model/errors.ts'
import { getOperation } from '../repo/oplog/resolveoperation.ts'
import { isFromCommandLine, isUndoOrRedo, undoStates } from '../repo/oplog/undo.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { type Aim, type Turned, turn } from './turn.ts'

/**
 * Does again what was undone last and not redone yet. Throws `nothing-to-redo`, which a new operation of the command
 * line makes of it, and `conflict` where something else moved one of its refs since.
 */
export const redo = (repo: Repo): Promise<Turned> => turn(repo, lastUndone)

async function lastUndone(reader: Reader): Promise<Aim> {
  for await (const { operation, undoneBy } of undoStates(reader)) {
    const { turn: turned } = operation
    if (turned?.kind === 'undo' && undoneBy === undefined)
      return { kind: 'redo', operation: await getOperation(reader, `${turned.operation}`) }
    if (!isUndoOrRedo(operation) && isFromCommandLine(operation)) break
  }
  throw new SessError('nothing-to-redo', '')
}
