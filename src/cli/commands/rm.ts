import { short } from '../../model/encoding/oid.ts'
import { quoted } from '../../text/shellwords.ts'
import { did, firstLine } from '../../text/text.ts'
import { rm } from '../../verbs/rm.ts'
import type { Removed } from '../../verbs/types.ts'
import { present } from '../present.ts'

/** `sess rm`: removes sessions from the list. */
export const command = present(rm, {
  arguments: ['session'],
  help: `Entries stay in the store, for undo and for forks that share them. Sources are not changed: importing one again
brings its session back. Removing several sessions is one operation.`,
  examples: [
    ['sess rm 3b1f', 'remove a session'],
    ['sess rm 019d3f52 019d4482', 'remove several at once'],
  ],
  is: 'A line for each session.',
  show: (gone, call) => {
    const sources = gone.flatMap(({ source }) => (source === null ? [] : [quoted(source)]))
    return {
      render: () => gone.map((one) => [`${did(call, 'Removed')} session ${one.session}${aboutRemoved(one)}`]),
      notes:
        sources.length === 0 || call.dryRun ? [] : [`import again with: sess import ${sources.join(' ')}`],
      back: 'sess undo',
    }
  },
})

const aboutRemoved = ({ title, tip }: Removed): string =>
  (title === null ? '' : ` "${firstLine(title)}"`) + (tip === null ? '' : ` (was at ${short(tip)})`)
