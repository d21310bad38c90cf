import { defined } from '../../model/json.ts'
import type { RepairKind } from '../../model/repair.ts'
import { contextHeadLine, contextMessageLines } from '../../text/context.ts'
import { aligned, counted, firstLine, grouped, type Line, lineText, styled } from '../../text/text.ts'
import { CONTEXT, context } from '../../verbs/context.ts'
import { contextCompare } from '../../verbs/context-compare.ts'
import { contextPi } from '../../verbs/context-pi.ts'
import { contextRequest, REQUEST_FORMATS } from '../../verbs/context-request.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { contextInMessages, printedContext } from '../../verbs/printed-context.ts'
import { anyOf } from '../../verbs/schema.ts'
import type { ComparedContexts, ContextHead, ContextNotes } from '../../verbs/types.ts'
import { defineCommand, output } from '../define.ts'
import { choice, type InputOf, option, revision as revisionOf } from '../parameters.ts'
import { answerOf } from '../present.ts'

const { revision, budget } = CONTEXT

/** `sess context`: shows what the model sees. */
export const command = defineCommand({
  effect: context.effect,
  paged: true,
  arguments: { revision },
  options: {
    format: option(
      choice(['text', 'json', 'pi', ...REQUEST_FORMATS], 'format'),
      'text for people, json for programs, pi as that agent gives it; the others for a request',
    ),
    budget,
    compare: option(revisionOf('other'), 'show how much of it the context of another revision shares'),
    piVersion: contextPi.input.version,
  },
  help: `The latest compaction and all edits are applied. A request is always valid for its API: anthropic prints system and
messages of the Messages API, openai the input of the Responses API, openai-chat the messages of the chat API.
Repairs that this needed are listed on stderr. With --json, text means json, and a request comes in an object with
its repairs.`,
  examples: [
    ['sess context 019d4e07', 'the present context'],
    ['sess context 019d4e07~4', 'the context at an earlier entry'],
    ['sess context 019d4e07 --format anthropic', 'as part of an API request'],
    ['sess context 019d4e07 --budget 2000', 'at most 2,000 tokens'],
    ['sess context --compare 3b1f~2 3b1f', 'how much of it a prompt cache could reuse'],
  ],
  output: output(
    'One object; with --format pi another, as that agent gives it; with the formats of APIs a part of a request.',
    anyOf(
      context.output.schema,
      contextPi.output.schema,
      contextRequest.output.schema,
      contextCompare.output.schema,
    ),
  ),
  run: async (call, { format: asked, piVersion, compare, ...input }) => {
    const { io } = call
    const within = await call.context()
    const format = asked ?? (piVersion === undefined ? 'text' : 'pi')
    if (compare !== undefined) {
      const as = format === 'text' ? 'json' : format
      const compared = await contextCompare.run(within, { ...input, other: compare, format: as })
      return answerOf(contextCompare, compared, {
        render: () => comparedLines(compared, [compare, input.revision]),
      })
    }
    const notes: Line[] = []
    const keepNotes = (of: ContextNotes): void =>
      void notes.splice(0, notes.length, ...noteLines(of, input.budget))
    if (format === 'text' && !io.json)
      return { data: {}, render: () => contextLinesAsRead(within, input, keepNotes), notes }
    const printed = format === 'text' ? 'json' : format
    const how = { ...input, format: printed, ...defined({ version: piVersion }), isNoted: io.json }
    const pieces = printedContext(within, how, printed === 'json' ? () => undefined : keepNotes)
    const render = (): Promise<void> => io.dataPieces(pieces)
    if (!io.json) return { data: {}, render, notes }
    await render()
    return undefined
  },
})

/** Yields a context for people, each message as it is read: what is known of all, then the messages in full. */
async function* contextLinesAsRead(
  within: VerbContext,
  input: InputOf<typeof CONTEXT>,
  onHead: (head: ContextHead) => void,
): AsyncGenerator<Line> {
  let head: ContextHead | undefined
  const messages = contextInMessages(within, input, (of) => {
    head ??= of
    onHead(of)
  })
  let isBegun = false
  for await (const message of messages) {
    if (!isBegun && head) yield contextHeadLine(head)
    isBegun = true
    yield* contextMessageLines(message)
  }
  if (!isBegun && head) yield contextHeadLine(head)
}

/** The words for each kind of repair: what was repaired, and how. */
const REPAIRED: Readonly<Record<RepairKind, readonly [one: string, done: string]>> = {
  'closed-call': ['tool call', 'without a result closed'],
  'dropped-result': ['tool result', 'without a call left out'],
  'moved-result': ['late tool result', 'moved after its call'],
  'renamed-call': ['id', 'of tool calls replaced'],
  'renamed-tool': ['name', 'of tools replaced'],
  'dropped-thinking': ['thought', 'left out'],
  'dropped-image': ['image', 'described in words'],
  'added-start': ['message', 'of the user added in front'],
}

/** Returns the repairs and omissions of a context, one line each. */
function noteLines({ repairs, left, tokens }: ContextNotes, most?: number): Line[] {
  const counts = new Map<RepairKind, number>()
  for (const { kind } of repairs) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const saved = left.reduce((sum, one) => sum + one.tokens, 0)
  const lines = [...counts].map(([kind, times]): Line => {
    const [one, done] = REPAIRED[kind]
    return [`sess: ${counted(times, one)} ${done}`]
  })
  if (left.length > 0)
    lines.push([`sess: ${counted(left.length, 'part')} of ${counted(saved, 'token')} left out`])
  if (most !== undefined && tokens > most)
    lines.push([`sess: ${counted(tokens, 'token')}: summaries and the last message of the user stay`])
  return lines
}

/** Returns how much two contexts share, as a table. */
function comparedLines(
  { shared, left, right }: ComparedContexts,
  names: readonly [left: string, right: string],
): Line[] {
  const rows = [
    ['', 'messages', 'bytes', 'tokens'],
    ...[shared, left, right].map(({ messages, bytes, tokens }, at) => [
      at === 0 ? 'shared' : firstLine(names[at - 1] ?? ''),
      ...[messages, bytes, tokens].map(grouped),
    ]),
  ]
  return aligned(rows, 1).map((row, at): Line => [styled(at === 0 ? 'dim' : 'plain', lineText(row))])
}
