import { safeLine } from '../../model/terminaltext.ts'
import { type Line, type Piece, painted, type TextStyle } from '../../text/text.ts'
import { columnsOf, isPlain } from '../../text/width.ts'

/** Some columns of a row that a pane owns. */
export interface PaneSpan {
  /** Its first column, from 0. */
  readonly x: number
  readonly width: number
  readonly line: Line
  /** Whether it is shown in reverse, as the row of a cursor is. */
  readonly reverse?: boolean
}

/** A row of the screen: spans from left to right, which do not overlap. */
export type ScreenRow = readonly PaneSpan[]

interface PaintedSpan {
  readonly x: number
  readonly width: number
  readonly bytes: string
  /** Whether terminals agree on the width of its text. */
  readonly isSure: boolean
}

const ESC = '\x1b'
const SYNC_BEGIN = `${ESC}[?2026h`
const SYNC_END = `${ESC}[?2026l`
const REVERSE = `${ESC}[7m`
const RESET = `${ESC}[0m`

/**
 * Characters of one width in every terminal: Latin, Hebrew, arrows, box drawing, CJK, kana, hangul and full-width forms.
 * Joiners, selectors, marks, flags and pictures are not.
 */
const SURE =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u05d0-\u05ea\u2010-\u2027\u2030-\u203b\u2190-\u21ff\u22ef\u2500-\u257f\u25cb\u25cf\u25c6\u3000-\u303e\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/

/**
 * Writes frames to a terminal: only spans that differ from those of the frame before, in one write inside synchronised
 * output. Terminals disagree on the width of some text, so each span is written at its own column, and one whose
 * width is not sure is erased first; a row that has or had such a span is written whole.
 */
export class Screen {
  readonly #write: (bytes: string) => void
  readonly #isColored: boolean
  #rows: readonly (readonly PaintedSpan[])[] = []

  constructor(write: (bytes: string) => void, { colored }: { readonly colored: boolean }) {
    this.#write = write
    this.#isColored = colored
  }

  /** Forgets what is on the screen: the next frame is written whole. */
  reset(): void {
    this.#rows = []
  }

  /** Shows a frame; `clear` erases the screen first, as after a change of its size. */
  draw(frame: readonly ScreenRow[], clear = false): void {
    if (clear) this.reset()
    const rows = frame.map((row) => row.map((span) => this.#paint(span)))
    let bytes = clear ? `${ESC}[2J` : ''
    for (const [y, row] of rows.entries()) bytes += changed(y, row, this.#rows[y])
    this.#rows = rows
    if (bytes !== '') this.#write(SYNC_BEGIN + bytes + SYNC_END)
  }

  #paint({ x, width, line, reverse = false }: PaneSpan): PaintedSpan {
    let [bytes, left, isSure] = ['', width, true]
    for (const piece of line) {
      if (left <= 0) break
      const { text, look } = partOf(piece)
      const [shown, columns] = fitting(safeLine(text), left)
      left -= columns
      isSure &&= SURE.test(shown)
      // In reverse, each colour would give a background of its own.
      bytes += this.#isColored && !reverse ? painted(look, shown) : shown
    }
    bytes += ' '.repeat(Math.max(0, left))
    return { x, width, bytes: reverse ? REVERSE + bytes + RESET : bytes, isSure }
  }
}

const partOf = (piece: Piece): { readonly text: string; readonly look: TextStyle } =>
  typeof piece === 'string' ? { text: piece, look: 'plain' } : piece

/** Returns the beginning of a text that fits into some columns, and how many it takes. */
function fitting(text: string, columns: number): [text: string, columns: number] {
  if (isPlain(text)) return text.length <= columns ? [text, text.length] : [text.slice(0, columns), columns]
  let [kept, width] = ['', 0]
  for (const [grapheme, taken] of columnsOf(text)) {
    if (width + taken > columns) break
    kept += grapheme
    width += taken
  }
  return [kept, width]
}

/** Returns the bytes that bring a row of the screen from one state to another. */
function changed(y: number, row: readonly PaintedSpan[], before: readonly PaintedSpan[] | undefined): string {
  const isSame = (span: PaintedSpan, i: number): boolean => {
    const old = before?.[i]
    return old !== undefined && old.x === span.x && old.width === span.width && old.bytes === span.bytes
  }
  if (before?.length === row.length && row.every(isSame)) return ''
  const isWhole = !row.every(({ isSure }) => isSure) || before?.some(({ isSure }) => !isSure) === true
  return row
    .filter((span, i) => isWhole || !isSame(span, i))
    .map(({ x, width, bytes, isSure }) => {
      const erase = isWhole || !isSure ? `${ESC}[${width}X` : ''
      return `${ESC}[${y + 1};${x + 1}H${erase}${bytes}`
    })
    .join('')
}

/** Returns a span of a frame that shows a line. */
export const paneSpan = (x: number, width: number, line: Line, reverse = false): PaneSpan => ({
  x,
  width,
  line,
  reverse,
})
