import type { Json } from '../../model/json.ts'
import { type Block, OPAQUE, type Role, type Setting, type Usage, type View } from '../../model/view.ts'
import { attachmentBlocks } from './attachment.ts'
import { blocksOf } from './blocks.ts'
import { asIds, at, idAt } from './look.ts'

/** Gives what an entry of a Claude Code session means. */
export function view(kind: string, body: Json): View {
  if (kind === 'user') return userView(messageBlocks(body), at(body, 'isMeta') === true)
  if (kind === 'assistant') return assistantView(body)
  if (kind === 'attachment') return contextView(at(body, 'attachment'))
  // The summary is the next entry, a user's message marked `isCompactSummary`.
  if (kind === 'compact_boundary') return { role: 'system', blocks: [], effect: { kind: 'compaction' } }
  return kind === 'microcompact' ? microcompactView(body) : OPAQUE
}

/**
 * The content stands in the message; where the message is a mere text, or there is none, that is the content.
 */
function messageBlocks(body: Json): readonly Block[] {
  const message = at(body, 'message')
  if (typeof message === 'string') return blocksOf(message)
  return blocksOf(at(message, 'content') ?? at(body, 'content'))
}

function userView(blocks: readonly Block[], isMeta: boolean): View {
  const answers = blocks.some((block) => block.kind === 'toolResult')
  const only = blocks.every((block) => block.kind === 'toolResult' || block.kind === 'image')
  const role: Role = answers && only ? 'tool' : 'user'
  return { role, blocks, ...(isMeta && { aside: true }) }
}

/** A queued command is the user's; all else that is attached the agent says itself. */
function contextView(attachment: Json | undefined): View {
  const blocks = attachmentBlocks(attachment)
  if (blocks.length === 0) return OPAQUE
  const isQueued = idAt(attachment, 'type') === 'queued_command'
  return { role: 'user', blocks, ...(!isQueued && { aside: true }) }
}

function assistantView(body: Json): View {
  const usage = usageOf(at(body, 'message'))
  const sets = settingOf(at(body, 'message'))
  return { role: 'assistant', blocks: messageBlocks(body), ...(usage && { usage }), ...(sets && { sets }) }
}

/** The records of a model call repeat its usage under the message's id. A body names the call; the counts are in its record. */
function usageOf(message: Json | undefined): Usage | undefined {
  const counts = countsIn(message)
  const call = idAt(message, 'id')
  return counts || call !== undefined ? { ...counts, ...(call !== undefined && { call }) } : undefined
}

/** Returns the usage that a record holds: its own, or that of a sub-agent's message in a record of progress. */
export const usageIn = (record: Json): Usage | undefined =>
  countsIn(at(record, 'message')) ?? countsIn(at(record, 'data', 'message', 'message'))

function countsIn(message: Json | undefined): Omit<Usage, 'call'> | undefined {
  const counts: Partial<Record<Count, number>> = {}
  for (const [name, key] of COUNTS) {
    const count = at(message, 'usage', key)
    if (typeof count === 'number' && count >= 0) counts[name] = count
  }
  return Object.keys(counts).length === 0 ? undefined : counts
}

type Count = 'input' | 'output' | 'cacheRead' | 'cacheWrite'

const COUNTS: readonly (readonly [Count, string])[] = [
  ['input', 'input_tokens'],
  ['output', 'output_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheWrite', 'cache_creation_input_tokens'],
]

/** What the agent says in the assistant's place (errors, interruptions) names no model. */
function settingOf(message: Json | undefined): Setting | undefined {
  const id = idAt(message, 'model')
  return id === undefined || id === '<synthetic>' ? undefined : { model: { provider: 'anthropic', id } }
}

/** What the agent puts in the place of a tool result that it clears. */
const CLEARED = '[Old tool result content cleared]'

function microcompactView(body: Json): View {
  const replacement = asIds(at(body, 'microcompactMetadata', 'compactedToolIds')).map(
    (id): Block => ({ kind: 'toolResult', id, text: CLEARED, error: false }),
  )
  return replacement.length === 0 ? OPAQUE : { role: null, blocks: [], effect: { kind: 'edit', replacement } }
}
