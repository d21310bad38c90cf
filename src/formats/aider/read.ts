import { asString, field, items, type JsonObject } from '../../model/json.ts'
import type { Facts, Reader, Reading, RecordIndex } from '../format.ts'
import type { Unit } from '../unit.ts'

/**
 * Reads the chats of one history, each a conversation with a root of its own. What Aider itself says is a record, and
 * never sent to a model; but what it tells of tokens is an entry, and the model that it names goes with the next prompt.
 */
export function reader(): Reader {
  let count = 0
  let last: RecordIndex | null = null
  let tip: RecordIndex | null = null
  let created: number | undefined
  let model: string | undefined
  let inForce: string | undefined

  function read({ value }: Unit): Reading {
    const handle = count++
    const by = asString(field(value, 'by'))
    const lines = items(field(value, 'lines')).map((line) => asString(line) ?? '')
    if (by === 'start') {
      const time = startOf(lines)
      created ??= time
      last = null
      inForce = undefined
      return time === undefined ? {} : { time }
    }
    const body = by === 'tool' ? told(lines) : by === undefined ? undefined : said(by, lines)
    if (body === undefined) return {}
    const entry = { type: `aider/${by === 'tool' ? 'usage' : 'message'}`, body, parent: last }
    last = handle
    tip = handle
    return { entry }
  }

  /** Gives what somebody says, with the model that is to answer where it is another. */
  function said(by: string, lines: readonly string[]): JsonObject {
    const content = by === 'user' ? lines.map(typed).join('\n') : lines.join('').replace(/[\r\n]+$/, '')
    const isNew = by === 'user' && model !== undefined && model !== inForce
    if (isNew) inForce = model
    return { role: by, content, ...(isNew && model !== undefined && { model }) }
  }

  /** Gives what is told of a model call in a chat that somebody spoke in. */
  function told([line = '']: readonly string[]): JsonObject | undefined {
    model = MODEL.exec(line)?.[1] ?? model
    return last !== null && TOKENS.test(line) ? { tokens: line.slice(2).trim() } : undefined
  }

  return { read, active: () => tip, facts: (): Facts => (created === undefined ? {} : { created }) }
}

const MODEL = /^> (?:Main model|Models?): (\S+)/
const TOKENS = /^> Tokens: .* sent/

/** Aider ends each line with two spaces, so that it stays a line in Markdown. */
const typed = (line: string): string => line.slice('#### '.length).replace(/(?: {2})?\r?\n$/, '')

/** Aider writes the time of a clock, without its zone: it is taken for UTC. */
function startOf([line = '']: readonly string[]): number | undefined {
  const [, day, clock] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(line) ?? []
  const time = Date.parse(`${day}T${clock}Z`)
  return Number.isNaN(time) ? undefined : time
}
