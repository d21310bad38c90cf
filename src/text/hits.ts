import { short as shortOid } from '../model/encoding/oid.ts'
import { addTo } from '../model/lists.ts'
import { safe } from '../model/terminaltext.ts'
import type { FoundSession, Hit, HitSnippet } from '../verbs/types.ts'
import { lookOf } from './entry.ts'
import { type Display, firstLine, grouped, type Line, type Piece, styled } from './text.ts'
import { minute } from './time.ts'
import { columnsOf, cut, pad, widthOf } from './width.ts'

interface HitsLook extends Display {
  /** By session the beginning of its id that is shown. */
  readonly short: ReadonlyMap<string, string>
}

/** Returns hits as lines, grouped by session, the session of the best hit first. */
export function hitLines(hits: readonly Hit[], look: HitsLook): Line[] {
  const bySession = new Map<string, Hit[]>()
  for (const hit of hits) addTo(bySession, hit.session, hit)
  const blocks = Array.from(bySession.values(), (own) => [
    headingOf(own[0] as Hit, look),
    ...own.flatMap((hit) => (hit.oid === null ? [] : entryLines(hit, look))),
  ])
  const isAlone = (i: number): boolean => blocks[i]?.length === 1
  return blocks.flatMap((lines, i) => (i === 0 || (isAlone(i) && isAlone(i - 1)) ? lines : [[], ...lines]))
}

/** Ids up to this width make one column. */
const ID = 20

/** Returns sessions in which something was found as lines: the number of hits, the id, its name and the best hit. */
export function foundSessionLines(
  sessions: readonly FoundSession[],
  { columns, short }: Pick<HitsLook, 'columns' | 'short'>,
): Line[] {
  const rows = sessions.map((one) => ({
    one,
    count: grouped(one.hits),
    id: firstLine(short.get(one.session) ?? one.session),
  }))
  const wide = Math.max(0, ...rows.map(({ id }) => widthOf(id)).filter((width) => width <= ID))
  const digits = Math.max(0, ...rows.map(({ count }) => count.length))
  return rows.map(({ one, count, id }) =>
    foundSessionLine(one, [count.padStart(digits), pad(id, wide)], columns),
  )
}

function foundSessionLine(
  { title, prompt, oid, snippets }: FoundSession,
  [count, id]: readonly [count: string, id: string],
  columns: number,
): Line {
  const called = title ?? (prompt === null ? '' : `"${firstLine(prompt)}"`)
  const [found] = oid === null ? [] : snippets
  const left = Math.max(20, columns - count.length - widthOf(id) - 4)
  const name = cut(firstLine(called), found ? Math.max(10, Math.floor(left / 3)) : left)
  const line: Line = [count, '  ', styled('yellow', id), '  ', name]
  const marks = found && markedLines(found).find((marked) => marked.some((mark) => mark.found))
  if (!marks) return line
  return [...line, '  ', ...shownLine(marks, Math.max(10, left - widthOf(name) - 2))]
}

function headingOf({ session, title, prompt, oid, snippets }: Hit, { columns, short }: HitsLook): Line {
  const name = firstLine(short.get(session) ?? session)
  const id = styled('bold', name)
  const left = Math.max(10, columns - widthOf(name) - 2)
  const [found] = snippets
  if (oid === null && found) return [id, '  ', ...shownLine(markedLines(found)[0] ?? [], left)]
  if (title !== null) return [id, '  ', cut(firstLine(title), left)]
  return prompt === null ? [id] : [id, '  ', cut(`"${firstLine(prompt)}"`, left)]
}

function entryLines({ oid, time, role, others, snippets }: Hit, look: HitsLook): Line[] {
  const { columns, zone, short } = look
  const [other] = others
  const more = others.length > 1 ? ` and ${grouped(others.length - 1)} more` : ''
  const shared = other === undefined ? '' : `  also in ${firstLine(short.get(other) ?? other)}${more}`
  const tool = snippets[0]?.tool
  const head: Line = [
    '  ',
    styled('yellow', oid === null ? '' : shortOid(oid)),
    '  ',
    styled('dim', minute(time, zone)),
    '  ',
    styled(lookOf(role), role ?? '-'),
    ...(tool ? [styled('magenta', `  ${firstLine(tool)}`)] : []),
    styled('dim', shared),
  ]
  const shown = snippets.map((snippet) =>
    markedLines(snippet).map((pieces) => shownLine(pieces, columns - MARGIN.length)),
  )
  return [head, ...shown.flat().map((line): Line => [MARGIN, ...line])]
}

const MARGIN = '    '

/** A piece of a line, safe to print and to measure, and whether it was found. */
interface HitMark {
  readonly text: string
  readonly found: boolean
}

/** Returns the lines of a snippet that are not blank, in pieces. */
function markedLines({ text, spans, cut: [before, after], place, tool }: HitSnippet): HitMark[][] {
  const lines: HitMark[][] = [[]]
  const add = (from: number, to: number, found: boolean): void => {
    text
      .slice(from, to)
      .split('\n')
      .forEach((part, i) => {
        if (i > 0) lines.push([])
        if (part !== '') lines.at(-1)?.push({ text: flat(part), found })
      })
  }
  let at = 0
  for (const { from, to } of spans) {
    add(at, from, false)
    add(from, to, true)
    at = to
  }
  add(at, text.length, false)
  if (before) lines[0]?.unshift({ text: '…', found: false })
  if (after) lines.at(-1)?.push({ text: '…', found: false })
  const label: HitMark[] = place === 'label' ? [{ text: 'label ', found: false }] : []
  const shown = lines.filter((line) => line.some((mark) => mark.found || mark.text.trim() !== ''))
  return shown.map((line, i) => (i === 0 && tool === null ? [...label, ...line] : line))
}

const flat = (text: string): string => safe(text).replace(/\s/g, ' ')

/** Returns a line cut to a width so that the first match is visible. */
function shownLine(marks: readonly HitMark[], columns: number): Piece[] {
  const cells = marks.flatMap(({ text, found }) =>
    Array.from(columnsOf(text), ([grapheme, width]) => ({ grapheme, width, found })),
  )
  const total = cells.reduce((sum, { width }) => sum + width, 0)
  const first = Math.max(
    0,
    cells.findIndex(({ found }) => found),
  )
  let [from, left] = [0, columns]
  if (total > columns) {
    // The match is at a third of the line.
    for (let [at, before] = [first, Math.floor(columns / 3)]; at > 0 && before > 0; at--) {
      before -= cells[at - 1]?.width ?? 0
      from = at - 1
    }
    if (cells.slice(0, first + 1).reduce((sum, { width }) => sum + width, 0) <= columns / 2) from = 0
    left = columns - (from > 0 ? 1 : 0)
  }
  const pieces: { text: string; found: boolean }[] = from > 0 ? [{ text: '…', found: false }] : []
  for (const { grapheme, width, found } of cells.slice(from)) {
    if (total > columns && left - width < 1) {
      pieces.push({ text: '…', found: false })
      break
    }
    left -= width
    const last = pieces.at(-1)
    if (last && last.found === found) last.text += grapheme
    else pieces.push({ text: grapheme, found })
  }
  return pieces.map(({ text, found }) => (found ? styled('red', text) : text))
}
