import { SessError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { reflow } from '../../text/wrap.ts'
import { nullable, object, string } from '../../verbs/schema.ts'
import { type CommandTable, defineCommand, output } from '../define.ts'
import { didYouMean, nearest } from '../errors/suggest.ts'
import { ERROR, schemaDocument } from '../outputschemas.ts'
import { commandName, optional, topic } from '../parameters.ts'
import { TOPICS } from '../topics.ts'

/** `sess help`: shows help on a command or a topic. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: {
    topic: optional(topic(), 'a command or a topic'),
    command: optional(
      commandName(),
      'a command of that command; with the topic json: the command whose JSON is described, or error',
    ),
  },
  examples: [
    ['sess help log', 'help on a command'],
    ['sess help op restore', 'help on a subcommand'],
    ['sess help json', 'what each command prints with --json'],
    ['sess help json ls', 'the JSON Schema of one command'],
  ],
  output: output(
    'One object. Help on json is always JSON Schema.',
    object({ topic: nullable(string), text: string }),
  ),
  run: async (call, { topic: asked, command: part }, _, program) => {
    if (asked === 'json' && part !== undefined) {
      const schema = await schemaOf(program, part)
      await (call.io.json ? call.io.data(schema) : call.io.text(JSON.stringify(schema, undefined, 2)))
      return
    }
    const shown = await textOn(program, asked, part, call.io.helpWidth)
    const name = part === undefined ? (asked ?? null) : `${asked} ${part}`
    return { data: { topic: name, text: shown }, render: async () => call.io.text(shown) }
  },
})

async function schemaOf({ commands }: CommandTable, name: string): Promise<JsonObject> {
  if (name === 'error') return schemaDocument('error', ERROR)
  const found = await commands.find((one) => one.name === name)?.load()
  if (found) {
    const isRead = [found, ...found.commands].every(({ effect }) => effect === 'read')
    return schemaDocument(`sess ${name} --json`, found.output, isRead)
  }
  const names = [...commands.map((one) => one.name), 'error']
  throw new SessError('bad-usage', `there is no command '${name}'`, {
    hint: `${didYouMean(nearest(name, names))}type 'sess help json' to see them`,
  })
}

async function textOn(
  program: CommandTable,
  asked: string | undefined,
  part: string | undefined,
  width: number,
): Promise<string> {
  if (asked === undefined) return program.helpOn()
  const known = TOPICS.find(({ name }) => name === asked)
  if (known && part !== undefined) throw secondWord(asked)
  if (known) {
    const text = typeof known.text === 'string' ? known.text : await known.text(program)
    return reflow(text, width)
  }
  const names = program.commands.map(({ name }) => name)
  if (names.includes(asked)) {
    if (part === undefined) return program.helpOn(asked)
    const parts = (await program.commands.find(({ name }) => name === asked)?.load())?.commands ?? []
    if (parts.some(({ name }) => name === part)) return program.helpOn(asked, part)
    throw secondWord(
      asked,
      nearest(
        part,
        parts.map(({ name }) => name),
      ),
    )
  }
  throw new SessError('bad-usage', `there is no command '${asked}'`, {
    hint: `${didYouMean(nearest(asked, [...names, ...TOPICS.map(({ name }) => name)]))}type 'sess help' to see the commands`,
  })
}

const secondWord = (asked: string, near: readonly string[] = []): SessError =>
  new SessError('bad-usage', `help on '${asked}' takes no such second word`, {
    hint: `${didYouMean(near)}type 'sess help ${asked}' alone, or 'sess help json COMMAND' for the JSON Schema of what a command prints`,
  })
