import type { LossCode, Store } from '../../src/index.ts'
import { jsonText } from '../../src/model/json.ts'
import { textOf, type View } from '../../src/model/view.ts'

/** The content of a path in order, without ids: a line for each text, call, result and compaction. */
export interface PathContent {
  readonly text: readonly string[]
  readonly call: readonly string[]
  readonly result: readonly string[]
  /** All of it, by kind and speaker, in order. */
  readonly order: readonly string[]
}

/** The losses that name a difference in each kind of content. */
export const NAMED: Readonly<Record<keyof PathContent, readonly LossCode[]>> = {
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

/** Returns the content of the path of a session. */
export async function contentOfPath(store: Store, session: string): Promise<PathContent> {
  const views: View[] = []
  for await (const { view } of store.log(session)) views.push(view)
  return contentOf(views.reverse())
}

/** Returns the content of views, in order: calls and results by the place of the call among calls. */
export function contentOf(views: readonly View[]): PathContent {
  const content = {
    text: [] as string[],
    call: [] as string[],
    result: [] as string[],
    order: [] as string[],
  }
  const calls = new Map<string, number[]>()
  const addText = (role: string | null, text: string): void => {
    if (text === '') return
    content.text.push(`${role}: ${text}`)
    content.order.push(`${role} text`)
  }
  for (const { role, blocks, effect } of views) {
    // A summary is a text of the user, as for the model.
    if (effect?.kind === 'summary') addText('user', effect.text)
    if (effect?.kind === 'compaction')
      addText('user', effect.summary ?? lastOf(effect.replacement, content.text))
    for (const block of blocks) {
      if (block.kind === 'text') addText(role, block.text)
      else if (block.kind === 'toolCall') {
        calls.set(block.id, [...(calls.get(block.id) ?? []), content.call.length])
        content.call.push(`${block.name} ${jsonText(block.input)}`)
        content.order.push('call')
      } else if (block.kind === 'toolResult') {
        content.result.push(`${calls.get(block.id)?.pop()} ${block.error} ${block.text}`)
        content.order.push('result')
      }
    }
  }
  return content
}

/** Returns the last text of the user in the replacement of a history, unless it is in the content already. */
function lastOf(replacement: readonly View[] | undefined, texts: readonly string[]): string {
  const last = replacement?.at(-1)
  const text = last?.role === 'user' ? (textOf(last) ?? '') : ''
  return texts.includes(`user: ${text}`) ? '' : text
}
