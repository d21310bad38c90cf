import { diff } from '../../ops/diff.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { diffLines } from '../render/diff.ts'
import { entryData } from '../render/entry.ts'

/** `sess diff`: shows where two branches part and what each side said. */
export const define: Define = (command, act) => {
  command
    .argument('<a>', 'a session or an entry')
    .argument('<b>', 'another')
    .action(
      act(async (call, a: string, b: string) => {
        const { io } = call
        const { base, left, right } = await diff(await call.repo(), a, b)
        if (io.json) await io.data({ base, left: left.map(entryData), right: right.map(entryData) })
        else
          for (const line of diffLines({ base, left, right }, { a, b, columns: io.columns }))
            await io.print(...line)
      }),
    )
  examples(command, [
    ['sess diff 3b1f c7d0', 'a session and its fork'],
    ['sess diff 3b1f/main 3b1f/at-4aa71938', 'two branches of a session'],
  ])
}
