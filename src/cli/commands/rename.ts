import { did, firstLine } from '../../text/text.ts'
import { rename } from '../../verbs/rename.ts'
import { present } from '../present.ts'

/** `sess rename`: changes the title of a session. */
export const command = present(rename, {
  arguments: ['session', 'title'],
  help: 'A later import of the source keeps your title.',
  examples: [
    ["sess rename 3b1f 'Tide table one hour off'", 'set a title'],
    ["sess rename 3b1f ''", 'clear the title'],
  ],
  show: ({ session: id, title, before }, call) => {
    const was = before === null ? '' : ` (was "${firstLine(before)}")`
    return {
      render: () => [
        [
          title === null
            ? `${did(call, 'Cleared')} the title of session ${id}${was}`
            : `${did(call, 'Renamed')} session ${id} to "${firstLine(title)}"${was}`,
        ],
      ],
      // With it a later import may change the title again.
      back: before === title ? undefined : 'sess undo',
    }
  },
})
