import { type Line, lineText, type Piece, type TextStyle } from './text.ts'
import { columnsOf, widthOf } from './width.ts'

/** A part of a line that is not broken. A word has one part for each style in it. */
interface WordPart {
  readonly text: string
  readonly look: TextStyle
}

/** Commands to copy, as hints show them: a newline in one would run a part of it. */
const COMMANDS = /(?<=: )sess .*$|'sess [^']*'/

/**
 * Returns a line as several where it is wider than some columns: broken between words, what follows indented by two more
 * columns, or by `hanging`. Commands to copy, and pieces marked as whole, stay in one line whatever their width.
 */
export function wrap(line: Line, columns: number, hanging = 2): Line[] {
  const text = lineText(line)
  if (text.length <= columns && widthOf(text) <= columns) return [line]
  const indent = ' '.repeat(Math.min((/^ */.exec(text)?.[0].length ?? 0) + hanging, Math.floor(columns / 2)))
  const lines: Piece[][] = [[]]
  let width = 0
  let gap: WordPart | undefined
  const add = ({ text: added, look }: WordPart): void => {
    lines.at(-1)?.push({ text: added, look })
    width += widthOf(added)
  }
  const next = (): void => {
    lines.push([indent])
    width = indent.length
  }
  for (const word of wordsOf(line)) {
    const [first] = word.parts
    if (first && word.isGap) {
      gap = gap ? { text: gap.text + first.text, look: first.look } : first
      continue
    }
    const wide = word.parts.reduce((sum, part) => sum + widthOf(part.text), 0)
    const isStart = width === 0
    if (!isStart && width + (gap ? widthOf(gap.text) : 0) + wide > columns) next()
    else if (gap) add(gap)
    gap = undefined
    if (word.isWhole || width + wide <= columns) word.parts.forEach(add)
    else
      for (const { text: part, look } of word.parts)
        for (const [grapheme, taken] of columnsOf(part)) {
          if (width + taken > columns) next()
          add({ text: grapheme, look })
        }
  }
  return lines
}

interface WrappedWord {
  readonly parts: WordPart[]
  readonly isGap: boolean
  readonly isWhole: boolean
}

function wordsOf(line: Line): WrappedWord[] {
  const words: WrappedWord[] = []
  let open: WrappedWord | undefined
  const push = (text: string, look: TextStyle, kind: 'gap' | 'word' | 'whole'): void => {
    if (text === '') return
    if (kind === 'word' && open) open.parts.push({ text, look })
    else {
      const word = { parts: [{ text, look }], isGap: kind === 'gap', isWhole: kind === 'whole' }
      words.push(word)
      open = kind === 'word' ? word : undefined
    }
  }
  for (const piece of line) {
    const {
      text,
      look,
      whole = false,
    } = typeof piece === 'string' ? { text: piece, look: 'plain' as const } : piece
    if (whole) push(text, look, 'whole')
    else
      for (const [i, part] of text.split(new RegExp(`(${COMMANDS.source})`)).entries())
        if (i % 2 === 1) push(part, look, 'whole')
        else for (const run of part.match(/\s+|\S+/g) ?? []) push(run, look, /^\s/.test(run) ? 'gap' : 'word')
  }
  return words
}

/** Two or more blanks within a line precede a description in a second column. */
const COLUMN = /^ *\S.*? {2,}(?=\S)/

/**
 * Returns a text of paragraphs and of lists with indented lines, no wider than some columns: paragraphs are filled, and
 * descriptions in a second column stay there. Commands to copy are not broken.
 */
export const reflow = (text: string, columns: number): string =>
  text
    .split('\n\n')
    .map((block) => blockLines(block, columns).join('\n'))
    .join('\n\n')

function blockLines(block: string, columns: number): string[] {
  const lines: string[] = []
  const paragraph: string[] = []
  const end = (): void => {
    if (paragraph.length > 0) lines.push(...filled(paragraph.splice(0).join(' '), columns, '', ''))
  }
  for (const line of block.split('\n')) {
    if (/^\S/.test(line)) {
      paragraph.push(line)
      if (line.endsWith(':')) end()
      continue
    }
    end()
    const indent = /^ */.exec(line)?.[0] ?? ''
    const [lead = ''] = COLUMN.exec(line) ?? []
    const rest = line.slice(lead.length)
    if (lead === '' && line.includes('sess ')) lines.push(line)
    else if (lead === '') lines.push(...filled(line.slice(indent.length), columns, indent, `${indent}  `))
    else if (lead.length <= columns / 2) lines.push(...filled(rest, columns, lead, ' '.repeat(lead.length)))
    else if (widthOf(line) <= columns) lines.push(line)
    else lines.push(lead.trimEnd(), ...filled(rest, columns, `${indent}    `, `${indent}    `))
  }
  end()
  return lines
}

/** Returns words as lines; the first one and the others begin with some text. */
function filled(text: string, columns: number, first: string, others: string): string[] {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const word of text.match(/(?:'sess [^']*'|\S)+/g) ?? []) {
    if (!isEmpty && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line)
      line = others + word
    } else line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line]
}
