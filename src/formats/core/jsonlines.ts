import { type RecordEncoder, sharedEncoder } from '../../model/recordencoder.ts'
import { encodedPart, type JsonPart, skipBlank, trimBlank } from './jsonscan.ts'
import { Brackets, beginsObject, beginsRecord, partsOfLine, repairedValue } from './salvage.ts'
import { newlines, type Splitter, type Unit, type Warning } from './splitter.ts'

/** A unit of this many bytes is not parsed. */
const LIMIT = 32 * 1024 * 1024
/** The largest unit of bytes that are not parsed. */
const RAW_UNIT = 4 * 1024 * 1024
/** Larger chunks are taken in slices of this size, so that the buffer stays bounded. */
const SLICE = 1024 * 1024
/** The size of slices whose units are returned one at a time, and the initial size of the buffer. */
const SMALL = 64 * 1024
const NEWLINE = 10
/** The most lines into which an object may be broken. */
const MOST_LINES = 1000

/** An object that has not ended on its first line; positions count from the start of the next unit. */
interface BrokenObject {
  /** Its start, the number of its first line, and the start of that line. */
  readonly at: number
  readonly line: number
  readonly lineStart: number
  readonly brackets: Brackets
  /** The ends of its lines so far. */
  readonly ends: number[]
}

/**
 * Splits a JSONL source. A newline separates values and does not end them: it is part of the lead of the next value,
 * with blank lines, white space, NULs and byte order marks. Bytes that are no JSON object or array are units without a
 * value. A torn last line remains in the tail until completed. An object that newlines break into several lines is one
 * unit, once it ends or another object begins. The units do not depend on how the source is cut into chunks, nor on
 * bytes appended later. A line of `limit` bytes or more, a multiple of `rawUnit`, is not parsed and becomes several
 * units.
 */
export function jsonLines(limit = LIMIT, rawUnit = RAW_UNIT): Splitter {
  const oversize: Warning = { code: 'oversize', message: `a line of ${limit} bytes or more is kept unread` }
  let held = new Uint8Array(0)
  /**
   * Positions in `held`: the start of the next unit, the start of the current line, how far newlines were searched,
   * the end.
   */
  let start = 0
  let lineStart = 0
  let searched = 0
  let length = 0
  let line = 1
  /** Whether the current line is too long to be parsed. */
  let raw = false
  /** Whether the current line already had a value: later values on it are glued, and count as salvaged. */
  let glued = false
  let broken: BrokenObject | undefined
  let units: Unit[] = []
  /** `held` as a Buffer. */
  let buffer = Buffer.alloc(0)
  /** Whether units are returned one at a time, with the encoder of their lines. */
  let isEach = false

  return {
    push(bytes) {
      units = []
      for (let at = 0; at < bytes.length; at += SLICE) {
        hold(bytes.subarray(at, at + SLICE))
        while (drain()) continue
      }
      return units
    },
    *each(bytes) {
      for (let at = 0; at < bytes.length; at += SMALL) {
        hold(bytes.subarray(at, at + SMALL), true)
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
    pendingLines: () => (raw || broken || glued ? undefined : newlines(held.subarray(start, length))),
    end() {
      units = []
      if (!raw) lineEnds(length, false)
      const tail = held.subarray(start, length)
      return { units, tail: start < length ? [tail] : [], torn: skipBlank(tail, 0) < tail.length }
    },
  }

  /**
   * Appends bytes to those held. Held bytes are overwritten only if `overwrites` is set, because units are views of
   * them.
   */
  function hold(bytes: Uint8Array, overwrites = false): void {
    if (held.length - length < bytes.length) {
      const pending = length - start
      if (overwrites && held.length - pending >= bytes.length) held.copyWithin(0, start, length)
      else {
        const capacity = Math.min(Math.max(2 * pending, SMALL), limit + SLICE)
        const next = new Uint8Array(Math.max(pending + bytes.length, capacity))
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

  /** Takes the next line, complete or not. Returns whether there may be more. */
  function drain(): boolean {
    const newline = buffer.indexOf(NEWLINE, searched)
    const end = newline < 0 || newline >= length ? length : newline
    const ended = end < length
    searched = end
    if (raw) {
      while (end - start >= rawUnit) emitRaw(start + rawUnit)
      if (!ended) return false
      if (end > start) emitRaw(end)
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
   * Emits the complete values at the start of a line that is too long; if there are none, its bytes. The same for an
   * object that newlines break, else its lines.
   */
  function overflow(): void {
    const before = start
    if (broken) {
      const end = broken.brackets.end(held, lineStart - 1, start + limit)
      if (end === undefined || beginsRecord(held.subarray(0, length), lineStart)) splitBroken(broken)
      else repair(broken, end)
      return
    }
    takeLine(start + limit, false)
    if (start > before) return
    raw = true
    emitRaw(start + rawUnit, oversize)
    while (start < before + limit) emitRaw(start + rawUnit)
    searched = start
  }

  function emitRaw(to: number, warning?: Warning): void {
    const bytes = held.subarray(start, to)
    units.push({ line, bytes, lead: 0, salvaged: false, ...(warning && { warning }) })
    start = to
  }

  /** Takes a line up to a position, complete or not. */
  function lineEnds(to: number, ended: boolean): void {
    const open = broken
    if (!open) return takeLine(to, ended)
    if (open.ends.length === MOST_LINES || beginsRecord(held.subarray(0, to), lineStart)) splitBroken(open)
    else {
      const brackets = ended ? open.brackets : open.brackets.copy()
      const end = brackets.end(held, lineStart - 1, to)
      if (end === undefined) {
        if (ended) open.ends.push(to - start)
        return
      }
      repair(open, end)
    }
    takeLine(to, ended)
  }

  /** Emits a broken object that ends at a position; its lines if it is no object after all. */
  function repair(open: BrokenObject, end: number): void {
    const part = repairedValue(held, start + open.at, end)
    if (!part) return splitBroken(open)
    broken = undefined
    emit(part, 0, open.line)
    glued = true
  }

  /** Emits each line of a supposed broken object by itself. */
  function splitBroken({ ends, line: first, ...open }: BrokenObject): void {
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
      const encoder = sharedEncoder()
      const part = encodedPart(buffer, from, to, encoder)
      if (part) return emit(part, 0, line, encoder)
    }
    const bytes = held.subarray(from, to)
    for (const part of partsOfLine(bytes, ended)) {
      if (mayBreak && !part.value && part.to === trimBlank(bytes, 0) && breaksAt(from + part.from, to)) return
      emit(part, from, line)
    }
    if (start > from) glued = true
  }

  /** Starts a broken object if one begins at a position and its line does not end it. */
  function breaksAt(at: number, to: number): boolean {
    const brackets = new Brackets()
    if (!beginsObject(held.subarray(0, to), at) || brackets.end(held, at, to) !== undefined) return false
    broken = { at: at - start, line, lineStart: lineStart - start, brackets, ends: [to - start] }
    return true
  }

  /** Emits a part whose positions count from a base. */
  function emit(part: JsonPart, base: number, on: number, encodes?: RecordEncoder): void {
    const { value, text, spelling, warning } = part
    const bytes = held.subarray(start, base + part.to)
    const lead = base + part.from - start
    const salvaged = part.salvaged || (glued && value !== undefined)
    units.push({ line: on, bytes, lead, value, text, spelling, encoder: encodes, salvaged, warning })
    start = lineStart = base + part.to
  }
}
