import { addTo } from '../model/lists.ts'
import type { RequestRepair } from '../model/repair.ts'
import type { Block } from '../model/view.ts'
import type { ContextItem } from './contextwalk.ts'

/** The result of a call without one: the agent was stopped, or the result is on another branch. */
const NO_RESULT = 'no result was recorded'

/** Drops tool results without an earlier call, and adds a result to each call without a later one. */
export function repairToolPairs<N>(items: readonly ContextItem<N>[]): {
  readonly items: readonly ContextItem<N>[]
  readonly repairs: readonly RequestRepair<N>[]
} {
  const repairs: RequestRepair<N>[] = []
  /** The calls without a result so far, by id. A result belongs to the latest one. */
  const open = new Map<string, { readonly at: number; readonly name: string }[]>()
  const answering = items.map((item, at): ContextItem<N> | undefined => {
    const blocks = item.view.blocks.filter((block) => {
      if (block.kind === 'toolCall') addTo(open, block.id, { at, name: block.name })
      if (block.kind !== 'toolResult' || open.get(block.id)?.pop() !== undefined) return true
      repairs.push({ kind: 'dropped-result', node: item.node, call: block.id })
      return false
    })
    if (blocks.length === item.view.blocks.length) return item
    const isLeft = item.view.role !== 'tool' ? blocks.length > 0 : blocks.some((b) => b.kind === 'toolResult')
    return isLeft ? { ...item, view: { ...item.view, blocks } } : undefined
  })
  const closing = new Map<number, ContextItem<N>[]>()
  for (const [id, calls] of open) {
    for (const { at, name } of calls) {
      const { node } = items[at] as ContextItem<N>
      const result: Block = { kind: 'toolResult', id, name, text: NO_RESULT, error: true }
      addTo(closing, at, { node, part: 'closing', view: { role: 'tool', blocks: [result] } })
      repairs.push({ kind: 'closed-call', node, call: id })
    }
  }
  const valid = answering.flatMap((item, at) => (item ? [item, ...(closing.get(at) ?? [])] : []))
  return { items: valid, repairs }
}
