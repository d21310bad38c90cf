import { SessError } from '../model/errors.ts'
import type { TreeMove } from '../ops/navigate/treemove.ts'
import type { Call } from './call.ts'
import { treeMoveLines } from './render/treemove.ts'

/** Shows a move in a tree, and how to take it back. Throws `stopped` where it was stopped. */
export async function showTreeMove({ io }: Call, done: TreeMove): Promise<void> {
  if (done.cancelled) throw new SessError('stopped', 'nothing was changed')
  if (io.json) {
    await io.data(done)
    return
  }
  for (const line of treeMoveLines(done)) await io.print(...line)
  if (done.tip === done.beforeTip) await io.note('it stands there already: nothing was changed')
  else await io.note('take it back with: sess undo')
}
