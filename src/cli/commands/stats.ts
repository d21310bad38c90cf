import { stats } from '../../ops/stats.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { statsLines } from '../render/stats.ts'

/** `sess stats`: counts what the store holds. */
export const define: Define = (command, act) => {
  command.action(
    act(async (call) => {
      const { io } = call
      const counted = await stats(await call.repo())
      if (io.json) await io.data(counted)
      else for (const line of statsLines(counted)) await io.print(...line)
    }),
  )
  examples(command, [
    ['sess stats', 'sessions, entries, bytes'],
    ['sess stats --json', 'print findings as JSON'],
  ])
}
