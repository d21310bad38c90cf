import { SessError } from '../model/errors.ts'
import { fates, isTurn, isTyped } from '../repo/past/fate.ts'
import { getOperation } from '../repo/past/moment.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { type Aim, type Turned, turn } from './turn.ts'

/**
 * Does again what was undone last and not redone yet. Throws `nothing-to-redo`, which a new operation of the command
 * line makes of it, and `conflict` where something else moved one of its refs since.
 */
export const redo = (repo: Repo): Promise<Turned> => turn(repo, lastUndone)

async function lastUndone(reader: Reader): Promise<Aim> {
  for await (const { operation, undoneBy } of fates(reader)) {
    const { turn: turned } = operation
    if (turned?.kind === 'undo' && undoneBy === undefined)
      return { kind: 'redo', operation: await getOperation(reader, `${turned.operation}`) }
    if (!isTurn(operation) && isTyped(operation)) break
  }
  throw new SessError('nothing-to-redo', '')
}
