import { safe } from '../model/terminaltext.ts'
import { type Line, linesOf, lineText, type Piece, styled, type TextStyle } from './text.ts'
import { pad, widthOf } from './width.ts'
import { wrap } from './wrap.ts'

/** How Markdown is shown. */
export interface MarkdownLook {
  readonly columns: number
  /** Styles replace the signs of emphasis and of code; without colours a text is as it was written. */
  readonly colored: boolean
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^#{1,6} /
const QUOTE = /^ {0,3}> ?/
const ITEM = /^ *(?:[-*+]|\d{1,9}[.)]) +(?:\[[ xX]\] +)?/
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/
const TABLE = /^ *\|.*\| *$/
/** Lines of code without a fence. */
const INDENTED = /^(?: {4}|\t)/

/**
 * Returns a text with its Markdown shown lightly: its lines as they were written, broken between words where they are
 * wider than some columns. Lines of code stay whole, tables are aligned where they fit.
 */
export function markdownLines(text: string, look: MarkdownLook): Line[] {
  const lines: Line[] = []
  let fence: string | undefined
  let table: string[] = []
  let isList = false
  const endTable = (): void => {
    if (table.length > 0) lines.push(...tableLines(table, look))
    table = []
  }
  for (const line of linesOf(safe(text))) {
    const [, mark] = FENCE.exec(line) ?? []
    if (fence === undefined && TABLE.test(line)) {
      table.push(line.trim())
      continue
    }
    endTable()
    if (fence !== undefined) {
      const isEnd = mark?.startsWith(fence) && line.trim() === mark
      lines.push(isEnd ? [styled('dim', line)] : code(line))
      if (isEnd) fence = undefined
    } else if (mark !== undefined) {
      fence = mark
      lines.push([styled('dim', line)])
    } else {
      if (line.trim() !== '') isList = ITEM.test(line) || (isList && /^\s/.test(line))
      // Several empty lines are one.
      if (line.trim() === '' && lines.at(-1)?.length === 0) continue
      lines.push(...(INDENTED.test(line) && !isList ? [code(line)] : proseLines(line, look)))
    }
  }
  endTable()
  return lines
}

const code = (line: string): Line => (line === '' ? [] : [{ text: line, look: 'plain', whole: true }])

function proseLines(line: string, { columns, colored }: MarkdownLook): Line[] {
  const text = line.replaceAll('\t', '    ').trimEnd()
  if (text === '') return [[]]
  if (RULE.test(text)) return [[styled('dim', text)]]
  if (HEADING.test(text)) return wrap([styled('bold', text)], columns, 0)
  const quote = QUOTE.exec(text)?.[0]
  if (quote !== undefined)
    return wrap([styled('dim', text.slice(quote.length))], columns - 2, 0).map((one) => [
      styled('dim', '> '),
      ...one,
    ])
  const item = ITEM.exec(text)?.[0]
  return wrap(inlinePieces(text, colored), columns, item === undefined ? 0 : item.trimStart().length)
}

/** Code in a line, and words in bold. Longer runs are neither. */
const INLINE =
  /(?<!`)(`{1,2})(?!`)([^\n]{1,200}?)(?<!`)\1(?!`)|(?<![\w*])\*\*(?=\S)([^*\n]{1,200}?)(?<=\S)\*\*(?![\w*])/g

function inlinePieces(text: string, colored: boolean): Line {
  const pieces: Piece[] = []
  let end = 0
  for (const { index, 0: written, 2: coded, 3: bold } of text.matchAll(INLINE)) {
    if (index > end) pieces.push(text.slice(end, index))
    const look: TextStyle = coded === undefined ? 'bold' : 'cyan'
    pieces.push(styled(look, colored ? (coded ?? bold ?? '') : written))
    end = index + written.length
  }
  return end === 0 ? [text] : [...pieces, text.slice(end)]
}

const CELLS = /(?<!\\)\|/

/** Returns the rows of a table with their cells aligned; as they were written where they would not fit. */
function tableLines(rows: readonly string[], look: MarkdownLook): Line[] {
  const cells = rows.map((row) =>
    row
      .slice(1, -1)
      .split(CELLS)
      .map((cell) => inlinePieces(cell.trim(), look.colored)),
  )
  const isRule = rows.map((row) => /^[|:\s-]+$/.test(row))
  const widths: number[] = []
  for (const [at, row] of cells.entries())
    if (!isRule[at])
      for (const [column, cell] of row.entries())
        widths[column] = Math.max(widths[column] ?? 0, widthOf(lineText(cell)))
  const width = widths.reduce((sum, one) => sum + one + 3, 1)
  if (width > look.columns) return rows.flatMap((row) => proseLines(row, look))
  return cells.map((row, at) => [
    styled('dim', '| '),
    ...row.flatMap((cell, column): Piece[] => {
      const room = widths[column] ?? 0
      const end = styled('dim', column === row.length - 1 ? ' |' : ' | ')
      if (isRule[at]) return [styled('dim', '-'.repeat(room)), end]
      return [...cell, pad('', room - widthOf(lineText(cell))), end]
    }),
  ])
}
