import type { Oid } from '../../model/encoding/oid.ts'
import type { JsonObject } from '../../model/json.ts'
import { iso } from '../../model/time.ts'
import type { Block, View } from '../../model/view.ts'
import { lossesBetween } from '../core/losses.ts'
import { summaryOf } from '../core/views.ts'
import {
  type Draft,
  type DraftEntry,
  type FormatWriter,
  type Lines,
  lineOf,
  lostLabels,
  lostTitle,
} from '../core/writer.ts'
import { guessView } from './heuristics.ts'

/**
 * Writes a line for each entry of a path, in the form of most model APIs: role, content and time. An entry that is no
 * message is written as its type and body.
 */
export const jsonLinesWriter: FormatWriter = {
  branched: false,
  unresumed: 'its lines are for programs',
  place: ({ id }) => [`${id}.jsonl`],
  lines,
}

async function* lines(draft: Draft): Lines {
  let at = 0
  let parent: Oid | null = null
  for await (const entry of draft.entries()) {
    const fields = fieldsOf(entry)
    const summary = summaryOf(entry.view)
    const original: Pick<View, 'role' | 'blocks'> = summary
      ? { role: 'user', blocks: [{ kind: 'text', text: summary.text }] }
      : entry.view
    for (const code of lossesBetween([original], [guessView(fields)])) yield { code, oid: entry.oid }
    if (entry.view.effect?.kind === 'compaction') yield { code: 'compaction', oid: entry.oid }
    const line = {
      id: entry.oid,
      parent,
      ...fields,
      time: iso(entry.time),
      ...(at === 0 && { sessionId: draft.id, ...(draft.cwd !== undefined && { cwd: draft.cwd }) }),
    }
    parent = entry.oid
    yield lineOf(line, at++)
  }
  yield* lostLabels(draft)
  yield* lostTitle(draft)
}

function fieldsOf({ view, type, body }: DraftEntry): JsonObject {
  const summary = summaryOf(view)
  if (summary !== undefined) return { role: 'user', kind: summary.kind, content: summary.text }
  if (view.role === null && view.blocks.length === 0) return { type, body }
  const model = view.role === 'assistant' ? view.sets?.model?.id : undefined
  return {
    role: view.role,
    ...(model !== undefined && { model }),
    content: view.blocks.map(contentOf),
    ...(view.usage && { usage: { ...view.usage } }),
  }
}

function contentOf(block: Block): JsonObject {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'thinking':
      return { type: 'thinking', thinking: block.text }
    case 'toolCall':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input }
    case 'toolResult':
      return {
        type: 'tool_result',
        tool_use_id: block.id,
        ...(block.name !== undefined && { name: block.name }),
        content: block.text,
        is_error: block.error,
      }
    case 'image':
      return {
        type: 'image',
        media_type: block.mediaType,
        ...(block.data !== undefined && { data: block.data }),
        ...(block.url !== undefined && { url: block.url }),
      }
  }
}
