import { joined } from '../model/bytes.ts'
import { asString, field, items, type Json, type JsonObject } from '../model/json.ts'
import { OPAQUE, type Usage, type View } from '../model/view.ts'
import { all, defineFormat } from './core/define.ts'
import type { FormatReader, Reading, RecordIndex } from './core/format.ts'
import { headText, type Sample } from './core/sample.ts'
import { newlines, type Splitter, type Unit, type Warning } from './core/splitter.ts'
import { factsOf } from './core/values.ts'
import { blocksOf, modelIn, speakerOf } from './core/views.ts'

/**
 * Reads the chats of one history, each a conversation with a root of its own. Lines that Aider itself prints are
 * records, because no model sees them; but its token counts are entries, and the model that it names is set by the
 * next prompt.
 */
function reader(): FormatReader {
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
      return { time }
    }
    const body = by === 'tool' ? usageBody(lines) : by === undefined ? undefined : messageBody(by, lines)
    if (body === undefined) return {}
    const entry = { type: `aider/${by === 'tool' ? 'usage' : 'message'}`, body, parent: last }
    last = handle
    tip = handle
    return { entry }
  }

  /** Returns the body of a message, with the model that is to answer if it is a new one. */
  function messageBody(by: string, lines: readonly string[]): JsonObject {
    const content = by === 'user' ? lines.map(typed).join('\n') : withoutLastNewlines(lines.join(''))
    const isNew = by === 'user' && model !== undefined && model !== inForce
    if (isNew) inForce = model
    return { role: by, content, ...(isNew && model !== undefined && { model }) }
  }

  /** Returns the body of a token count, in a chat that has messages. */
  function usageBody([line = '']: readonly string[]): JsonObject | undefined {
    model = MODEL.exec(line)?.[1] ?? model
    return last !== null && TOKENS.test(line) ? { tokens: line.slice(2).trim() } : undefined
  }

  return { read, active: () => tip, facts: () => factsOf({ created }) }
}

const MODEL = /^> (?:Main model|Models?): (\S+)/
const TOKENS = /^> Tokens: .* sent/

/** A pattern for the last newlines would begin at each newline before them. */
function withoutLastNewlines(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--
  return text.slice(0, end)
}

/** Aider ends each line with two spaces, so that it stays a line in Markdown. */
const typed = (line: string): string => line.slice('#### '.length).replace(/(?: {2})?\r?\n$/, '')

/** Aider writes the time of a clock, without its zone: it is taken for UTC. */
function startOf([line = '']: readonly string[]): number | undefined {
  const [, day, clock] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(line) ?? []
  const time = Date.parse(`${day}T${clock}Z`)
  return Number.isNaN(time) ? undefined : time
}

/** The speaker of the lines of a unit; `start` begins a chat. */
export type LineSpeaker = 'start' | 'user' | 'tool' | 'assistant'

const NEWLINE = 10
/** A unit of this many bytes is not read. */
const LIMIT = 32 * 1024 * 1024

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const MARKS = (
  [
    ['start', '# aider chat started at '],
    ['user', '#### '],
    ['tool', '> '],
  ] as const
).map(([speaker, text]) => ({ speaker, mark: new TextEncoder().encode(text) }))

/** Returns the speaker of a line by its first characters, as Aider does; undefined if it is blank. */
function lineSpeaker(line: Uint8Array): LineSpeaker | undefined {
  for (const { speaker, mark } of MARKS) if (beginsWith(line, mark)) return speaker
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE)
    ? undefined
    : 'assistant'
}

function beginsWith(line: Uint8Array, mark: Uint8Array): boolean {
  for (let at = 0; at < mark.length; at++) if (line[at] !== mark[at]) return false
  return true
}

/** Returns the lines of a text, each with the newline that ends it. */
function linesOf(text: string): string[] {
  const lines: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at) + 1 || text.length
    lines.push(text.slice(at, end))
    at = end
  }
  return lines
}

/**
 * Splits a chat history of Aider into units `{ by, lines }`: consecutive lines of the user or of the assistant, and
 * each line that Aider prints. Blank lines go before the next unit, or into the assistant's text. A message is the
 * tail until a blank line follows it, which Aider writes with each answer; so is a line without a newline.
 */
export function split(limit = LIMIT): Splitter {
  const oversize: Warning = {
    code: 'oversize',
    message: `a message of ${limit} bytes or more is kept unread`,
  }
  let units: Unit[] = []
  let line = 1
  /** The bytes of a line that is not ended. */
  let part: Uint8Array[] = []
  let partSize = 0
  /** Blank lines that belong to nothing yet. */
  let blank: Uint8Array[] = []
  let lead: Uint8Array[] = []
  let content: Uint8Array[] = []
  let size = 0
  let by: LineSpeaker | undefined

  return {
    push(bytes) {
      units = []
      let at = 0
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
        const rest = bytes.slice(at, end + 1)
        if (part.length === 0) take(rest)
        else {
          part.push(rest)
          takePart()
        }
        at = end + 1
      }
      if (at === bytes.length) return units
      part.push(bytes.slice(at))
      partSize += bytes.length - at
      if (partSize >= limit) takePart()
      return units
    },
    end() {
      units = []
      const isWhole = by === 'start' || by === 'tool' || blank.length > 0
      if (part.length === 0 && isWhole) flush()
      const tail = [...lead, ...content, ...blank, ...part]
      return { units, tail, torn: by !== undefined || part.length > 0 }
    },
  }

  function takePart(): void {
    const bytes = joined(part)
    part = []
    partSize = 0
    take(bytes)
  }

  function take(bytes: Uint8Array): void {
    const speaker = lineSpeaker(bytes)
    if (speaker === undefined) {
      blank.push(bytes)
      return
    }
    const goesOn = speaker === by && (speaker === 'assistant' || (speaker === 'user' && blank.length === 0))
    if (!goesOn) {
      flush()
      by = speaker
      lead = blank
    } else content.push(...blank)
    blank = []
    content.push(bytes)
    size += bytes.length
    if (size >= limit) flush()
  }

  function flush(): void {
    if (by === undefined) return
    const before = joined(lead)
    const bytes = joined([before, ...content])
    line += newlines(before)
    const unit = { line, bytes, lead: before.length, salvaged: false }
    // A newline ends what is no UTF-8, so that lines decoded together are what each is by itself.
    const lines = size < limit ? linesOf(utf8.decode(bytes.subarray(before.length))) : undefined
    units.push(lines ? { ...unit, value: { by, lines } } : { ...unit, warning: oversize })
    line += newlines(bytes) - newlines(before)
    by = undefined
    lead = []
    content = []
    size = 0
  }
}

function messageView(body: Json): View {
  const text = asString(field(body, 'content'))?.replaceAll('\r\n', '\n')
  const blocks = blocksOf(text)
  return { role: speakerOf(field(body, 'role'), blocks), blocks, ...modelIn(field(body, 'model')) }
}

const COUNTS = [
  ['input', /([\d.,]+[kM]?) sent/],
  ['output', /([\d.,]+[kM]?) received/],
  ['cacheRead', /([\d.,]+[kM]?) cache hit/],
  ['cacheWrite', /([\d.,]+[kM]?) cache write/],
] as const

/** `Tokens: 2.3k sent, 193 received. Cost: $0.0012 message, $0.01 session.`, in older releases `request`. */
function usageView(body: Json): View {
  const line = asString(field(body, 'tokens')) ?? ''
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const [name, count] of COUNTS) {
    const text = count.exec(line)?.[1]
    if (text !== undefined) usage[name] = numberIn(text)
  }
  const cost = /\$([\d.,]+) (?:message|request)/.exec(line)?.[1]
  if (cost !== undefined) usage.cost = numberIn(cost)
  return { ...OPAQUE, usage, note: line }
}

const SCALES: Readonly<Record<string, number>> = { k: 1e3, M: 1e6 }

function numberIn(text: string): number {
  const scale = SCALES[text.at(-1) ?? ''] ?? 1
  const number = Number(text.replaceAll(',', '').replace(/[kM]$/, ''))
  return Number.isNaN(number) ? 0 : scale === 1 ? number : Math.round(number * scale)
}

/** The chat history of Aider in a project: Markdown, one chat after the other. */
export const aider = defineFormat({
  name: 'aider',
  detect: ({ head }: Sample) => /^# aider chat started at \d{4}-/m.test(headText(head)),
  splitter: split,
  projectLevels: (name) => (name === '.aider.chat.history.md' ? 0 : undefined),
  reader,
  entries: {
    message: { body: all('role', 'content', 'model'), view: messageView },
    usage: { body: all('tokens'), view: usageView },
  },
})
