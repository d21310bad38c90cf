import { joined } from '../../model/bytes.ts'
import { field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { parseJson } from '../../model/value.ts'
import { type Bundled, bundledIn } from '../bundle.ts'
import { document } from '../document.ts'
import { lines } from '../lines.ts'
import { newlines } from '../pieces.ts'
import type { Splitter, Unit, Warning } from '../unit.ts'
import { clearedAt } from './body.ts'
import { shapeOf } from './detect.ts'
import { listIn, messages } from './messages.ts'

/** So many bytes tell how a source came. */
const HEAD = 64 << 10

/**
 * Splits a source of OpenCode: a message with its parts is a unit, in whichever way it came. Where what a tool answered
 * was cleared later, a unit without bytes stands where that was done: `{ cleared, time }`, the message and when.
 */
export function splitter(): Splitter {
  let inner: Splitter | undefined
  let head: Uint8Array = new Uint8Array(0)
  const edits = new Edits()
  const begin = (): Unit[] => {
    const shape = shapeOf(head)
    const list = shape === 'export' ? listIn(head) : undefined
    if (shape === 'files') inner = files()
    else if (shape === 'rows') inner = lines()
    else inner = list === undefined ? document() : messages(list)
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

/** What was cleared of messages that were read and is to be told when its time has come. */
class Edits {
  #pending: { readonly cleared: JsonObject; readonly time: number }[] = []
  #line = 1

  /** Gives a unit behind those that tell what was cleared before it was said. */
  before(unit: Unit): Unit[] {
    this.#line = unit.line
    const { value } = unit
    const time = field(field(field(value, 'info'), 'time'), 'created')
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
const utf8 = new TextDecoder()

/** A larger file is not looked into. */
const LIMIT = 32 << 20

/** The files of a message, or one other file. */
interface Group {
  readonly bytes: Uint8Array[]
  readonly value: Json | undefined
  /** Of a message, its parts. */
  readonly parts?: Json[]
  damaged: boolean
}

/** Splits the files of a session: each message with its parts is a unit, and each other file. */
function files(): Splitter {
  let held: Uint8Array = new Uint8Array(0)
  let line = 1
  let group: Group | undefined
  const flush = (): Unit[] => {
    if (!group) return []
    const { value, damaged } = group
    const bytes = joined(group.bytes)
    const unit = { line, bytes, lead: 0, salvaged: false, ...(value !== undefined && { value }) }
    line += newlines(bytes)
    group = undefined
    return [damaged ? { ...unit, warning: DAMAGED } : unit]
  }
  const take = (file: Bundled): Unit[] => {
    const bytes = held.slice(file.at, file.to)
    const value = valueOf(held.subarray(file.from, file.to))
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
      held = joined([held, bytes])
      const { files: whole, end } = bundledIn(held)
      const units = whole.flatMap(take)
      held = held.slice(end)
      return units
    },
    end: () => ({ units: flush(), tail: held.length > 0 ? [held] : [], torn: held.length > 0 }),
  }
}

const DAMAGED: Warning = { code: 'bad-json', message: 'a file of it is no JSON' }

const valueOf = (bytes: Uint8Array): Json | undefined =>
  bytes.length > LIMIT ? undefined : parseJson(utf8.decode(bytes))?.value
