import type { Store } from '../../src/index.ts'
import { jsonText } from '../../src/model/json.ts'
import type { View } from '../../src/model/view.ts'

/** What is said on a path, in order, without ids: a line for each text, call and result, and for what compacts. */
export interface Spoken {
  readonly text: readonly string[]
  readonly call: readonly string[]
  readonly result: readonly string[]
  /** All of it, by kind and speaker, in order. */
  readonly order: readonly string[]
}

/** Gives what is said on the path of a session. */
export async function spokenIn(store: Store, session: string): Promise<Spoken> {
  const views: View[] = []
  for await (const { view } of store.log(session)) views.push(view)
  return spoken(views.reverse())
}

/** Gives what views say, in order: calls and results by the place of the call among calls. */
function spoken(views: readonly View[]): Spoken {
  const said = { text: [] as string[], call: [] as string[], result: [] as string[], order: [] as string[] }
  const calls = new Map<string, number[]>()
  let awaited = false
  for (const { role, blocks, effect } of views) {
    if (effect?.kind === 'compaction' && effect.replacement === undefined) {
      if (effect.summary !== undefined) said.text.push(`summary: ${effect.summary}`)
      awaited = effect.summary === undefined
    }
    if (effect?.kind === 'summary') said.text.push(`branch: ${effect.text}`)
    for (const block of blocks) {
      if (block.kind === 'text' && block.text !== '') {
        said.text.push(awaited && role === 'user' ? `summary: ${block.text}` : `${role}: ${block.text}`)
        if (!awaited) said.order.push(`${role} text`)
        awaited = false
      } else if (block.kind === 'toolCall') {
        calls.set(block.id, [...(calls.get(block.id) ?? []), said.call.length])
        said.call.push(`${block.name} ${jsonText(block.input)}`)
        said.order.push('call')
      } else if (block.kind === 'toolResult') {
        said.result.push(`${calls.get(block.id)?.pop()} ${block.error} ${block.text}`)
        said.order.push('result')
      }
    }
  }
  return said
}
