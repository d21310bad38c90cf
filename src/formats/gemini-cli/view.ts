import { asString, field, isObject, items, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import { type Block, OPAQUE, type View } from '../../model/view.ts'
import { blocksOf, callBlock, resultBlock, thinkingBlock } from '../core/contentblocks.ts'
import { geminiUsage } from '../core/usage.ts'
import { modelIn } from '../core/viewparts.ts'

/** Returns the view of an entry. A call and its result are in one message. */
export function view(kind: string, body: Json): View {
  if (!isObject(body) || (kind !== 'user' && kind !== 'gemini')) return OPAQUE
  const said = blocksOf(body.content ?? body.parts)
  const calls = items(body.toolCalls).filter(isObject)
  if (kind === 'user') {
    const role = said.length > 0 && said.every((block) => block.kind === 'toolResult') ? 'tool' : 'user'
    return { role, blocks: said }
  }
  return {
    role: 'assistant',
    blocks: [
      ...items(body.thoughts).flatMap(thoughtIn),
      ...said,
      ...calls.map(({ id, name, args }) => callBlock(id, name, args)),
      ...calls.flatMap(resultIn),
    ],
    ...(isObject(body.tokens) && geminiUsage(body.tokens, TOKENS)),
    ...modelIn(body.model, 'google'),
  }
}

function thoughtIn(thought: Json): Block[] {
  const words = [field(thought, 'subject'), field(thought, 'description'), field(thought, 'text')]
  const texts = words.flatMap((text) => asString(text) || [])
  return texts.length === 0 ? [] : [thinkingBlock(texts.join('\n'))]
}

/** Returns the result of a call followed by its images; none if it has no result. */
function resultIn({ id, name, result, status }: JsonObject): Block[] {
  if (result === undefined || result === null) return []
  const parts = Array.isArray(result) ? items(result) : [result]
  const answers = parts.flatMap((part) => field(part, 'functionResponse') ?? [])
  const response = field(answers[0], 'response')
  const rest = parts.filter((part) => field(part, 'functionResponse') === undefined)
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

const TOKENS = { input: 'input', output: 'output', thoughts: 'thoughts', cached: 'cached' } as const
