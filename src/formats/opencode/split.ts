import { joined } from '../../model/bytes.ts'
import { field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { parseJson, tryParse } from '../../model/value.ts'
import { jsonDocument } from '../core/jsondocument.ts'
import { jsonLines } from '../core/jsonlines.ts'
import { endOfValue, skipBlank, valueOf } from '../core/jsonscan.ts'
import { type Sample, startText } from '../core/sample.ts'
import { newlines, rawUnits, type Splitter, type Unit, type Warning } from '../core/splitter.ts'
import { fieldAt } from '../core/values.ts'
import { type BundledFile, bundledIn, isBundle } from './bundle.ts'
import { clearedAt } from './entries.ts'

const utf8 = new TextDecoder()

/** How a source of OpenCode came: its own export, the files of a session, or the rows of one. */
type SourceShape = 'export' | 'files' | 'rows'

/** Returns the form of a source of OpenCode, from its first bytes; undefined if it is none. */
function shapeOf(head: Uint8Array): SourceShape | undefined {
  if (isBundle(head)) return isSession(firstFile(head)) ? 'files' : undefined
  const text = startText(head)
  if (ROWS.test(text)) return /"project_id":/.test(text) ? 'rows' : undefined
  if (EXPORT.test(text) && /"projectID"\s*:/.test(text)) return 'export'
  return undefined
}

const ROWS = /^\{"table":"session(?:_v2)?","row":\{/
const EXPORT = /^\s*\{\s*"info"\s*:\s*\{/

function firstFile(head: Uint8Array): Json | undefined {
  const [first] = bundledIn(head).files
  return first && tryParse(utf8.decode(head.subarray(first.from, first.to)))
}

const isSession = (value: Json | undefined): boolean =>
  typeof field(value, 'projectID') === 'string' && typeof field(value, 'directory') === 'string'

/** Returns whether a source is a session of OpenCode, or one of the files that one was kept in. */
export const detect = ({ head, whole }: Sample): boolean =>
  shapeOf(head) !== undefined || (whole && head.length < 1 << 20 && isFile(tryParse(utf8.decode(head))))

function isFile(value: Json | undefined): boolean {
  if (!isObject(value)) return false
  const isPart = typeof value.type === 'string' && typeof value.messageID === 'string'
  const isMessage = typeof value.role === 'string' && typeof value.sessionID === 'string'
  return typeof value.id === 'string' && (isPart || isMessage || isSession(value))
}

const COMMA = 0x2c
const CLOSE = 0x5d

/** A larger message is not looked into. */
const MESSAGE_LIMIT = 32 << 20
const OVERSIZE: Warning = {
  code: 'oversize',
  message: `a message of more than ${MESSAGE_LIMIT} bytes is kept unread`,
}
const BAD_JSON: Warning = { code: 'bad-json', message: 'no JSON message: what follows is kept unread' }

const latin1 = new TextDecoder('latin1')

/**
 * Returns the start of the list of messages in an export: after `{"info":{…},"messages":[`. Undefined if its first
 * bytes are different.
 */
function listIn(head: Uint8Array): number | undefined {
  const before = /^\s*\{\s*"info"\s*:\s*/.exec(latin1.decode(head.subarray(0, LONGEST)))
  if (!before) return undefined
  const end = endOfValue(head, before[0].length, head.length)
  if (end <= 0) return undefined
  const between = /^\s*,\s*"messages"\s*:\s*\[/.exec(latin1.decode(head.subarray(end, end + LONGEST)))
  return between ? end + between[0].length : undefined
}

/** White space and the names of keys take less. */
const LONGEST = 1024

/**
 * Splits an export: each message is a unit as soon as it is complete. Bytes before the first are its lead, those
 * after the last the tail.
 */
function messages(list: number): Splitter {
  let buffer: Uint8Array = new Uint8Array(0)
  /** Within `buffer`: the start of the bytes that are not emitted yet, and the position of the next message. */
  let start = 0
  let at = list
  let line = 1
  let closed = false
  let raw: Splitter | undefined
  const emit = (to: number, unit: Omit<Unit, 'line' | 'bytes' | 'lead'>): Unit => {
    const lead = at - start
    const emitted = {
      line: line + newlines(buffer.subarray(start, at)),
      bytes: buffer.slice(start, to),
      lead,
      ...unit,
    }
    line = emitted.line + newlines(buffer.subarray(at, to))
    start = at = to
    return emitted
  }
  /** Emits the rest of the source as bytes. */
  const drainRaw = (warning: Warning): Unit[] => {
    raw = rawUnits()
    const from = line
    const units = raw.push(buffer.subarray(start))
    buffer = buffer.slice(buffer.length)
    start = at = 0
    return units.map((unit, i) => ({ ...unit, line: from + unit.line - 1, ...(i === 0 && { warning }) }))
  }
  const drain = (): Unit[] => {
    const units: Unit[] = []
    while (!closed) {
      at = skipBlank(buffer, at)
      if (buffer[at] === COMMA) at = skipBlank(buffer, at + 1)
      if (at >= buffer.length) break
      if (buffer[at] === CLOSE) {
        closed = true
        break
      }
      const end = endOfValue(buffer, at, buffer.length)
      if (end <= 0) {
        if (buffer.length - at > MESSAGE_LIMIT) return [...units, ...drainRaw(OVERSIZE)]
        break
      }
      const part = valueOf(buffer, at, end, false)
      if (!part) return [...units, ...drainRaw(BAD_JSON)]
      const { from: _from, to, ...rest } = part
      units.push(emit(to, rest))
    }
    return units
  }
  return {
    push(bytes) {
      if (raw) return raw.push(bytes)
      buffer = joined([buffer.subarray(start), bytes])
      at -= start
      start = 0
      return drain()
    },
    end() {
      if (raw) return raw.end()
      const tail = buffer.subarray(start)
      return { units: [], tail: tail.length > 0 ? [tail] : [], torn: !closed }
    },
  }
}

/** The number of bytes that determine the form of a source. */
const HEAD = 64 << 10

/**
 * Splits a source of OpenCode, in any of its forms: a message with its parts is a unit. If a tool result was cleared
 * later, a unit without bytes, `{ cleared, time }`, marks when.
 */
export function splitter(): Splitter {
  let inner: Splitter | undefined
  let head: Uint8Array = new Uint8Array(0)
  const edits = new Edits()
  const begin = (): Unit[] => {
    const shape = shapeOf(head)
    const list = shape === 'export' ? listIn(head) : undefined
    if (shape === 'files') inner = files()
    else if (shape === 'rows') inner = jsonLines()
    else inner = list === undefined ? jsonDocument() : messages(list)
    return inner.push(head)
  }
  return {
    push(bytes) {
      if (inner) return inner.push(bytes).flatMap((unit) => edits.before(unit))
      head = joined([head, bytes])
      return head.length < HEAD ? [] : begin().flatMap((unit) => edits.before(unit))
    },
    end() {
      const begun = inner ? [] : begin()
      const { units, ...rest } = (inner as Splitter).end()
      return {
        ...rest,
        units: [...[...begun, ...units].flatMap((unit) => edits.before(unit)), ...edits.rest()],
      }
    },
  }
}

/** The cleared tool results of earlier messages, to be emitted at their time. */
class Edits {
  #pending: { readonly cleared: JsonObject; readonly time: number }[] = []
  #line = 1

  /** Returns a unit, preceded by the units of what was cleared before its time. */
  before(unit: Unit): Unit[] {
    this.#line = unit.line
    const { value } = unit
    const time = fieldAt(value, 'info', 'time', 'created')
    const due = typeof time === 'number' ? this.#take(time) : []
    if (isObject(value)) {
      const times = new Set(items(value.parts).flatMap((part) => clearedAt(part) ?? []))
      for (const at of times) this.#pending.push({ cleared: value, time: at })
    }
    return [...due, unit]
  }

  rest(): Unit[] {
    return this.#take(Number.POSITIVE_INFINITY)
  }

  #take(until: number): Unit[] {
    if (this.#pending.length === 0) return []
    const due = this.#pending.filter(({ time }) => time < until).sort((a, b) => a.time - b.time)
    this.#pending = this.#pending.filter(({ time }) => time >= until)
    return due.map((value) => ({ line: this.#line, bytes: NOTHING, lead: 0, value, salvaged: false }))
  }
}

const NOTHING = new Uint8Array(0)

/** A larger file is not looked into. */
const LIMIT = 32 << 20

/** The files of a message, or one other file. */
interface MessageFiles {
  readonly bytes: Uint8Array[]
  readonly value: Json | undefined
  /** The parts of a message. */
  readonly parts?: Json[]
  damaged: boolean
}

/** Splits the files of a session: each message with its parts is a unit, and each other file. */
function files(): Splitter {
  let buffer: Uint8Array = new Uint8Array(0)
  let line = 1
  let group: MessageFiles | undefined
  const flush = (): Unit[] => {
    if (!group) return []
    const { value, damaged } = group
    const bytes = joined(group.bytes)
    const unit = { line, bytes, lead: 0, salvaged: false, ...(value !== undefined && { value }) }
    line += newlines(bytes)
    group = undefined
    return [damaged ? { ...unit, warning: DAMAGED } : unit]
  }
  const take = (file: BundledFile): Unit[] => {
    const bytes = buffer.slice(file.at, file.to)
    const value = fileValue(buffer.subarray(file.from, file.to))
    if (file.file.startsWith('part/') && group?.parts) {
      group.bytes.push(bytes)
      if (value === undefined) group.damaged = true
      else group.parts.push(value)
      return []
    }
    const units = flush()
    const damaged = value === undefined
    if (file.file.startsWith('message/') && isObject(value)) {
      const parts: Json[] = []
      group = { bytes: [bytes], value: { info: value, parts }, parts, damaged }
    } else group = { bytes: [bytes], value, damaged }
    return units
  }
  return {
    push(bytes) {
      buffer = joined([buffer, bytes])
      const { files: whole, end } = bundledIn(buffer)
      const units = whole.flatMap(take)
      buffer = buffer.slice(end)
      return units
    },
    end: () => ({ units: flush(), tail: buffer.length > 0 ? [buffer] : [], torn: buffer.length > 0 }),
  }
}

const DAMAGED: Warning = { code: 'bad-json', message: 'a file of it is no JSON' }

const fileValue = (bytes: Uint8Array): Json | undefined =>
  bytes.length > LIMIT ? undefined : parseJson(utf8.decode(bytes))?.value
