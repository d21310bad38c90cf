import { type Display, firstLine, type Line, styled, textOfPiece } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { type TurnLook, turnBlocks } from '../../text/turn.ts'
import { cut } from '../../text/width.ts'
import { describeNames } from '../../verbs/describe-names.ts'
import { type HasCursor, withCursor } from '../../verbs/page.ts'
import { read } from '../../verbs/read.ts'
import type { Meaning, Subagent, Turn } from '../../verbs/types.ts'
import { defineCommand, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { isPage, pageOptions, rowSchemaOf, rowsOf } from '../pageoptions.ts'
import { flag, type InputOf } from '../parameters.ts'

const { revision, limit, tools, meta } = read.input

const OPTIONS = {
  limit: { ...limit, short: 'n' },
  ...pageOptions(read),
  tools,
  thinking: flag('show what the model thought'),
  system: flag('show what agents add: system prompts, reminders, summaries'),
  agents: flag('show the conversations of sub-agents, indented below what started them'),
  meta,
}

/** `sess read`: reads a conversation from its beginning on. */
export const command = defineCommand({
  effect: read.effect,
  paged: true,
  arguments: { revision },
  options: OPTIONS,
  help: `Each turn says who speaks and when. A tool call and its result are one line, an edit is a difference. Of a session
this is the path to its current entry.`,
  examples: [
    ['sess read 3b1f', 'a session'],
    ['sess read 3b1f --tools --thinking', 'with whole tool calls, results and thoughts'],
    ['sess read c7d0..3b1f', 'what one says that the other lacks'],
    ['sess read 3b1f~3', 'up to an entry'],
    [
      'sess read 3b1f -n 20 --json',
      'twenty turns for a program; --after with the cursor of the last one goes on',
    ],
  ],
  output: output('A line for each turn.', rowSchemaOf(read)),
  run: async (call, input) => {
    const { io } = call
    let folder: string | undefined
    const begin = async ({ session }: Turn): Promise<void> => {
      if (io.json || session === null || isPage(input)) return
      const [about] = await describeNames.run(await call.context(), { id: [session] })
      folder = about?.folder ?? undefined
      if (about) for (const line of titleLines(about, call.display)) await io.print(...line)
    }
    await printTurns(call, input, { indent: [], above: new Set(), begin, folder: () => folder })
  },
})

type ReadInput = InputOf<typeof OPTIONS> & { readonly revision: string }

/** Where the turns of a session are shown. */
interface TurnPosition {
  /** The beginning of each line: of a sub-agent a guide. */
  readonly indent: Line
  /** The sessions whose sub-agent it is. */
  readonly above: ReadonlySet<string>
  /** Called with the first turn, before it is shown. */
  readonly begin?: (first: Turn) => Promise<void>
  readonly folder: () => string | undefined
}

/** How deep sub-agents are shown within one another. */
const MAX_DEPTH = 8

const GUIDE = styled('dim', '  │ ')

/** Returns an empty line below what is indented. */
const emptyLine = (indent: Line): Line =>
  indent.map((piece, at) => (at === indent.length - 1 ? styled('dim', textOfPiece(piece).trimEnd()) : piece))

/** Prints the turns of a session and, if that is asked for, of its sub-agents where these were started. */
async function printTurns(call: Invocation, input: ReadInput, position: TurnPosition): Promise<void> {
  const { indent, above } = position
  let isFirst = true
  for await (const turn of rowsOf(call, read, input)) {
    if (isFirst) await position.begin?.(turn)
    for await (const agents of printed(call, turn, input, { ...position, isFirst }))
      for (const { session } of input.agents ? agents : []) {
        const within = new Set([...above, turn.session ?? ''])
        if (session === null || within.has(session) || within.size > MAX_DEPTH) continue
        if (!call.io.json) await call.io.print(...emptyLine(indent))
        const { after: _after, before: _before, limit: _limit, ...asked } = input
        const below = { indent: [...indent, GUIDE], above: within, folder: position.folder }
        await printTurns(call, { ...asked, revision: session }, below)
      }
    isFirst = false
  }
}

/** Prints a turn. Yields the sub-agents that it started when what started them is printed. */
async function* printed(
  call: Invocation,
  turn: Turn & HasCursor,
  input: ReadInput,
  { indent, above, isFirst, folder }: TurnPosition & { readonly isFirst: boolean },
): AsyncGenerator<readonly Subagent[]> {
  const { io, display } = call
  if (io.json) {
    await io.data(withCursor(read.item.wire(turn) as object, turn))
    yield turn.parts.flatMap((part) => (part.kind === 'tool' ? part.agents : []))
    return
  }
  if (!isFirst && !turn.continues) await io.print(...emptyLine(indent))
  const columns = display.columns - 4 * above.size
  const look: TurnLook = { ...display, ...input, columns, colored: io.colored, folder: folder() }
  for (const { lines, agents } of turnBlocks(turn, look)) {
    for (const line of lines)
      await io.print(...(line.length === 0 ? emptyLine(indent) : [...indent, ...line]))
    yield agents
  }
}

/** Returns what a session is called, and what it is, above its turns. */
function titleLines({ id, agent, time, text, folder, parent }: Meaning, { columns, zone }: Display): Line[] {
  const from = parent && `from ${parent}`
  const about = [agent, id, folder, time && minute(time, zone), from].flatMap((one) =>
    one ? firstLine(one) : [],
  )
  return [
    ...(text === null ? [] : [[styled('bold', cut(firstLine(text), columns))]]),
    [styled('dim', about.join('  '))],
    [],
  ]
}
