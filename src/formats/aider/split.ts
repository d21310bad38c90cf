import { joined } from '../../model/bytes.ts'
import { newlines } from '../pieces.ts'
import type { Splitter, Unit, Warning } from '../unit.ts'

/** Who speaks in the lines of a unit; `start` begins a chat. */
export type Speaker = 'start' | 'user' | 'tool' | 'assistant'

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

/** Tells who speaks in a line by how it begins, as Aider does; undefined where it is blank. */
function speakerOf(line: Uint8Array): Speaker | undefined {
  for (const { speaker, mark } of MARKS) if (beginsWith(line, mark)) return speaker
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE)
    ? undefined
    : 'assistant'
}

function beginsWith(line: Uint8Array, mark: Uint8Array): boolean {
  for (let at = 0; at < mark.length; at++) if (line[at] !== mark[at]) return false
  return true
}

/** Gives the lines of a text, each with the newline that ends it. */
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
 * Splits a chat history of Aider into units `{ by, lines }`: lines in a row that the user typed or the assistant says,
 * and each line that Aider prints. Blank lines stand before the next unit, or within what the assistant says. What is
 * typed or said is the tail until a blank line stands behind it, which Aider writes with each answer, and so is a line
 * that is not ended.
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
  let said: Uint8Array[] = []
  let size = 0
  let by: Speaker | undefined

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
      const tail = [...lead, ...said, ...blank, ...part]
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
    const speaker = speakerOf(bytes)
    if (speaker === undefined) {
      blank.push(bytes)
      return
    }
    const goesOn = speaker === by && (speaker === 'assistant' || (speaker === 'user' && blank.length === 0))
    if (!goesOn) {
      flush()
      by = speaker
      lead = blank
    } else said.push(...blank)
    blank = []
    said.push(bytes)
    size += bytes.length
    if (size >= limit) flush()
  }

  function flush(): void {
    if (by === undefined) return
    const before = joined(lead)
    const bytes = joined([before, ...said])
    line += newlines(before)
    const unit = { line, bytes, lead: before.length, salvaged: false }
    // A newline ends what is no UTF-8, so that lines decoded together are what each is by itself.
    const lines = size < limit ? linesOf(utf8.decode(bytes.subarray(before.length))) : undefined
    units.push(lines ? { ...unit, value: { by, lines } } : { ...unit, warning: oversize })
    line += newlines(bytes) - newlines(before)
    by = undefined
    lead = []
    said = []
    size = 0
  }
}
