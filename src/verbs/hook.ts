import { runHook, waitingNotes } from '../live/hook.ts'
import type { FolderContext } from './open.ts'
import { machineOf } from './open.ts'
import { type Settling, settleNotes } from './settle.ts'

/** Notes what an agent tells, as its hook would. */
export function noteTold(context: FolderContext, agent: string, told: string, folder: string): void {
  const { variables } = machineOf(context)
  runHook({ agent, folder, told, variables, settler: [] })
}

/** The notes of hooks after a settler has worked. */
export interface Settled {
  /** Whether this process settled; false where another one does. */
  readonly settled: boolean
  /** The number of notes that wait. */
  readonly waiting: number
}

/** Settles what waits; in a dry run only counts it. */
export async function settleWaiting(context: FolderContext, settling: Settling): Promise<Settled> {
  const settled = !context.dryRun && (await settleNotes(context, settling))
  return { settled, waiting: waitingNotes(settling.folder) }
}
