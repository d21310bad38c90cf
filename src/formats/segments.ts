import type { Block, Role } from '../model/view.ts'

/** Blocks that one speaker says in a row. */
export interface Segment {
  readonly role: Role
  readonly blocks: readonly Block[]
}

/**
 * Gives blocks by who says them where calls and results stand in messages of their own: results are the tools', with the
 * images behind them where a tool says it all; who is not known is taken for the user.
 */
export function segmentsOf(role: Role | null, blocks: readonly Block[]): Segment[] {
  const segments: { role: Role; blocks: Block[] }[] = []
  for (const block of blocks) {
    const last = segments.at(-1)
    const goesWithResult = block.kind === 'image' && role === 'tool' && last !== undefined
    const speaker = block.kind === 'toolResult' || goesWithResult ? 'tool' : speakerOf(role, block)
    if (last?.role === speaker) last.blocks.push(block)
    else segments.push({ role: speaker, blocks: [block] })
  }
  return segments
}

const speakerOf = (role: Role | null, { kind }: Block): Role => {
  if (kind === 'toolCall' || kind === 'thinking') return 'assistant'
  return role === null || role === 'tool' ? 'user' : role
}
