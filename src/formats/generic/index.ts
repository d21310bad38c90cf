import { joined } from '../../model/bytes.ts'
import { isObject, type Json } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { defineFormat } from '../core/define.ts'
import { PlaceHistory } from '../core/facthistory.ts'
import type { Facts, Format, FormatReader, Reading, RecordIndex } from '../core/format.ts'
import { jsonDocument } from '../core/jsondocument.ts'
import type { Sample } from '../core/sample.ts'
import { rawUnits, type Splitter, type Unit } from '../core/splitter.ts'
import { guessView, hintsIn, isHeader, nativeIn, timeIn } from './heuristics.ts'
import { jsonLinesWriter } from './write.ts'

const utf8 = new TextDecoder()

function isLines({ name, head, lines: objects, whole }: Sample): boolean {
  if (/\.(jsonl|ndjson)$/i.test(name)) return objects.length > 0 || startOf(head) === '{'
  return objects.length > 1 && isObject(tryParse(firstLine(head, whole)))
}

function isDocument({ name, head, whole }: Sample): boolean {
  const start = startOf(head)
  if (start !== '{' && start !== '[') return false
  return /\.json$/i.test(name) || (whole && tryParse(textOf(head)) !== undefined)
}

const textOf = (bytes: Uint8Array): string => utf8.decode(bytes)
const startOf = (head: Uint8Array): string | undefined => textOf(head.subarray(0, 1024)).trimStart()[0]

function firstLine(head: Uint8Array, whole: boolean): string {
  const text = textOf(head).trimStart()
  const end = text.indexOf('\n')
  return end < 0 ? (whole ? text : '') : text.slice(0, end)
}

const SPEAKER =
  /"role"\s*:\s*"(?:user|human|assistant|ai|model)"|"(?:type|sender)"\s*:\s*"(?:user|human|assistant|gemini)"/

/** Returns whether a source that only a generic format takes looks like a conversation of people and models. */
export function holdsConversation(sample: Sample): boolean {
  const hasMessage = sample.lines.some((value) => {
    const { role, blocks } = guessView(value)
    return (role === 'user' || role === 'assistant') && blocks.length > 0
  })
  const start = startOf(sample.head)
  return hasMessage || ((start === '{' || start === '[') && SPEAKER.test(textOf(sample.head)))
}

/** Reads values one by one, each as an entry that continues the one before. */
class GenericReader implements FormatReader {
  readonly #dialect: string
  private count = 0
  private last: RecordIndex | null = null
  private collected: Facts = {}
  private readonly place = new PlaceHistory()

  constructor(dialect: string) {
    this.#dialect = dialect
  }

  read(unit: Unit): Reading {
    const handle = this.count++
    if (unit.value === undefined) return {}
    const [time, native] = [timeIn(unit.value), nativeIn(unit.value)]
    const found = factsOf(unit, handle === 0, time)
    this.place.add(found)
    this.collected = { ...found, ...this.collected }
    const entry = { type: `${this.#dialect}/record`, body: unit.value, parent: this.last }
    this.last = handle
    return { entry, time, native }
  }

  active(): RecordIndex | null {
    return this.last
  }

  facts(): Facts {
    return { ...this.collected, ...this.place.facts() }
  }
}

/**
 * Returns the facts of a record. The first value of a fact counts, except for the folder and the repository: later records
 * repeat a session's facts or belong to another session.
 */
function factsOf(unit: Unit, first: boolean, time: number | undefined): Facts {
  const value = unit.value as Json
  const header = first ? documentHeader(unit) : undefined
  const hints = { ...hintsIn(value, isHeader(value)), ...(header && hintsIn(header, true)) }
  return time === undefined ? hints : { ...hints, created: time }
}

/** Returns the fields before a document's main list, from the lead of its first element. */
function documentHeader(unit: Unit): Json | undefined {
  const lead = textOf(unit.bytes.subarray(0, unit.lead)).trim()
  if (!lead.endsWith('[')) return undefined
  for (const end of [']}', ']}}', ']}}}']) {
    const header = tryParse(`${lead}${end}`)
    if (isObject(header)) return header
  }
  return undefined
}

/** Returns whether a format is one that takes what no other one does. */
export const isGeneric = ({ name }: Format): boolean =>
  name === genericLines.name || name === genericDocument.name || name === 'bytes'

/** Lines of JSON of an unknown agent: every record is an entry of one linear chain, taken whole. */
export const genericLines = defineFormat({
  name: 'jsonl',
  // Whether such a file holds a conversation depends on its content: see `holdsConversation`.
  conversational: false,
  detect: isLines,
  reader: () => new GenericReader('jsonl'),
  entries: { record: { view: guessView } },
  writer: jsonLinesWriter,
})

/** A JSON document of an unknown agent: every element of its main list is an entry of one linear chain. */
export const genericDocument = defineFormat({
  name: 'json',
  conversational: false,
  detect: isDocument,
  splitter: jsonDocument,
  reader: () => new GenericReader('json'),
  entries: { record: { view: guessView } },
})

/** The most bytes of an incomplete line that wait for the next chunk. */
const MAX_REST = 64 << 10

/**
 * Small files are many: each chunk is a unit, without a large buffer. A unit ends with a line where one ends near the end of
 * the chunk, so that nothing that is searched for in lines is in two units.
 */
function unitPerChunk(): Splitter {
  let rest = new Uint8Array(0)
  const unitsOf = (bytes: Uint8Array): Unit[] =>
    bytes.length === 0 ? [] : [{ line: 1, bytes, lead: 0, salvaged: false }]
  return {
    push(chunk) {
      const bytes = rest.length === 0 ? chunk : joined([rest, chunk])
      const end = bytes.lastIndexOf(NEWLINE) + 1
      // The last chunk of a file is a short one.
      const cut = chunk.length > MAX_REST && bytes.length - end <= MAX_REST ? end : bytes.length
      rest = bytes.slice(cut)
      return unitsOf(bytes.subarray(0, cut))
    },
    end: () => ({ units: unitsOf(rest), tail: [] }),
  }
}

const NEWLINE = 10

/** Any file: its bytes are kept and exported, and not interpreted. */
export const opaque = defineFormat({
  name: 'bytes',
  conversational: false,
  detect: () => true,
  splitter: rawUnits,
  reader: () => ({ read: () => ({}), active: () => null, facts: () => ({}) }),
  entries: {},
})

/** A sidecar file: a record for each chunk of bytes, and no tail. */
export const sidecarBytes: Format = { ...opaque, splitter: unitPerChunk }
