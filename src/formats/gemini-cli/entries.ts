import { asString, field, isObject, items, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import type { Block, View } from '../../model/view.ts'
import { type AllowList, all, type EntryDeclarations, each, fields, known } from '../core/define.ts'
import { blocksOf, callBlock, geminiUsage, modelIn, resultBlock, thinkingBlock } from '../core/views.ts'

/** The fields of a part of Gemini's API that the model sees. A part with none of them is taken whole. */
export const part = known(
  all(
    ...['text', 'thought', 'thoughtSignature', 'functionCall', 'functionResponse', 'inlineData', 'fileData'],
    ...['executableCode', 'codeExecutionResult', 'videoMetadata'],
  ),
)

/** The fields of a message that reach the model, or count its tokens: no ids, no times, nothing for display alone. */
const MESSAGE: AllowList = {
  ...all('type', 'role', 'model'),
  content: each(part),
  parts: each(part),
  tokens: fields(all('input', 'output', 'cached', 'thoughts', 'tool', 'total')),
  thoughts: each(fields(all('subject', 'description', 'text'))),
  toolCalls: each(fields({ ...all('id', 'name', 'args', 'status'), result: each(part) })),
}

const SPEAKERS: ReadonlyMap<string, GeminiKind> = new Map([
  ['user', 'user'],
  ['gemini', 'gemini'],
  ['model', 'gemini'],
  ['assistant', 'gemini'],
])

/** The speaker of a message: the kind of its entry. */
export type GeminiKind = 'user' | 'gemini'

/** Returns the speaker of a message; undefined for what the program itself shows (`info`, `warning`, `error`). */
export const speakerOf = (message: Json): GeminiKind | undefined =>
  SPEAKERS.get(asString(field(message, 'type')) ?? asString(field(message, 'role')) ?? '')

function userView(body: Json): View {
  const blocks = contentBlocks(body)
  const answers = blocks.length > 0 && blocks.every((block) => block.kind === 'toolResult')
  return { role: answers ? 'tool' : 'user', blocks }
}

/** A call and its result are in one message. */
function answerView(body: Json): View {
  const calls = items(field(body, 'toolCalls')).filter(isObject)
  const tokens = field(body, 'tokens')
  return {
    role: 'assistant',
    blocks: [
      ...items(field(body, 'thoughts')).flatMap(thoughtIn),
      ...contentBlocks(body),
      ...calls.map(({ id, name, args }) => callBlock(id, name, args)),
      ...calls.flatMap(resultIn),
    ],
    ...(isObject(tokens) && geminiUsage(tokens, TOKENS)),
    ...modelIn(field(body, 'model'), 'google'),
  }
}

const contentBlocks = (body: Json): Block[] => blocksOf(field(body, 'content') ?? field(body, 'parts'))

function thoughtIn(thought: Json): Block[] {
  const words = [field(thought, 'subject'), field(thought, 'description'), field(thought, 'text')]
  const texts = words.flatMap((text) => asString(text) || [])
  return texts.length === 0 ? [] : [thinkingBlock(texts.join('\n'))]
}

/** Returns the result of a call followed by its images; none if it has no result. */
function resultIn({ id, name, result, status }: JsonObject): Block[] {
  if (result === undefined || result === null) return []
  const parts = Array.isArray(result) ? items(result) : [result]
  const answers = parts.flatMap((one) => field(one, 'functionResponse') ?? [])
  const response = field(answers[0], 'response')
  const rest = parts.filter((one) => field(one, 'functionResponse') === undefined)
  const more = [...answers.flatMap((answer) => items(field(answer, 'parts'))), ...rest].flatMap(blocksOf)
  const words = more.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  const text = [...(response === undefined ? [] : [wordsOf(response)]), ...words].join('\n')
  const error = FAILED.has(asString(status) ?? '') || field(response, 'error') !== undefined
  return [resultBlock(id, text, error, name), ...more.filter((block) => block.kind === 'image')]
}

const FAILED: ReadonlySet<string> = new Set(['error', 'cancelled'])

/** Returns the text of a response: its output or its error, else its JSON. */
const wordsOf = (response: Json): string =>
  asString(field(response, 'output')) ??
  asString(field(response, 'error')) ??
  asString(response) ??
  jsonText(response)

const TOKENS = { input: 'input', output: 'output', thoughts: 'thoughts', cacheRead: 'cached' } as const

/** The entries of Gemini CLI, by speaker. */
export const ENTRIES: EntryDeclarations = {
  user: { body: MESSAGE, view: userView },
  gemini: { body: MESSAGE, view: answerView },
}
