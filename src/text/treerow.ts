import { promptIn } from '../model/prompt.ts'
import type { TreeRow } from '../verbs/types.ts'
import { lookOf, summaryOf } from './entry.ts'
import {
  type Display,
  firstLine,
  grouped,
  type Line,
  type Piece,
  styled,
  type TextStyle,
  textOfPiece,
} from './text.ts'
import { minute } from './time.ts'
import { cut, widthOf } from './width.ts'

interface TreeRowLook extends Display {
  readonly ascii: boolean
  readonly showsTime: boolean
  readonly isMarked: boolean
}

/** Deeper levels are not indented further: the text of a row has to be seen. */
const MAX_LEVEL = 12

/** The columns that the text of a row gets at least. */
const MIN_TEXT = 12

/** Returns a row of a tree as a line: its level, what it is, its names and its words. Only branches are indented. */
export function treeRowLine(row: TreeRow, { columns, zone, ascii, showsTime, isMarked }: TreeRowLook): Line {
  const { level, folded, hidden, time, view, type, refs } = row
  const isPrompt = promptIn(view) !== undefined
  const depth = Math.min(level, MAX_LEVEL)
  const lane = (ascii ? '| ' : '│ ').repeat(depth)
  const left: Piece[] = [
    styled('cyan', isMarked ? '*' : ' '),
    styled('dim', lane),
    styled(markLook(row), markOf(row, isPrompt, ascii)),
    hidden > 0 ? styled('yellow', ascii ? '+' : '⊞') : ' ',
  ]
  const names = refs.map(({ kind, name, current }): Piece => {
    const look: TextStyle = kind === 'label' ? 'magenta' : current ? 'green' : 'cyan'
    return styled(look, `[${firstLine(name)}${current ? '*' : ''}] `)
  })
  const notes: Piece[] = [
    ...(showsTime && time !== null ? [styled('dim', `${minute(time, zone)} `)] : []),
    ...names,
    ...(folded > 0 ? [styled('dim', `${ascii ? '' : '⋯'}${grouped(folded)} `)] : []),
    ...(hidden > 0 ? [styled('yellow', `${grouped(hidden)} hidden `)] : []),
  ]
  const taken = [...left, ...notes].reduce((sum, piece) => sum + widthOf(textOfPiece(piece)), 0)
  const words = cut(summaryOf(view, type), Math.max(MIN_TEXT, columns - taken))
  return [...left, ...notes, styled(row.head ? 'bold' : isPrompt ? 'plain' : 'dim', words)]
}

function markOf({ head, compacts }: TreeRow, isPrompt: boolean, ascii: boolean): string {
  if (head) return '@'
  if (compacts) return ascii ? '#' : '◆'
  if (isPrompt) return ascii ? '*' : '●'
  return ascii ? 'o' : '○'
}

const markLook = ({ head, compacts, role }: TreeRow): TextStyle =>
  head ? 'bold' : compacts ? 'yellow' : lookOf(role)
