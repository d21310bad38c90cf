import { type Look, type Piece, styled } from '../style.ts'
import { lineEdits, wordEdits } from './edits.ts'
import type { Line } from './line.ts'
import { cut } from './text.ts'

/** Of what is equal, so many lines are shown on each side of a difference. */
const AROUND = 2
/** Lines longer than this are cut. */
const WIDTH = 400

/**
 * Returns the difference of two texts: by words for single lines, by lines for longer texts; removed text as `[-so-]`
 * or `-`, added text as `{+so+}` or `+`.
 */
export function textDiff(left: string, right: string): Line[] {
  const isShort = !left.includes('\n') && !right.includes('\n')
  return (isShort ? words(left, right) : undefined) ?? lines(left, right) ?? [...gone(left), ...come(right)]
}

/** Undefined where less than half is common: then the words of one between those of the other say nothing. */
function words(left: string, right: string): Line[] | undefined {
  const edits = wordEdits(left, right)
  const common = edits?.reduce((n, { side, value }) => n + (side === 'both' ? value.length : 0), 0) ?? 0
  if (!edits || 2 * common < Math.max(left.length, right.length)) return undefined
  return [['  ', ...edits.map(({ side, value }) => marker(side, value))]]
}

function lines(left: string, right: string): Line[] | undefined {
  const edits = lineEdits(ended(left), ended(right))
  return edits?.flatMap(({ side, value }, place) => {
    const text = value.slice(0, -1)
    if (side === 'right') return come(text)
    if (side === 'left') return gone(text)
    const all = text.split('\n')
    const before = place === 0 ? 0 : AROUND
    const after = place === edits.length - 1 ? 0 : AROUND
    if (all.length <= before + after + 1) return all.map(kept)
    return [
      ...all.slice(0, before).map(kept),
      [styled('dim', `    … ${all.length - before - after} equal lines`)],
      ...all.slice(all.length - after).map(kept),
    ]
  })
}

/** Returns the difference of two texts by words: `[-so-]` for removed, `{+so+}` for added text. */
export function wordDiff(left: string, right: string): Line[] {
  const edits = wordEdits(left, right)
  if (!edits) return textDiff(left, right)
  const rows: { readonly line: Piece[]; changed: boolean }[] = [{ line: [], changed: false }]
  for (const { side, value } of edits)
    for (const [i, part] of value.split('\n').entries()) {
      if (i > 0) rows.push({ line: [], changed: side !== 'both' })
      const row = rows.at(-1) as (typeof rows)[number]
      if (part !== '') row.line.push(marker(side, part))
      if (side !== 'both') row.changed = true
    }
  return rows.flatMap(({ line, changed }, place) => {
    const near = rows.slice(Math.max(0, place - AROUND), place + AROUND + 1).some((row) => row.changed)
    if (changed || near) return [line.length === 0 ? [] : ['  ', ...line]]
    // Of what is left out the first line says so.
    const before = rows.slice(Math.max(0, place - 1 - AROUND), place + AROUND).some((row) => row.changed)
    return place === 0 || before ? [[styled('dim', '  … equal lines')]] : []
  })
}

const marker = (side: 'both' | 'left' | 'right', value: string): Piece => {
  if (side === 'right') return styled('green', `{+${value}+}`)
  return side === 'left' ? styled('red', `[-${value}-]`) : value
}

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)
const kept = (line: string): Line => [`    ${cut(line, WIDTH)}`.trimEnd()]
const gone = (text: string): Line[] => marked(text, 'red', '-')
const come = (text: string): Line[] => marked(text, 'green', '+')
const marked = (text: string, look: Look, sign: string): Line[] =>
  text.split('\n').map((line) => [styled(look, `  ${sign} ${cut(line, WIDTH)}`.trimEnd())])
