import { did, firstLine, styled } from '../../text/text.ts'
import { mv } from '../../verbs/mv.ts'
import { present } from '../present.ts'

/** `sess mv`: records that a project folder moved. */
export const command = present(mv, {
  arguments: ['old', 'new'],
  help: `Sessions of the old folder and its subfolders are listed under the new one: for @, ls --cwd and resume. No file is
moved. Sessions that an agent still records under the old folder are listed under the new one, too.`,
  examples: [
    ['sess mv /home/ada/tides /home/ada/src/tides', 'a project folder moved'],
    ['sess mv /home/ada/src .', 'a folder of projects moved to this folder'],
  ],
  is: 'A line for each session.',
  show: (moved, call) => ({
    render: () =>
      moved.map(({ session: id, title, before, cwd }) => [
        `${did(call, 'Moved')} session `,
        styled('yellow', firstLine(id)),
        ` to ${firstLine(cwd)} (was ${firstLine(before)})`,
        title === null ? '' : `  ${firstLine(title)}`,
      ]),
    back: 'sess undo',
  }),
})
