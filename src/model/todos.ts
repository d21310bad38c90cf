import { asString, field, items, type Json } from './json.ts'
import { cut, flat } from './markdown.ts'

const LISTERS = /^(?:todowrite|updateplan|writetodos|updatetodolist|todo)$/

const LONGEST = 200

/** Returns the to-do list that a tool call writes, as lines of markdown; undefined if it writes none. */
export function todosIn(name: string, input: Json): string[] | undefined {
  if (!LISTERS.test(name.toLowerCase().replace(/[^a-z]/g, ''))) return undefined
  const list = field(input, 'todos') ?? field(input, 'plan') ?? field(input, 'items')
  const text = asString(list)
  if (text !== undefined) return text.split('\n').flatMap((line) => lineOf(line, markOf(line)))
  return items(list).flatMap((item) =>
    lineOf(
      ['content', 'step', 'text', 'title', 'description'].flatMap(
        (key) => asString(field(item, key)) ?? [],
      )[0] ?? '',
      markOf(`[${asString(field(item, 'status')) ?? ''}]`),
    ),
  )
}

const lineOf = (text: string, mark: string): string[] => {
  const words = flat(text.replace(/^\s*(?:\d+[.)]|[-*])?\s*\[[\w -]*\]\s*/, ''))
  return words === '' ? [] : [`- [${mark}] ${cut(words, LONGEST)}`]
}

/** Returns the checkbox of a status: done, in progress or open. */
const markOf = (text: string): string =>
  /\[(?:x|completed|done)\]/i.test(text) ? 'x' : /\[(?:in[ _-]?progress|doing)\]/i.test(text) ? '~' : ' '
