import { joined } from '../../model/bytes.ts'
import { asString, field, isObject, items, type Json } from '../../model/json.ts'
import { elementsOf, jsonDocument, unitsOf } from '../core/jsondocument.ts'
import { jsonLines } from '../core/jsonlines.ts'
import { OPEN, skipBlank } from '../core/jsonscan.ts'
import { headText, type Sample } from '../core/sample.ts'
import { newlines, type Splitter, type Unit } from '../core/splitter.ts'
import { fieldAt } from '../core/values.ts'
import { speakerOf } from './entries.ts'

const LIST = 0x5b
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d])
const NEWLINE = 0x0a

/** The names of Gemini's list of messages; a checkpoint may itself be the list. */
const LISTS = ['messages', 'history', '']

/** The most blank bytes that a document may start with. */
const MOST_BLANK = 64 * 1024

/**
 * Returns whether a source is a document over several lines: a list, or an object whose first line is only its
 * bracket. Undefined if there are too few bytes.
 */
function isDocument(bytes: Uint8Array): boolean | undefined {
  const first = skipBlank(bytes, 0)
  // The rest of a byte order mark may come with the next chunk.
  const marked = bytes[first] === 0xef && bytes.length - first < 3
  if (first >= bytes.length || marked) return first > MOST_BLANK ? false : undefined
  if (bytes[first] !== OPEN) return bytes[first] === LIST
  let at = first + 1
  while (SPACES.has(bytes[at] as number)) at++
  return at < bytes.length ? bytes[at] === NEWLINE : at - first > MOST_BLANK ? false : undefined
}

/**
 * Splits a session of Gemini: a document into the messages of its list, a log into its lines, and a line that holds a
 * list of messages into these. The first of them has the line without its list as `around`, the bytes that close the
 * line are a unit of their own.
 */
export function splitter(): Splitter {
  let inner: Splitter | undefined
  let start: Uint8Array = new Uint8Array(0)
  return {
    push(bytes) {
      if (inner) return inner.push(bytes)
      start = joined([start, bytes])
      const isOne = isDocument(start)
      if (isOne === undefined) return []
      inner = isOne ? jsonDocument(undefined, LISTS) : log()
      return inner.push(start)
    },
    pendingLines: () => inner?.pendingLines?.(),
    end() {
      if (inner) return inner.end()
      inner = log()
      const units = inner.push(start)
      const last = inner.end()
      return { ...last, units: [...units, ...last.units] }
    },
  }
}

/** Splits a log of Gemini into its lines, and a line that holds a list of messages into these. */
export function log(): Splitter {
  const inner = jsonLines()
  return {
    push: (bytes) => inner.push(bytes).flatMap(taken),
    pendingLines: () => inner.pendingLines?.(),
    end() {
      const last = inner.end()
      return { ...last, units: last.units.flatMap(taken) }
    },
  }
}

/** Returns the messages of a line that holds a list of them. */
function taken(unit: Unit): Unit[] {
  const path = listIn(unit.value)
  const elements = path && elementsOf(unit.bytes, unit.lead, unit.value as Json, path)
  if (!elements) return [unit]
  const { units, tail } = unitsOf(
    unit.bytes,
    elements,
    unit.line - newlines(unit.bytes.subarray(0, unit.lead)),
  )
  const { line, salvaged } = unit
  return [
    ...units.map((one) => ({ ...one, salvaged })),
    ...tail.map((bytes) => ({ line, bytes, lead: 0, salvaged: false })),
  ]
}

/** Returns the keys that lead to a line's list of messages, where it has one that is not empty. */
function listIn(value: Json | undefined): readonly string[] | undefined {
  const holds = (list: Json | undefined): boolean => items(list).length > 0 && items(list).every(isObject)
  if (holds(fieldAt(value, '$set', 'messages'))) return ['$set', 'messages']
  return holds(field(value, 'messages')) ? ['messages'] : undefined
}

const HEADER = /"projectHash"\s*:\s*"/
const SESSION = /"sessionId"\s*:\s*"/
/** The marks of an answer of Gemini's model, in a session or in a checkpoint. */
const ANSWER = /"type"\s*:\s*"gemini"|"role"\s*:\s*"(?:gemini|model)"\s*,\s*"parts"\s*:/

/**
 * Returns whether a source is a session of Gemini CLI: a document with its header or an answer of its model, or a log
 * with a header, an event or a message of its own.
 */
export function detect({ head, lines: records }: Sample): boolean {
  if (!isDocument(head)) return records.some(isOwn)
  const text = headText(head)
  return (HEADER.test(text) && SESSION.test(text)) || ANSWER.test(text)
}

const isOwn = (line: Json): boolean =>
  isHeader(line) || typeof field(line, '$rewindTo') === 'string' || isAnswer(line) || isList(line)

const isHeader = (line: Json): boolean =>
  typeof field(line, 'sessionId') === 'string' && typeof field(line, 'projectHash') === 'string'

const isAnswer = (line: Json): boolean =>
  field(line, 'type') === 'gemini' && asString(field(line, 'id')) !== undefined

const isList = (line: Json): boolean =>
  [field(line, 'messages'), field(line, 'history')].some((list) =>
    items(list).some(
      (one) => isAnswer(one) || (field(one, 'parts') !== undefined && speakerOf(one) === 'gemini'),
    ),
  )
