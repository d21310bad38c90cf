import { short } from '../../model/oid.ts'
import { type Removed, removeSessions } from '../../ops/remove.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { quoted } from '../quoted.ts'
import { firstLine } from '../render/text.ts'

/** `sess rm`: removes sessions. */
export const define: Define = (command, act) => {
  command
    .argument('<session...>', 'ids, titles, or prefixes of ids')
    .addHelpText(
      'after',
      `
Entries stay in the store, for undo and for forks that share them. Sources are not changed: importing one again
brings its session back. Removing several sessions is one operation.`,
    )
    .action(
      act(async (call, sessions: string[]) => {
        const { io } = call
        const gone = await removeSessions(await call.repo(), sessions)
        if (io.json) {
          for (const session of gone) await io.data(session)
          return
        }
        for (const session of gone) await io.print(`Removed session ${session.session}${told(session)}`)
        await io.note('bring back what was removed with: sess undo')
        const sources = gone.flatMap(({ source }) => (source === null ? [] : [quoted(source)]))
        if (sources.length > 0) await io.note(`or with: sess import ${sources.join(' ')}`)
      }),
    )
  examples(command, [
    ['sess rm 3b1f', 'remove a session'],
    ['sess rm 019d3f52 019d4482', 'remove several at once'],
  ])
}

const told = ({ title, tip }: Removed): string =>
  (title === null ? '' : ` "${firstLine(title)}"`) + (tip === null ? '' : ` (stood on ${short(tip)})`)
