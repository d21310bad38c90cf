import { joined } from '../../model/bytes.ts'
import { endOfValue, skipBlank, valueOf } from '../bytes.ts'
import { newlines, pieces } from '../pieces.ts'
import type { Splitter, Unit, Warning } from '../unit.ts'

const COMMA = 0x2c
const CLOSE = 0x5d

/** A larger message is not looked into. */
const LIMIT = 32 << 20
const OVERSIZE: Warning = {
  code: 'oversize',
  message: `a message of more than ${LIMIT} bytes is kept unread`,
}
const BAD_JSON: Warning = { code: 'bad-json', message: 'no JSON message: what follows is kept unread' }

const latin1 = new TextDecoder('latin1')

/**
 * Gives where the list of messages of an export begins, by its first bytes: behind `{"info":{…},"messages":[`. Undefined
 * where they say it otherwise.
 */
export function listIn(head: Uint8Array): number | undefined {
  const before = /^\s*\{\s*"info"\s*:\s*/.exec(latin1.decode(head.subarray(0, LONGEST)))
  if (!before) return undefined
  const end = endOfValue(head, before[0].length, head.length)
  if (end <= 0) return undefined
  const between = /^\s*,\s*"messages"\s*:\s*\[/.exec(latin1.decode(head.subarray(end, end + LONGEST)))
  return between ? end + between[0].length : undefined
}

/** White space and the names of keys take less. */
const LONGEST = 1024

/** Splits an export: each message is a unit as soon as it is there. What precedes the first is its lead, the end the tail. */
export function messages(list: number): Splitter {
  let held: Uint8Array = new Uint8Array(0)
  /** Within `held`: where what was not given yet begins, and where the next message is looked for. */
  let start = 0
  let at = list
  let line = 1
  let closed = false
  let raw: Splitter | undefined
  const give = (to: number, unit: Omit<Unit, 'line' | 'bytes' | 'lead'>): Unit => {
    const lead = at - start
    const given = {
      line: line + newlines(held.subarray(start, at)),
      bytes: held.slice(start, to),
      lead,
      ...unit,
    }
    line = given.line + newlines(held.subarray(at, to))
    start = at = to
    return given
  }
  /** Gives what is no message in pieces, and all behind it. */
  const giveUp = (warning: Warning): Unit[] => {
    raw = pieces()
    const from = line
    const units = raw.push(held.subarray(start))
    held = held.slice(held.length)
    start = at = 0
    return units.map((unit, i) => ({ ...unit, line: from + unit.line - 1, ...(i === 0 && { warning }) }))
  }
  const drain = (): Unit[] => {
    const units: Unit[] = []
    while (!closed) {
      at = skipBlank(held, at)
      if (held[at] === COMMA) at = skipBlank(held, at + 1)
      if (at >= held.length) break
      if (held[at] === CLOSE) {
        closed = true
        break
      }
      const end = endOfValue(held, at, held.length)
      if (end <= 0) {
        if (held.length - at > LIMIT) return [...units, ...giveUp(OVERSIZE)]
        break
      }
      const part = valueOf(held, at, end, false)
      if (!part) return [...units, ...giveUp(BAD_JSON)]
      const { from: _from, to, ...rest } = part
      units.push(give(to, rest))
    }
    return units
  }
  return {
    push(bytes) {
      if (raw) return raw.push(bytes)
      held = joined([held.subarray(start), bytes])
      at -= start
      start = 0
      return drain()
    },
    end() {
      if (raw) return raw.end()
      const tail = held.subarray(start)
      return { units: [], tail: tail.length > 0 ? [tail] : [], torn: !closed }
    },
  }
}
