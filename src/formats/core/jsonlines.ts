import { RecordEncoder } from '../../model/recordencoder.ts'
import { encodedPart, type JsonPart, skipBlank, trimBlank } from './jsonscan.ts'
import { Brackets, beginsObject, beginsRecord, partsOf, repairedValue } from './salvage.ts'
import type { Splitter, Unit, Warning } from './splitter.ts'

/** A unit of this many bytes is not parsed. */
const LIMIT = 32 * 1024 * 1024
/** The largest piece in which bytes that are not parsed are given. */
const PIECE = 4 * 1024 * 1024
/** Larger chunks are taken in slices of this size, so that what is held stays bounded. */
const SLICE = 1024 * 1024
const SMALL = 64 * 1024
const NEWLINE = 10
/** The maximum number of lines that an object may be broken into. */
const MOST_LINES = 1000

/** An object that lines begin and do not end; places count from the beginning of the next unit. */
interface Broken {
  /** Where it begins, on which line, and where that line does. */
  readonly at: number
  readonly line: number
  readonly lineStart: number
  readonly brackets: Brackets
  /** Where its lines end so far. */
  readonly ends: number[]
}

/**
 * Splits a JSONL source. A newline separates and does not end: it stands before the value of the line that it
 * begins, with blank lines, white space, NULs and byte order marks. What is no JSON object or array comes as
 * units without a value. An object that newlines break into lines is one unit; until it ends or another one begins
 * it is no complete unit. What comes does not depend on how the source is cut into chunks, nor on what is
 * appended to it later; a splitter that is fed the tail and what follows it goes on where this one ended. A
 * line of `limit` bytes or more, a multiple of `piece`, is not parsed and comes in pieces.
 */
export function jsonLines(limit = LIMIT, piece = PIECE): Splitter {
  const oversize: Warning = { code: 'oversize', message: `a line of ${limit} bytes or more is kept unread` }
  let held = new Uint8Array(0)
  /**
   * Within `held`: where the next unit begins, where the current line does, how far newlines are known, the
   * end.
   */
  let start = 0
  let lineStart = 0
  let searched = 0
  let length = 0
  let line = 1
  /** Within a line that is not parsed. */
  let raw = false
  /** Whether values of the current line were given already: what follows them there is salvaged. */
  let glued = false
  let broken: Broken | undefined
  let units: Unit[] = []
  /** `held` as a Buffer, and the encoder of lines while units are given one at a time. */
  let buffer = Buffer.alloc(0)
  let encoder: RecordEncoder | undefined
  let isEach = false

  return {
    resumable: true,
    push(bytes) {
      units = []
      for (let at = 0; at < bytes.length; at += SLICE) {
        hold(bytes.subarray(at, at + SLICE))
        while (drain()) continue
      }
      return units
    },
    *each(bytes) {
      for (let at = 0; at < bytes.length; at += SLICE) {
        hold(bytes.subarray(at, at + SLICE), true)
        for (;;) {
          units = []
          isEach = true
          const more = drain()
          isEach = false
          if (units.length > 0) yield* units
          if (!more) break
        }
      }
    },
    end() {
      units = []
      if (!raw) lineEnds(length, false)
      const tail = held.subarray(start, length)
      return { units, tail: start < length ? [tail] : [], torn: skipBlank(tail, 0) < tail.length }
    },
  }

  /**
   * Adds bytes behind those held. Bytes once held are never overwritten unless `overwrites` is set, because units are
   * views on them.
   */
  function hold(bytes: Uint8Array, overwrites = false): void {
    if (held.length - length < bytes.length) {
      const pending = length - start
      if (overwrites && held.length - pending >= bytes.length) held.copyWithin(0, start, length)
      else {
        const room = Math.min(Math.max(2 * pending, SMALL), limit + SLICE)
        const next = new Uint8Array(Math.max(pending + bytes.length, room))
        next.set(held.subarray(start, length))
        held = next
        buffer = Buffer.from(next.buffer)
      }
      lineStart -= start
      searched -= start
      length = pending
      start = 0
    }
    held.set(bytes, length)
    length += bytes.length
  }

  /** Takes the next line, or what is there of it. Returns whether there may be more. */
  function drain(): boolean {
    const newline = buffer.indexOf(NEWLINE, searched)
    const end = newline < 0 || newline >= length ? length : newline
    const ended = end < length
    searched = end
    if (raw) {
      while (end - start >= piece) giveRaw(start + piece)
      if (!ended) return false
      if (end > start) giveRaw(end)
      raw = false
    } else if (end - start >= limit) {
      overflow()
      return true
    } else if (!ended) return false
    else lineEnds(end, true)
    lineStart = searched = end + 1
    line++
    glued = false
    return true
  }

  /**
   * Returns the values that stand whole at the start of a line that is too long, and if there are none its
   * bytes; of an object that lines break the same, else its lines.
   */
  function overflow(): void {
    const before = start
    if (broken) {
      const end = broken.brackets.end(held, lineStart - 1, start + limit)
      if (end === undefined || beginsRecord(held.subarray(0, length), lineStart)) giveUp(broken)
      else mend(broken, end)
      return
    }
    takeLine(start + limit, false)
    if (start > before) return
    raw = true
    giveRaw(start + piece, oversize)
    while (start < before + limit) giveRaw(start + piece)
    searched = start
  }

  function giveRaw(to: number, warning?: Warning): void {
    const bytes = held.subarray(start, to)
    units.push({ line, bytes, lead: 0, salvaged: false, ...(warning && { warning }) })
    start = to
  }

  /** Takes a line that ends at a place, or may go on. */
  function lineEnds(to: number, ended: boolean): void {
    const open = broken
    if (!open) return takeLine(to, ended)
    if (open.ends.length === MOST_LINES || beginsRecord(held.subarray(0, to), lineStart)) giveUp(open)
    else {
      const brackets = ended ? open.brackets : open.brackets.copy()
      const end = brackets.end(held, lineStart - 1, to)
      if (end === undefined) {
        if (ended) open.ends.push(to - start)
        return
      }
      mend(open, end)
    }
    takeLine(to, ended)
  }

  /** Returns an object that was broken and ends at a place; where it is none after all, its lines. */
  function mend(open: Broken, end: number): void {
    const part = repairedValue(held, start + open.at, end)
    if (!part) return giveUp(open)
    broken = undefined
    give(part, 0, open.line)
    glued = true
  }

  /** Returns the lines of what was taken for a broken object, each by itself. */
  function giveUp({ ends, line: first, ...open }: Broken): void {
    const [here, begin, base] = [line, lineStart, start]
    broken = undefined
    lineStart = start + open.lineStart
    for (const [i, end] of ends.entries()) {
      line = first + i
      takeLine(base + end, true, false)
      lineStart = base + end + 1
      glued = false
    }
    line = here
    lineStart = begin
  }

  function takeLine(to: number, ended: boolean, mayBreak = ended): void {
    if (to === lineStart) return
    const from = lineStart
    if (isEach && ended && mayBreak) {
      const part = encodedPart(buffer, from, to, (encoder ??= new RecordEncoder()))
      if (part) return give(part, 0, line, encoder)
    }
    const bytes = held.subarray(from, to)
    for (const part of partsOf(bytes, ended)) {
      if (mayBreak && !part.value && part.to === trimBlank(bytes, 0) && breaksAt(from + part.from, to)) return
      give(part, from, line)
    }
    if (start > from) glued = true
  }

  /** Waits for more lines where an object begins at a place that its line, which ends at another, does not end. */
  function breaksAt(at: number, to: number): boolean {
    const brackets = new Brackets()
    if (!beginsObject(held.subarray(0, to), at) || brackets.end(held, at, to) !== undefined) return false
    broken = { at: at - start, line, lineStart: lineStart - start, brackets, ends: [to - start] }
    return true
  }

  /** Emits a part whose positions count from a base. */
  function give(part: JsonPart, base: number, on: number, encodes?: RecordEncoder): void {
    const { value, text, spelling, warning } = part
    const bytes = held.subarray(start, base + part.to)
    const lead = base + part.from - start
    const salvaged = part.salvaged || (glued && value !== undefined)
    units.push({ line: on, bytes, lead, value, text, spelling, encoder: encodes, salvaged, warning })
    start = lineStart = base + part.to
  }
}
