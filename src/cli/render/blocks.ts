import { isObject, jsonText, plain } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, cut, firstLine, sized } from './text.ts'

/** Tool calls and results are shown with so many lines unless all is asked for. */
const LINES = 12
const WIDTH = 160

/** Gives a block as lines; with `full` nothing of it is folded. */
export function blockLines(block: Block, full: boolean): Line[] {
  switch (block.kind) {
    case 'text':
      return block.text.split('\n').map((line) => [line])
    case 'thinking':
      return full
        ? [[styled('dim', 'thinking')], ...indented(block.text, true)]
        : [[styled('dim', `thinking, ${counted(block.text.length, 'character')} (--full shows it)`)]]
    case 'toolCall':
      return [[styled('magenta', `→ ${firstLine(block.name)}`)], ...indented(callText(block), full)]
    case 'toolResult': {
      const { name, error, text } = block
      const from = name === undefined ? '' : ` of ${firstLine(name)}`
      const head = error ? styled('red', `✗ error${from}`) : styled('magenta', `← result${from}`)
      return [[head], ...indented(text, full)]
    }
    case 'image':
      return [[styled('magenta', `image ${firstLine(block.mediaType)}, ${sized(block.bytes)}`)]]
  }
}

/** A call's arguments, one a line where they are named. */
function callText({ input }: Block & { kind: 'toolCall' }): string {
  const value = plain(input)
  if (typeof value === 'string') return value
  if (!isObject(value)) return jsonText(value)
  return Object.entries(value)
    .map(([key, argument]) => `${key}: ${typeof argument === 'string' ? argument : jsonText(argument)}`)
    .join('\n')
}

function indented(text: string, full: boolean): Line[] {
  if (text === '') return []
  const lines = text.replace(/\n$/, '').split('\n')
  const shown = full ? lines : lines.slice(0, LINES)
  const left = lines.length - shown.length
  return [
    ...shown.map((line): Line => (line === '' ? [] : [`  ${full ? line : cut(line, WIDTH)}`])),
    ...(left > 0 ? [[styled('dim', `  … ${counted(left, 'more line')} (--full shows them)`)]] : []),
  ]
}
