import type { LossCode, Store } from '../../src/index.ts'
import { jsonText } from '../../src/model/json.ts'
import { textOf, type View } from '../../src/model/view.ts'

/** The content of a path in order, without ids: a line for each text, call, result and compaction. */
export interface Spoken {
  readonly text: readonly string[]
  readonly call: readonly string[]
  readonly result: readonly string[]
  /** All of it, by kind and speaker, in order. */
  readonly order: readonly string[]
}

/** Which losses name a difference in what is said. */
export const NAMED: Readonly<Record<keyof Spoken, readonly LossCode[]>> = {
  text: ['text', 'role', 'order', 'summary', 'compaction', 'edit', 'opaque'],
  call: ['call', 'role', 'order'],
  result: ['result', 'role', 'order', 'orphan-result', 'open-call', 'edit'],
  order: [
    'role',
    'order',
    'text',
    'call',
    'result',
    'orphan-result',
    'open-call',
    'summary',
    'compaction',
    'edit',
    'opaque',
  ],
}

/** Returns what is said on the path of a session. */
export async function spokenIn(store: Store, session: string): Promise<Spoken> {
  const views: View[] = []
  for await (const { view } of store.log(session)) views.push(view)
  return spoken(views.reverse())
}

/** Returns what views say, in order: calls and results by the place of the call among calls. */
export function spoken(views: readonly View[]): Spoken {
  const said = { text: [] as string[], call: [] as string[], result: [] as string[], order: [] as string[] }
  const calls = new Map<string, number[]>()
  const tell = (role: string | null, text: string): void => {
    if (text === '') return
    said.text.push(`${role}: ${text}`)
    said.order.push(`${role} text`)
  }
  for (const { role, blocks, effect } of views) {
    // Summaries are told as the model is told them: by its user.
    if (effect?.kind === 'summary') tell('user', effect.text)
    if (effect?.kind === 'compaction') tell('user', effect.summary ?? lastOf(effect.replacement, said.text))
    for (const block of blocks) {
      if (block.kind === 'text') tell(role, block.text)
      else if (block.kind === 'toolCall') {
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

/** Returns what the user says last of what stands for a history, where that was not said before. */
function lastOf(replacement: readonly View[] | undefined, said: readonly string[]): string {
  const last = replacement?.at(-1)
  const text = last?.role === 'user' ? (textOf(last) ?? '') : ''
  return said.includes(`user: ${text}`) ? '' : text
}
