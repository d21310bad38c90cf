import { viewOf } from '../../formats/registry.ts'
import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { summaryIn, textOf, type View } from '../../model/view.ts'

/** What an entry says. */
export interface Said {
  readonly type: string
  readonly body: Json
}

/** Where bodies keep what is said. */
const PLACES = [['message', 'content'], ['content'], ['text'], ['summary']] as const

/**
 * Returns an entry with other words: its own body with the text replaced where that is all it takes, else a message of
 * sess's own; undefined of what says nothing in words.
 */
export function reworded({ type, body }: Said, text: string): Said | undefined {
  for (const place of PLACES) {
    const other = withText(body, place, text)
    if (other !== undefined && wordsOf(viewOf(type, other)) === text) return { type, body: other }
  }
  const { role, blocks } = viewOf(type, body)
  const [first, ...rest] = blocks.filter(({ kind }) => kind !== 'thinking' && kind !== 'text')
  if (role === null || rest.length > 0) return undefined
  if (first === undefined) return { type: 'sess/message', body: { role, content: text } }
  if (first.kind !== 'toolResult') return undefined
  const { id, name, error } = first
  const result = {
    type: 'toolResult',
    id,
    ...(name !== undefined && { name }),
    text,
    ...(error && { error }),
  }
  return { type: 'sess/message', body: { role, content: [result] } }
}

/** Returns the words of an entry that others can stand for; undefined where it has none. */
export const wordsOf = (view: View): string | undefined => textOf(view) ?? summaryIn(view.effect)

function withText(value: Json, [key, ...rest]: readonly string[], text: string): Json | undefined {
  const part = key === undefined ? undefined : field(value, key)
  if (key === undefined || part === undefined || !isObject(value)) return undefined
  const other = rest.length > 0 ? withText(part, rest, text) : replaced(part, text)
  return other === undefined ? undefined : { ...value, [key]: other }
}

/** Puts a text in the place of the texts of a content. */
function replaced(content: Json, text: string): Json | undefined {
  if (asString(content) !== undefined) return text
  if (!Array.isArray(content)) return undefined
  const blocks = content as readonly Json[]
  const first = blocks.findIndex(isText)
  if (first < 0) return undefined
  return blocks.flatMap((block, at) => {
    if (at === first) return [{ ...(block as JsonObject), text }]
    return isText(block) ? [] : [block]
  })
}

const isText = (block: Json): boolean =>
  asString(field(block, 'text')) !== undefined && asString(field(block, 'type'))?.endsWith('text') === true

/** Joins what several messages of one role say; undefined where one says more than text. */
export function joined(all: readonly Said[]): Said | undefined {
  const views = all.map(({ type, body }) => viewOf(type, body))
  const [first] = views
  const texts = views.flatMap((view) => textOf(view) ?? [])
  const isPlain = views.every(
    ({ role, blocks }) =>
      role === first?.role &&
      role !== null &&
      blocks.every(({ kind }) => kind === 'text' || kind === 'thinking'),
  )
  if (!isPlain || !first || texts.length < views.length) return undefined
  return { type: 'sess/message', body: { role: first.role, content: texts.join('\n\n') } }
}
