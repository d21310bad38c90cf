import type { Span } from '../errors.ts'

/** Some lines of a text around what was found in them. */
export interface Snippet {
  readonly text: string
  /** The matches, in UTF-16 units of the text of the snippet. */
  readonly spans: readonly Span[]
  /** Whether its first line is cut at its beginning, and its last one at its end. */
  readonly cut: readonly [before: boolean, after: boolean]
}

/** The maximum number of UTF-16 units to each side of the first match, and beyond the last one. */
const SIDE = 160

/** Returns the context of a match in a text: its line, cut if it is long, with short lines before and after. */
function around(text: string, { from, to }: Span): Span {
  const line = startOfLine(text, from)
  const before = line === 0 ? 0 : startOfLine(text, line - 1)
  const end = endOfLine(text, to)
  const after = end === text.length ? end : endOfLine(text, end + 1)
  const near = (at: number): boolean => Math.abs(at < from ? from - at : at - to) <= SIDE
  return {
    from: whole(text, [before, line].find(near) ?? from - SIDE),
    to: whole(text, [after, end].find(near) ?? to + SIDE),
  }
}

const startOfLine = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** Returns an offset that is not inside a surrogate pair. */
const whole = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at)

/** Returns at most `most` snippets of a text around its matches, in order and without overlaps. */
export function snippetsOf(text: string, spans: readonly Span[], most: number): Snippet[] {
  const snippets: Snippet[] = []
  const sorted = joined(spans)
  for (let i = 0, shown = 0; i < sorted.length && snippets.length < most; ) {
    const place = around(text, sorted[i] as Span)
    const [from, to] = [Math.max(place.from, shown), place.to]
    const inside: Span[] = []
    let isShown = false
    for (let span = sorted[i]; span && span.from < Math.max(to, from + 1); span = sorted[++i]) {
      // A match at the very end of a line may have been shown with that line.
      if (span.to > span.from && Math.min(span.to, to) <= from) isShown = true
      else if (span.to > span.from)
        inside.push({ from: Math.max(0, span.from - from), to: Math.min(span.to, to) - from })
    }
    if (isShown && inside.length === 0) continue
    snippets.push({
      text: text.slice(from, to),
      spans: inside,
      cut: [startOfLine(text, from) < from, endOfLine(text, to) > to],
    })
    shown = to === text.length ? to : to + (text.charAt(to) === '\n' ? 1 : 0)
  }
  return snippets
}

/** Returns spans in order, with overlapping ones joined. */
function joined(spans: readonly Span[]): Span[] {
  const all: { from: number; to: number }[] = []
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last && from < last.to) last.to = Math.max(last.to, to)
    else all.push({ from, to })
  }
  return all
}
