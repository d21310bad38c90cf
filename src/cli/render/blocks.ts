import { inputText } from '../../model/said.ts'
import type { Block } from '../../model/view.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, cut, firstLine, linesOf, sized } from './text.ts'

/** How much of tool calls and results is shown unless all is asked for. */
export interface Fold {
  readonly lines: number
  readonly columns: number
}

const FOLD: Fold = { lines: 12, columns: 160 }

/** Returns a block as lines; with `full`, nothing is folded. */
export function blockLines(block: Block, full: boolean, fold = FOLD): Line[] {
  switch (block.kind) {
    case 'text':
      return linesOf(block.text).map((line) => [line])
    case 'thinking':
      return full
        ? [[styled('dim', 'thinking')], ...indented(block.text, true)]
        : [[styled('dim', `thinking, ${counted(block.text.length, 'character')} (--full shows it)`)]]
    case 'toolCall':
      return [
        [styled('magenta', `→ ${firstLine(block.name)}`)],
        ...indented(inputText(block.input), full, fold),
      ]
    case 'toolResult': {
      const { name, error, text } = block
      const from = name === undefined ? '' : ` of ${firstLine(name)}`
      const head = error ? styled('red', `✗ error${from}`) : styled('magenta', `← result${from}`)
      return [[head], ...indented(text, full, fold)]
    }
    case 'image':
      return [[styled('magenta', `image ${firstLine(block.mediaType)}, ${heldOf(block)}`)]]
  }
}

/** A description of an image: its size, or the hash of missing bytes. */
const heldOf = ({ bytes, blob }: Block & { readonly kind: 'image' }): string =>
  blob === undefined ? sized(bytes) : `missing: blob:sha256:${blob}`

function indented(text: string, full: boolean, fold = FOLD): Line[] {
  if (text === '') return []
  const lines = linesOf(text.replace(/\r?\n$/, ''))
  const shown = full ? lines : lines.slice(0, fold.lines)
  const left = lines.length - shown.length
  return [
    ...shown.map((line): Line => (line === '' ? [] : [`  ${full ? line : cut(line, fold.columns - 2)}`])),
    ...(left > 0 ? [[styled('dim', `  … ${counted(left, 'more line')} (--full shows them)`)]] : []),
  ]
}
