import { ownWords } from '../../model/summary.ts'
import { type Block, type Effect, summaryIn, type View } from '../../model/view.ts'
import { firstLine, sized } from './text.ts'

/** Returns an entry in one line; its type if it has neither text nor effect. */
export function summaryOf(view: View, type: string): string {
  const { blocks, effect, sets, note } = view
  const parts: string[] = []
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  const said = [ownWords(view) ?? '', ...texts].map(firstLine).find(Boolean)
  if (said !== undefined) parts.push(said)
  else if (effect) parts.push(firstLine(summaryIn(effect) ?? (effect.kind === 'merge' ? effect.from : '')))
  for (const block of blocks) if (block.kind !== 'text') parts.push(summaryOfBlock(block, said !== undefined))
  // A reply names its model each time: that is news only where nothing else is.
  if (parts.length > 0) return [kindOf(effect), ...parts].filter(Boolean).join('  ')
  if (sets?.model) parts.push(`model: ${firstLine(sets.model.id)}`)
  if (sets?.thinking !== undefined) parts.push(`thinking: ${firstLine(sets.thinking)}`)
  if (sets?.mode !== undefined) parts.push(`mode: ${firstLine(sets.mode)}`)
  if (note !== undefined) parts.push(`[${firstLine(note)}]`)
  return [kindOf(effect), ...parts].filter(Boolean).join('  ') || `[${firstLine(type)}]`
}

const kindOf = (effect: Effect | undefined): string => (effect === undefined ? '' : `[${effect.kind}]`)

function summaryOfBlock(block: Block, brief: boolean): string {
  switch (block.kind) {
    case 'text':
      return firstLine(block.text)
    case 'thinking':
      return brief ? '' : `(thinking) ${firstLine(block.text)}`
    case 'toolCall':
      return `→ ${firstLine(block.name)} ${brief ? '' : inputOf(block)}`.trimEnd()
    case 'toolResult':
      return `${block.error ? '✗' : '←'} ${firstLine(block.text)}`.trimEnd()
    case 'image':
      return `[${firstLine(block.mediaType)}, ${sized(block.bytes)}]`
  }
}

/** Returns the arguments of a call in short: its texts. */
function inputOf({ input }: Block & { kind: 'toolCall' }): string {
  if (typeof input === 'string') return firstLine(input)
  const values = typeof input === 'object' && input !== null ? Object.values(input) : []
  return values.flatMap((value) => (typeof value === 'string' ? [firstLine(value)] : [])).join(' ')
}
