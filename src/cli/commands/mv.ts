import { moveFolder } from '../../ops/move.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { filled } from '../options.ts'
import { firstLine } from '../render/text.ts'
import { styled } from '../style.ts'

/** `sess mv`: says that a project folder moved. */
export const define: Define = (command, act) => {
  command
    .argument('<old>', 'the former folder of the project', filled)
    .argument('<new>', 'its present folder', filled)
    .addHelpText(
      'after',
      `
Sessions of the old folder and its subfolders are listed under the new one: for @, ls --cwd and resume. No file is
moved. Sessions that an agent still records under the old folder are listed under the new one, too.`,
    )
    .action(
      act(async (call, from: string, to: string) => {
        const { io } = call
        const moved = await moveFolder(await call.repo(), from, to)
        if (io.json) {
          for (const session of moved) await io.data(session)
          return
        }
        for (const { session, title, before, cwd } of moved)
          await io.print(
            'Session ',
            styled('yellow', firstLine(session)),
            ` is of ${firstLine(cwd)} now (was ${firstLine(before)})`,
            title === null ? '' : `  ${firstLine(title)}`,
          )
        await io.note('go back with: sess undo')
      }),
    )
  examples(command, [
    ['sess mv /home/ada/tides /home/ada/src/tides', 'a project folder moved'],
    ['sess mv /home/ada/src .', 'a folder of projects moved to this folder'],
  ])
}
