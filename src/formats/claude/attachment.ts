import { asString, type Json } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'
import { blocksOf } from './blocks.ts'
import { at, listAt, textAt } from './look.ts'

/** The parts of an attachment that hold what the model reads, whatever the attachment's type. */
const TEXTS = [
  'prompt',
  'text',
  'content',
  'snippet',
  'banner',
  'newDate',
  'description',
  'addedLines',
  'addedBlocks',
  'skills',
  'blockingError',
]

/** Within such a part: where its text stands, tried in this order. */
const INNER = ['text', 'content', 'file', 'blockingError', 'subject']

/** Containers nested deeper than this in an attachment hold no text that the model reads. */
const DEEPEST = 4

/** Attachments that tell the user something, not the model. */
const SILENT = new Set([
  'hook_non_blocking_error',
  'hook_system_message',
  'hook_cancelled',
  'command_permissions',
])

/** The events of hooks whose output is handed to the model. */
const HEARD = new Set(['SessionStart', 'UserPromptSubmit'])

/** Gives the blocks of an attachment: what it tells the model, none where that is not written in it. */
export function attachmentBlocks(attachment: Json | undefined): readonly Block[] {
  const type = textAt(attachment, 'type') ?? ''
  if (SILENT.has(type)) return []
  if (type === 'hook_success' && !HEARD.has(textAt(attachment, 'hookEvent') ?? '')) return []
  if (type === 'queued_command') return blocksOf(at(attachment, 'prompt'))
  const texts = TEXTS.flatMap((key) => textsOf(at(attachment, key), DEEPEST))
  return texts.length === 0 ? [] : [{ kind: 'text', text: texts.join('\n') }]
}

function textsOf(value: Json | undefined, depth: number): readonly string[] {
  const text = asString(value)
  if (text !== undefined) return text === '' ? [] : [text]
  if (depth === 0) return []
  if (Array.isArray(value)) return listAt(value).flatMap((item) => textsOf(item, depth - 1))
  const key = INNER.find((name) => at(value, name) !== undefined)
  return key === undefined ? [] : textsOf(at(value, key), depth - 1)
}
