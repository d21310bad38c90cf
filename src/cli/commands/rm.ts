import { short } from '../../model/encoding/oid.ts'
import { type Removed, removeSessions } from '../../ops/remove.ts'
import { defineCommand, output } from '../define.ts'
import { oidSchema } from '../outputschemas.ts'
import { atLeastOne, session } from '../parameters.ts'
import { did, firstLine } from '../render/text.ts'
import { nullable, object, string } from '../schema.ts'
import { quoted } from '../shellwords.ts'

/** `sess rm`: removes sessions from the list. */
export const command = defineCommand({
  effect: 'write',
  arguments: { session: atLeastOne(session(), 'ids, titles, or prefixes of ids') },
  help: `Entries stay in the store, for undo and for forks that share them. Sources are not changed: importing one again
brings its session back. Removing several sessions is one operation.`,
  examples: [
    ['sess rm 3b1f', 'remove a session'],
    ['sess rm 019d3f52 019d4482', 'remove several at once'],
  ],
  output: output(
    'A line for each session.',
    object({ session: string, title: nullable(string), tip: nullable(oidSchema), source: nullable(string) }),
  ),
  run: async (call, { session: names }) => {
    const gone = await removeSessions(await call.repo(), names)
    const sources = gone.flatMap(({ source }) => (source === null ? [] : [quoted(source)]))
    return {
      data: gone,
      render: () => gone.map((one) => [`${did(call, 'Removed')} session ${one.session}${aboutRemoved(one)}`]),
      notes:
        sources.length === 0 || call.dryRun ? [] : [`import again with: sess import ${sources.join(' ')}`],
      back: 'sess undo',
    }
  },
})

const aboutRemoved = ({ title, tip }: Removed): string =>
  (title === null ? '' : ` "${firstLine(title)}"`) + (tip === null ? '' : ` (was at ${short(tip)})`)
