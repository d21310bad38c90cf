import { diffLines, diffWordsWithSpace } from 'diff'
import { safe } from '../model/terminaltext.ts'
import { editsOf, type FileEdit } from '../model/toolinput.ts'
import type { View } from '../model/view.ts'
import { counted, type Line, type Piece, styled, type TextStyle } from './text.ts'
import { columnsOf, cut, pad } from './width.ts'

/** The number of equal lines shown on each side of a difference. */
const AROUND = 2
/** Lines longer than this are cut. */
const WIDTH = 400

/**
 * Returns the difference of two texts: by words for single lines, by lines for longer texts; removed text as `[-so-]`
 * or `-`, added text as `{+so+}` or `+`.
 */
export function textDiff(left: string, right: string): Line[] {
  const isShort = !left.includes('\n') && !right.includes('\n')
  return (
    (isShort ? wordDiffOf(left, right) : undefined) ??
    lineDiff(left, right) ?? [...removed(left), ...added(right)]
  )
}

/** Returns the edits of files that an entry asks for, each as the difference of its texts. */
export const editLines = ({ blocks }: View): Line[] =>
  blocks
    .flatMap((block) => (block.kind === 'toolCall' ? editsOf(block) : []))
    .flatMap((edit) => [
      [styled('bold', `    ${edit.path}`)],
      ...editDiff(edit).map((line): Line => ['    ', ...line]),
    ])

/** Returns the difference that an edit of a file makes. */
export const editDiff = ({ before, after }: FileEdit): Line[] =>
  before === '' ? added(after.replace(/\n$/, '')) : textDiff(before, after)

/** Returns a patch in the form of Codex as a difference: a line for each file, and its lines below it. */
export const patchLines = (patch: string): Line[] =>
  patch.split(/\r?\n/).flatMap((line): Line[] => {
    const [, does = '', path = ''] = /^\*\*\* (Add|Update|Delete|Move) (?:File|to): (.*)/.exec(line) ?? []
    if (path !== '')
      return [
        [styled('bold', `  ${path}`), styled('dim', does === 'Update' ? '' : `  ${does.toLowerCase()}`)],
      ]
    if (line.startsWith('***')) return []
    if (line.startsWith('@@')) return [[styled('dim', `    ${line.slice(2).trim() || '…'}`)]]
    if (line.startsWith('+')) return added(line.slice(1))
    return line.startsWith('-') ? removed(line.slice(1)) : [unchanged(line.slice(1))]
  })

/** The most lines in a row that are shown of a text that is only added, and how many of a longer one. */
const [MAX_ADDED, FEW_ADDED] = [12, 8]

/** Returns a difference with long runs of added lines folded: a file that was written is no small difference. */
export function foldAdded(lines: readonly Line[], hint: string): Line[] {
  const folded: Line[] = []
  let run: Line[] = []
  const end = (): void => {
    if (run.length <= MAX_ADDED) folded.push(...run)
    else {
      const left = counted(run.length - FEW_ADDED, 'more line')
      folded.push(...run.slice(0, FEW_ADDED), [styled('dim', `    … ${left} (${hint})`)])
    }
    run = []
  }
  for (const line of lines)
    if (isAdded(line)) run.push(line)
    else {
      end()
      folded.push(line)
    }
  end()
  return folded
}

const isAdded = ([piece, ...more]: Line): boolean =>
  typeof piece === 'object' && piece.look === 'green' && more.length === 0

/** Undefined where less than half is common: then the words of one between those of the other say nothing. */
function wordDiffOf(left: string, right: string): Line[] | undefined {
  const edits = wordEdits(left, right)
  const common = edits?.reduce((n, { side, value }) => n + (side === 'both' ? value.length : 0), 0) ?? 0
  if (!edits || 2 * common < Math.max(left.length, right.length)) return undefined
  return [['  ', ...edits.map(({ side, value }) => marker(side, value))]]
}

function lineDiff(left: string, right: string): Line[] | undefined {
  const edits = lineEdits(ended(left), ended(right))
  return edits?.flatMap(({ side, value }, place) => {
    const text = value.slice(0, -1)
    if (side === 'right') return added(text)
    if (side === 'left') return removed(text)
    const all = text.split('\n')
    const before = place === 0 ? 0 : AROUND
    const after = place === edits.length - 1 ? 0 : AROUND
    if (all.length <= before + after + 1) return all.map(unchanged)
    return [
      ...all.slice(0, before).map(unchanged),
      [styled('dim', `    … ${all.length - before - after} equal lines`)],
      ...all.slice(all.length - after).map(unchanged),
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
    // The first of the omitted lines marks the omission.
    const before = rows.slice(Math.max(0, place - 1 - AROUND), place + AROUND).some((row) => row.changed)
    return place === 0 || before ? [[styled('dim', '  … equal lines')]] : []
  })
}

const marker = (side: 'both' | 'left' | 'right', value: string): Piece => {
  if (side === 'right') return styled('green', `{+${value}+}`)
  return side === 'left' ? styled('red', `[-${value}-]`) : value
}

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)
const unchanged = (line: string): Line => [`    ${cut(line, WIDTH)}`.trimEnd()]
const removed = (text: string): Line[] => marked(text, 'red', '-')
const added = (text: string): Line[] => marked(text, 'green', '+')
const marked = (text: string, look: TextStyle, sign: string): Line[] =>
  text.split('\n').map((line) => [styled(look, `  ${sign} ${cut(line, WIDTH)}`.trimEnd())])

/** Narrower lines hold no two texts beside each other. */
const NARROWEST = 100

/** The number of rows that are shown. */
const ROWS = 40

interface SideBySideRow {
  readonly left: string
  readonly right: string
  readonly sign: ' ' | '|' | '<' | '>'
}

/**
 * Returns two texts side by side, with corresponding lines in one row: `|` between lines that differ, `<` and `>` for a
 * line of one side. Undefined below 100 columns, and if the texts differ too much.
 */
export function sideBySide(left: string, right: string, columns: number): Line[] | undefined {
  const edits = columns < NARROWEST ? undefined : lineEdits(measured(left), measured(right))
  if (!edits) return undefined
  const width = Math.floor((columns - 5) / 2)
  const rows = rowsOf(edits).flatMap((row): (SideBySideRow | Equal)[] =>
    'equal' in row ? [row] : wrapped(row, width),
  )
  const shown = rows
    .slice(0, ROWS)
    .map((row): Line => ('equal' in row ? [equalLine(row.equal)] : lineOf(row, width)))
  return rows.length > ROWS
    ? [...shown, [styled('dim', `  … ${counted(rows.length - ROWS, 'more line')}`)]]
    : shown
}

/** Returns a text as it is printed, for measuring. */
const measured = (text: string): string => `${safe(text).replaceAll('\t', '    ')}\n`

/** Lines that both have and that are left out. */
interface Equal {
  readonly equal: number
}

const equalLine = (count: number) => styled('dim', `  … ${count} equal lines`)

function rowsOf(edits: readonly Edit[]): (SideBySideRow | Equal)[] {
  const rows: (SideBySideRow | Equal)[] = []
  const gone: string[] = []
  const come: string[] = []
  const flush = (): void => {
    const both = Math.min(gone.length, come.length)
    for (let i = 0; i < Math.max(gone.length, come.length); i++)
      rows.push({
        left: gone[i] ?? '',
        right: come[i] ?? '',
        sign: i < both ? '|' : i < gone.length ? '<' : '>',
      })
    gone.length = 0
    come.length = 0
  }
  for (const [place, { side, value }] of edits.entries()) {
    const lines = value.slice(0, -1).split('\n')
    if (side === 'left') gone.push(...lines)
    else if (side === 'right') come.push(...lines)
    else {
      flush()
      const [before, after] = [place === 0 ? 0 : AROUND, place === edits.length - 1 ? 0 : AROUND]
      const equal = lines.length - before - after
      const kept = lines.map((line): SideBySideRow => ({ left: line, right: line, sign: ' ' }))
      if (equal <= 1) rows.push(...kept)
      else rows.push(...kept.slice(0, before), { equal }, ...kept.slice(lines.length - after))
    }
  }
  flush()
  return rows
}

/** The number of rows that one line may take. */
const WRAPS = 6

/** Returns a row as several where its texts are wider than their columns. */
function wrapped(row: SideBySideRow, width: number): SideBySideRow[] {
  const [left, right] = [pieces(row.left, width), pieces(row.right, width)]
  return Array.from({ length: Math.max(left.length, right.length) }, (_, i) => ({
    left: left[i] ?? '',
    right: right[i] ?? '',
    sign: row.sign,
  }))
}

function pieces(text: string, width: number): string[] {
  const found: string[] = []
  let [piece, taken] = ['', 0]
  for (const [grapheme, columns] of columnsOf(cut(text, WRAPS * width))) {
    if (taken + columns > width) {
      found.push(piece)
      ;[piece, taken] = ['', 0]
    }
    piece += grapheme
    taken += columns
  }
  return [...found, piece]
}

const lineOf = ({ left, right, sign }: SideBySideRow, width: number): Line =>
  sign === ' '
    ? [`  ${pad(left, width)}   ${right}`.trimEnd()]
    : [
        '  ',
        styled('red', pad(left, width)),
        styled('dim', ` ${sign}`),
        styled('green', right === '' ? '' : ` ${right}`),
      ]

/** A run of words or lines that both sides have, or that one side has. */
interface Edit {
  readonly side: 'both' | 'left' | 'right'
  readonly value: string
}

/** Texts with more edits than this are not compared: it takes long, and shows little. */
const MAX_EDITS = { maxEditLength: 2000 }

const edits = (changes: ReturnType<typeof diffLines> | undefined): Edit[] | undefined =>
  changes?.map((one) => ({ side: one.added ? 'right' : one.removed ? 'left' : 'both', value: one.value }))

/** Returns the edits by words from one text to another, or undefined if they differ too much. */
const wordEdits = (left: string, right: string): Edit[] | undefined =>
  edits(diffWordsWithSpace(left, right, MAX_EDITS))

/** Returns the edits by lines from one text to another, or undefined if they differ too much. */
const lineEdits = (left: string, right: string): Edit[] | undefined =>
  edits(diffLines(left, right, MAX_EDITS))
