import { show } from '../../ops/show.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { entryData } from '../render/entry.ts'
import { shownEntry } from '../render/show.ts'

interface Options {
  readonly full?: boolean
}

/** `sess show`: shows entries in full. */
export const define: Define = (command, act) => {
  command
    .argument('[revision...]', 'sessions or entries', ['@'])
    .option('--full', 'show thinking, and tool calls and results uncut')
    .action(
      act(async (call, revisions: string[], { full = false }: Options) => {
        const { io, world } = call
        const repo = await call.repo()
        for (const [place, revision] of revisions.entries()) {
          const shown = await show(repo, revision)
          if (io.json) {
            const { digest, branches, labels, set, body, record, around } = shown
            await io.data({
              ...entryData(shown),
              branches,
              labels,
              set,
              digest,
              body,
              record,
              answers: [...around.counterparts].map(([id, { oid }]) => ({ id, oid })),
              after: around.after?.oid ?? null,
            })
            continue
          }
          if (place > 0) await io.print()
          for (const line of shownEntry(shown, { full, zone: world.zone, columns: io.columns }))
            await io.print(...line)
        }
      }),
    )
  examples(command, [
    ['sess show 3b1f', 'the entry that a session stands on'],
    ['sess show 3b1f~3 --full', 'the third before it, nothing folded'],
  ])
}
