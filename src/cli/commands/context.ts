import { short } from '../../model/encoding/oid.ts'
import { defined } from '../../model/json.ts'
import type { RepairKind } from '../../model/repair.ts'
import { type ComparedContexts, compareContexts } from '../../ops/context/compare.ts'
import {
  type ContextNotes,
  contextOf,
  type NeutralContext,
  REQUESTS,
  type RequestFormat,
  requestOf,
} from '../../ops/context/context.ts'
import { PI_VERSIONS, piContextOf } from '../../ops/context/picontext.ts'
import { lookOf } from '../../text/entry.ts'
import { saidLines } from '../../text/show.ts'
import { aligned, counted, firstLine, grouped, type Line, lineText, styled } from '../../text/text.ts'
import {
  anyOf,
  anything,
  arrayOf,
  described,
  integer,
  mapOf,
  nullable,
  object,
  oneOf,
  type Schema,
  string,
} from '../../verbs/schema.ts'
import { contextMessageSchema, MODEL_SETTINGS, oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { choice, count, current, option, revision } from '../parameters.ts'

const repair = object(
  {
    kind: oneOf(
      'closed-call',
      'dropped-result',
      'moved-result',
      'renamed-call',
      'renamed-tool',
      'dropped-thinking',
      'dropped-image',
      'added-start',
    ),
    oid: oidSchema,
  },
  {
    call: described('the id of the tool call', string),
    as: described('the new id or name', string),
  },
)

const NOTES = {
  repairs: described('what was changed so that an API accepts it', arrayOf(repair)),
  left: described(
    'what was left out to fit the budget',
    arrayOf(
      object({ kind: oneOf('result', 'thinking', 'image', 'message'), oid: oidSchema, tokens: integer }),
    ),
  ),
  tokens: described('estimated', integer),
}

const size = object({ messages: integer, bytes: integer, tokens: integer })

/** The parts of a request to an API, by their names there. */
const request: Schema<object> = mapOf(arrayOf(anything))

/** `sess context`: shows what the model sees. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: { revision: current(revision(), 'a session or an entry') },
  options: {
    format: option(
      choice(['text', 'json', 'pi', ...(Object.keys(REQUESTS) as RequestFormat[])], 'format'),
      'text for people, json for programs, pi as that agent gives it; the others for a request',
    ),
    budget: option(count('tokens'), 'drop the oldest entries until it fits'),
    compare: option(revision('other'), 'show how much of it the context of another revision shares'),
    piVersion: option(choice(PI_VERSIONS, 'version'), 'as this version of pi builds it'),
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
      object({ messages: arrayOf(contextMessageSchema), ...NOTES }, MODEL_SETTINGS),
      object({
        messages: arrayOf(anything),
        thinkingLevel: string,
        model: nullable(object({ modelId: string }, { provider: string })),
      }),
      object({ request, ...NOTES }),
      object({ shared: size, left: size, right: size }),
    ),
  ),
  run: async (call, { revision: name, format: asked, piVersion, compare, ...options }) => {
    const { io } = call
    const repo = await call.repo()
    const format = asked ?? (piVersion === undefined ? 'text' : 'pi')
    if (compare !== undefined) {
      const as = format === 'text' ? 'json' : format
      const compared = await compareContexts(repo, compare, name, { ...options, format: as })
      return { data: compared, render: () => comparedLines(compared, [compare, name]) }
    }
    if (format === 'pi') {
      const context = await piContextOf(repo, name, { ...options, ...defined({ version: piVersion }) })
      return { data: context, render: async () => io.data(context) }
    }
    if (format === 'text' || format === 'json') {
      const context = await contextOf(repo, name, options)
      if (format === 'json') return { data: context, render: async () => io.data(context) }
      return {
        data: context,
        render: () => contextLines(context),
        notes: noteLines(context, options.budget),
      }
    }
    const context = await requestOf(repo, name, format, options)
    return {
      data: context,
      render: async () => io.data(context.request),
      notes: noteLines(context, options.budget),
    }
  },
})

/** Returns a context for people: its settings, then each message in full. */
function* contextLines({ messages, tokens, model, thinking, mode }: NeutralContext): Generator<Line> {
  const settings = [
    counted(messages.length, 'message'),
    counted(tokens, 'token'),
    ...(model ? [`model ${firstLine(model.id)}`] : []),
    ...(thinking === undefined ? [] : [`thinking ${firstLine(thinking)}`]),
    ...(mode === undefined ? [] : [`mode ${firstLine(mode)}`]),
  ]
  yield [styled('dim', settings.join(', '))]
  for (const { oid, part, role, blocks } of messages) {
    yield []
    yield [
      styled('yellow', short(oid)),
      '  ',
      styled(lookOf(role), role ?? '-'),
      styled('dim', part === 'message' ? '' : `  ${part}`),
    ]
    yield* saidLines({ blocks })
  }
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
function noteLines({ repairs, left, tokens }: ContextNotes, budget?: number): Line[] {
  const counts = new Map<RepairKind, number>()
  for (const { kind } of repairs) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const saved = left.reduce((sum, one) => sum + one.tokens, 0)
  const lines = [...counts].map(([kind, times]): Line => {
    const [one, done] = REPAIRED[kind]
    return [`sess: ${counted(times, one)} ${done}`]
  })
  if (left.length > 0)
    lines.push([`sess: ${counted(left.length, 'part')} of ${counted(saved, 'token')} left out`])
  if (budget !== undefined && tokens > budget)
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
