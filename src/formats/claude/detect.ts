import type { Json } from '../../model/json.ts'
import type { Sample } from '../format.ts'
import { at, idAt, textAt } from './look.ts'

const CHAINED = new Set(['user', 'assistant', 'system', 'progress', 'attachment'])

/** Records that say something of a session and carry its id, but stand in no chain. */
const ASIDE = new Set([
  'agent-name',
  'ai-title',
  'custom-title',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'queue-operation',
  'relocated',
  'tag',
  'worktree-state',
])

/**
 * Tells whether a source is a Claude Code session: one of its first records is, and none is of a look-alike.
 */
export function detect(sample: Sample): boolean {
  if (sample.lines.length === 0 && !sample.whole) return beginsAsRecord(sample.head)
  return sample.lines.some(isRecord) && !sample.lines.some(isQwen)
}

function isRecord(line: Json): boolean {
  const type = textAt(line, 'type') ?? ''
  if (type === 'summary') return idAt(line, 'summary') !== undefined && idAt(line, 'leafUuid') !== undefined
  if (type === 'file-history-snapshot')
    return idAt(line, 'messageId') !== undefined && at(line, 'snapshot') !== undefined
  if (idAt(line, 'sessionId') === undefined) return false
  return ASIDE.has(type) || (CHAINED.has(type) && idAt(line, 'uuid') !== undefined)
}

/** Qwen Code writes the same envelope around Gemini's messages. */
const isQwen = (line: Json): boolean =>
  Array.isArray(at(line, 'message', 'parts')) || at(line, 'systemPayload') !== undefined

/** A first record longer than the sample is known by the keys of its envelope, which agents write first. */
function beginsAsRecord(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head.subarray(0, 4096))
  return ['"parentUuid":', '"isSidechain":', '"sessionId":'].every((key) => text.includes(key))
}
