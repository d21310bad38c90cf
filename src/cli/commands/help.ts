import { SessError } from '../../model/errors.ts'
import type { Define } from '../call.ts'
import { guessing } from '../guessing.ts'
import { nearest } from '../near.ts'
import { TOPICS } from '../topics.ts'

/** `sess help`: shows help on a command or a topic. */
export const define: Define = (command, act, load) => {
  command.argument('[topic]', 'a command, or one of the topics below the commands').action(
    act(async ({ io }, topic?: string) => {
      const program = command.parent ?? command
      const text = TOPICS.find(({ name }) => name === topic)?.text
      const named = program.commands.find((other) => other.name() === topic)
      if (text !== undefined) await io.print(text)
      else if (topic === undefined) program.outputHelp()
      else if (named) {
        if (named !== command) await load(named)
        named.outputHelp()
      } else {
        const names = [...program.commands.map((other) => other.name()), ...TOPICS.map(({ name }) => name)]
        throw new SessError('bad-usage', `there is no command '${topic}'`, {
          hint: `${guessing(nearest(topic, names))}type 'sess help' to see the commands`,
        })
      }
    }),
  )
}
