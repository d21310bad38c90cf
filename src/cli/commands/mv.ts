import { moveFolder } from '../../ops/move.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { filled } from '../options.ts'
import { firstLine } from '../render/text.ts'
import { styled } from '../style.ts'

/** `sess mv`: says that a project folder moved. */
export const define: Define = (command, act) => {
  command
    .argument('<old>', 'the folder that the project was in', filled)
    .argument('<new>', 'the folder that it is in now', filled)
    .addHelpText(
      'after',
      '\nThe sessions of the old folder and of those below it are of the new one: for @, ls --cwd, resume. Nothing is\n' +
        'moved on disk. What the agent still writes of the old folder is taken for the new one.',
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
    ['sess mv /home/ada/tides /home/ada/src/tides', 'the folder of a project was moved'],
    ['sess mv /home/ada/src .', 'what was below it is below this folder now'],
  ])
}
