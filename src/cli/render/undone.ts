import { moveLines, operationText } from '../../text/operation.ts'
import { did } from '../../text/text.ts'
import type { Turned } from '../../verbs/types.ts'
import type { Answer } from '../define.ts'
import type { Invocation } from '../invocation.ts'

/** Returns what people see of an undo or a redo. */
export function undoAnswer(
  { kind, operation, by, moves, left }: Turned,
  call: Invocation,
): Omit<Answer<Turned>, 'data'> {
  return {
    render: () => [
      [`${did(call, kind === 'undo' ? 'Undid' : 'Redid')} `, ...operationText(operation, call.display)],
      ...moveLines(moves, `${by}`),
    ],
    notes: [
      ...(left.length > 0 ? ['entries were appended since: their records stay, without effect'] : []),
      ...(call.dryRun
        ? []
        : [kind === 'undo' ? 'redo it with: sess redo' : `undo it with: sess undo ${operation.number}`]),
    ],
  }
}
