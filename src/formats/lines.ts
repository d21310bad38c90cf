import { skipBlank } from './bytes.ts'
import type { Splitter, Unit, Warning } from './format.ts'
import { partsOf } from './salvage.ts'

/** A unit of this many bytes is not parsed. */
const LIMIT = 32 * 1024 * 1024
/** The largest piece in which bytes that are not parsed are given. */
const PIECE = 4 * 1024 * 1024
/** Larger chunks are taken in slices of this size, so that what is held stays bounded. */
const SLICE = 1024 * 1024
const SMALL = 64 * 1024
const NEWLINE = 10

/**
 * Splits a JSONL source. A newline separates and does not end: it stands before the value of the line that it
 * begins, with blank lines, white space, NULs and byte order marks. What is no JSON object or array comes as
 * units without a value. What comes does not depend on how the source is cut into chunks, nor on what is
 * appended to it later; a splitter that is fed the tail and what follows it goes on where this one ended. A
 * line of `limit` bytes or more, a multiple of `piece`, is not parsed and comes in pieces.
 */
export function lines(limit = LIMIT, piece = PIECE): Splitter {
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
  let units: Unit[] = []

  return {
    goesOn: true,
    push(bytes) {
      units = []
      for (let at = 0; at < bytes.length; at += SLICE) {
        hold(bytes.subarray(at, at + SLICE))
        drain()
      }
      return units
    },
    end() {
      units = []
      if (!raw) takeLine(length, false)
      const tail = held.subarray(start, length)
      return { units, tail: start < length ? [tail] : [], torn: skipBlank(tail, 0) < tail.length }
    },
  }

  /** Adds bytes behind those held. Bytes once held are never overwritten, because units are views on them. */
  function hold(bytes: Uint8Array): void {
    if (held.length - length < bytes.length) {
      const pending = length - start
      const room = Math.min(Math.max(2 * pending, SMALL), limit + SLICE)
      const next = new Uint8Array(Math.max(pending + bytes.length, room))
      next.set(held.subarray(start, length))
      held = next
      lineStart -= start
      searched -= start
      length = pending
      start = 0
    }
    held.set(bytes, length)
    length += bytes.length
  }

  function drain(): void {
    const view = held.subarray(0, length)
    for (;;) {
      const newline = view.indexOf(NEWLINE, searched)
      const end = newline < 0 ? length : newline
      searched = end
      if (raw) {
        while (end - start >= piece) giveRaw(start + piece)
        if (newline < 0) return
        if (end > start) giveRaw(end)
        raw = false
      } else if (end - start >= limit) {
        overflow()
        continue
      } else if (newline < 0) return
      else if (end > lineStart) takeLine(end, true)
      lineStart = searched = end + 1
      line++
      glued = false
    }
  }

  /**
   * Gives the values that stand whole at the start of a line that is too long, and if there are none its
   * bytes.
   */
  function overflow(): void {
    const before = start
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

  function takeLine(to: number, ended: boolean): void {
    const from = lineStart
    for (const part of partsOf(held.subarray(from, to), ended)) {
      const { from: first, to: last, salvaged, ...rest } = part
      const bytes = held.subarray(start, from + last)
      units.push({
        line,
        bytes,
        lead: from + first - start,
        salvaged: salvaged || (glued && part.value !== undefined),
        ...rest,
      })
      start = lineStart = from + last
    }
    if (start > from) glued = true
  }
}
