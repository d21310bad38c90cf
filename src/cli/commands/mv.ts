import { moveFolder } from '../../ops/movefolder.ts'
import { did, firstLine, styled } from '../../text/text.ts'
import { nullable, object, string } from '../../verbs/schema.ts'
import { defineCommand, output } from '../define.ts'
import { folder, required } from '../parameters.ts'

/** `sess mv`: records that a project folder moved. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    old: required(folder(), 'the former folder of the project'),
    new: required(folder(), 'its present folder'),
  },
  help: `Sessions of the old folder and its subfolders are listed under the new one: for @, ls --cwd and resume. No file is
moved. Sessions that an agent still records under the old folder are listed under the new one, too.`,
  examples: [
    ['sess mv /home/ada/tides /home/ada/src/tides', 'a project folder moved'],
    ['sess mv /home/ada/src .', 'a folder of projects moved to this folder'],
  ],
  output: output(
    'A line for each session.',
    object({ session: string, title: nullable(string), before: string, cwd: string }),
  ),
  run: async (call, { old, new: present }) => {
    const moved = await moveFolder(await call.repo(), old, present)
    return {
      data: moved,
      render: () =>
        moved.map(({ session: id, title, before, cwd }) => [
          `${did(call, 'Moved')} session `,
          styled('yellow', firstLine(id)),
          ` to ${firstLine(cwd)} (was ${firstLine(before)})`,
          title === null ? '' : `  ${firstLine(title)}`,
        ]),
      back: 'sess undo',
    }
  },
})
