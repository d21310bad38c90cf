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
    .argument('[topic]', 'a command or a topic')
    .argument(
      '[command]',
      'a command of that command; with the topic json: the command whose JSON is described, or error',
    )
    .action(
      act(async ({ io }, topic?: string, described?: string) => {
        if (topic === 'json' && described !== undefined) {
          const schema = await schemaOf(described)
          await (io.json ? io.data(schema) : io.text(JSON.stringify(schema, undefined, 2)))
          return
        }
        const program = command.parent ?? command
        const loadOther = (named: Command): Promise<void> =>
          named === command ? Promise.resolve() : load(named)
        const text = await textOn([topic, described], program, loadOther)
        const asked = described === undefined ? (topic ?? null) : `${topic} ${described}`
        await (io.json ? io.data({ topic: asked, text }) : io.text(text))
      }),
    )
  examples(command, [
    ['sess help log', 'help on a command'],
    ['sess help op restore', 'help on a subcommand'],
    ['sess help json', 'what each command prints with --json'],
    ['sess help json ls', 'the JSON Schema of one command'],
  ])
}

async function schemaOf(described: string): Promise<object> {
  const outputs = await import('../schema/outputs.ts')
  const schema = outputs.schemaOf(described)
  if (schema) return schema
  throw new SessError('bad-usage', `there is no command '${described}'`, {
    hint: `${guessing(nearest(described, Object.keys(outputs.OUTPUTS)))}type 'sess help json' to see them`,
  })
}

async function textOn(
  [topic, part]: readonly [topic?: string | undefined, part?: string | undefined],
  program: Command,
  load: (command: Command) => Promise<void>,
): Promise<string> {
  if (topic === undefined) return helpOf(program)
  const known = TOPICS.find(({ name }) => name === topic)
  if (known && part !== undefined) throw secondWord(topic)
  if (known) return typeof known.text === 'string' ? known.text : known.text()
  const named = program.commands.find((command) => command.name() === topic)
  if (named) {
    await load(named)
    if (part === undefined) return helpOf(named)
    const parts = named.commands
    const found = parts.find((command) => command.name() === part)
    if (found) return helpOf(found)
    throw secondWord(
      topic,
      nearest(
        part,
        parts.map((command) => command.name()),
      ),
    )
  }
  const names = [...program.commands.map((other) => other.name()), ...TOPICS.map(({ name }) => name)]
  throw new SessError('bad-usage', `there is no command '${topic}'`, {
    hint: `${guessing(nearest(topic, names))}type 'sess help' to see the commands`,
  })
}

const secondWord = (topic: string, near: readonly string[] = []): SessError =>
  new SessError('bad-usage', `help on '${topic}' takes no such second word`, {
    hint: `${guessing(near)}type 'sess help ${topic}' alone, or 'sess help json COMMAND' for the JSON Schema of what a command prints`,
  })

function helpOf(command: Command): string {
  let text = ''
  const writeOut = (more: string): void => {
    text += more
  }
  command.configureOutput({ writeOut }).outputHelp()
  return text.replace(/\n$/, '')
}
