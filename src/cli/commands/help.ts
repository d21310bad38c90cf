import type { Command } from 'commander'
import { SessError } from '../../model/errors.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { guessing } from '../guessing.ts'
import { nearest } from '../near.ts'
import { TOPICS } from '../topics.ts'

/** `sess help`: shows help on a command or a topic. */
export const define: Define = (command, act, load) => {
  command
    .argument('[topic]', 'a command, or one of the topics below the commands')
    .argument('[command]', 'with the topic json: the command whose JSON is described, or error')
    .action(
      act(async ({ io }, topic?: string, described?: string) => {
        if (described !== undefined) {
          const schema = await schemaOf(topic, described)
          await (io.json ? io.data(schema) : io.text(JSON.stringify(schema, undefined, 2)))
          return
        }
        const program = command.parent ?? command
        const text = await textOn(topic, program, (named) =>
          named === command ? Promise.resolve() : load(named),
        )
        await (io.json ? io.data({ topic: topic ?? null, text }) : io.text(text))
      }),
    )
  examples(command, [
    ['sess help log', 'how a command is used'],
    ['sess help json', 'what each command prints with --json'],
    ['sess help json ls', 'the JSON Schema of it'],
  ])
}

async function schemaOf(topic: string | undefined, described: string): Promise<object> {
  if (topic !== 'json')
    throw new SessError('bad-usage', `help on '${topic}' takes no second word`, {
      hint: "type 'sess help json COMMAND' for the JSON Schema of what a command prints",
    })
  const outputs = await import('../schema/outputs.ts')
  const schema = outputs.schemaOf(described)
  if (schema) return schema
  throw new SessError('bad-usage', `there is no command '${described}'`, {
    hint: `${guessing(nearest(described, Object.keys(outputs.OUTPUTS)))}type 'sess help json' to see them`,
  })
}

async function textOn(
  topic: string | undefined,
  program: Command,
  load: (command: Command) => Promise<void>,
): Promise<string> {
  if (topic === undefined) return helpOf(program)
  const known = TOPICS.find(({ name }) => name === topic)
  if (known) return typeof known.text === 'string' ? known.text : known.text()
  const named = program.commands.find((command) => command.name() === topic)
  if (named) {
    await load(named)
    return helpOf(named)
  }
  const names = [...program.commands.map((other) => other.name()), ...TOPICS.map(({ name }) => name)]
  throw new SessError('bad-usage', `there is no command '${topic}'`, {
    hint: `${guessing(nearest(topic, names))}type 'sess help' to see the commands`,
  })
}

function helpOf(command: Command): string {
  let text = ''
  const writeOut = (more: string): void => {
    text += more
  }
  command.configureOutput({ writeOut }).outputHelp()
  return text.replace(/\n$/, '')
}
