import type { Turned } from '../ops/turn.ts'
import type { Call } from './call.ts'
import { moveLines } from './render/moves.ts'
import { operationText } from './render/operation.ts'

/** Says what undo or redo did, and how to take that back. */
export async function told({ io, world }: Call, turned: Turned): Promise<void> {
  if (io.json) {
    await io.data(turned)
    return
  }
  const { kind, operation, by, moves, left } = turned
  const look = { columns: io.columns, zone: world.zone, now: world.env.now() }
  await io.print(kind === 'undo' ? 'Undid ' : 'Redid ', ...operationText(operation, look))
  for (const line of moveLines(moves, `${by}`)) await io.print(...line)
  if (left.length > 0) await io.note('entries were appended meanwhile: their records stay, and harm nobody')
  await io.note(
    kind === 'undo' ? 'redo it with: sess redo' : `undo it again with: sess undo ${operation.number}`,
  )
}
