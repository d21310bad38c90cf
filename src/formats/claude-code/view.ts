import { asString, field, isObject, type Json } from '../../model/json.ts'
import { type Block, OPAQUE, type Setting, type Usage, type View } from '../../model/view.ts'
import type { EntryDeclarations } from '../core/define.ts'
import {
  callBlock,
  imageBlock,
  resultBlock,
  speakerOf,
  textBlock,
  textIn,
  thinkingBlock,
} from '../core/views.ts'
import { asIds, at, FIELDS, idAt, listAt, MICROCOMPACT_FIELDS, opened, textAt } from './fields.ts'

/**
 * Returns the text of a part of a result that messages do not have: a tool reference, a search result, output of the
 * provider's own tools, or their error. Undefined if it has none.
 */
function resultPartText(part: Json | undefined): string | undefined {
  const type = textAt(part, 'type') ?? ''
  if (type.endsWith('_error')) return textAt(part, 'error_code')
  const words = (WORDS.get(type) ?? []).flatMap((key) => textAt(part, key) || [])
  const inner = type === 'search_result' ? listAt(part, 'content') : []
  const all = [...words, ...inner.flatMap((one) => textAt(one, 'text') || [])]
  return all.length === 0 ? undefined : all.join('\n')
}

/** The fields with the text of such parts, by type. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['tool_reference', ['tool_name']],
  ['search_result', ['title', 'source']],
  ['web_search_result', ['title', 'url']],
  ['code_execution_result', ['stdout', 'stderr']],
  ['bash_code_execution_result', ['stdout', 'stderr']],
  ['advisor_result', ['text']],
])

/**
 * Returns the blocks of a message's content: a string, or a list of blocks. Blocks of unknown types show
 * nothing.
 */
export function blocksOf(content: Json | undefined): readonly Block[] {
  const text = asString(opened(content))
  return text === undefined ? listAt(content).flatMap(shown) : [{ kind: 'text', text }]
}

function shown(block: Json | undefined): readonly Block[] {
  const type = textAt(block, 'type') ?? ''
  if (type === 'thinking') return thought(block)
  if (type === 'redacted_thinking')
    return idAt(block, 'data') ? [thinkingBlock('', textAt(block, 'data'), true)] : []
  if (type.endsWith('tool_use'))
    return [callBlock(textAt(block, 'id'), textAt(block, 'name'), field(block, 'input'))]
  return type.endsWith('tool_result') ? toolResult(block) : plainly(block)
}

function plainly(block: Json | undefined): readonly Block[] {
  const type = textAt(block, 'type')
  if (type === 'text') return textBlock(at(block, 'text'))
  return type === 'image' || type === 'document' ? media(block) : textBlock(resultPartText(block))
}

function thought(block: Json | undefined): readonly Block[] {
  const text = textAt(block, 'thinking')
  return text === undefined ? [] : [thinkingBlock(text, textAt(block, 'signature'))]
}

/**
 * Returns a result, its texts joined, followed by its images. Its content is a text, a list of parts, or one part if
 * it ran at the provider. A nested result is left out.
 */
function toolResult(block: Json | undefined): readonly Block[] {
  const content = at(block, 'content')
  const whole = asString(content)
  const list = isObject(content) ? [content] : listAt(content)
  const parts = whole === undefined ? list.flatMap(plainly) : textBlock(whole)
  const error = at(block, 'is_error') === true || textAt(content, 'type')?.endsWith('_error') === true
  const result = resultBlock(textAt(block, 'tool_use_id'), textIn(parts), error)
  return [result, ...parts.filter((part) => part.kind === 'image')]
}

/** An image, or a document by its media type; a document that is text is text. */
function media(block: Json | undefined): readonly Block[] {
  const data = textAt(block, 'source', 'data') ?? ''
  if (textAt(block, 'source', 'type') === 'text') return textBlock(data)
  const mediaType = textAt(block, 'source', 'media_type') ?? 'application/octet-stream'
  return [imageBlock(mediaType, data, textAt(block, 'source', 'url'))]
}

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

/** The fields of such a part that may hold its text, in the order in which they are tried. */
const INNER = ['text', 'content', 'file', 'blockingError', 'subject']

/** Containers nested deeper than this in an attachment hold no text that the model reads. */
const DEEPEST = 4

/** Attachments for the user, not for the model. */
const SILENT = new Set([
  'hook_non_blocking_error',
  'hook_system_message',
  'hook_cancelled',
  'command_permissions',
])

/** The events of hooks whose output the model sees. */
const VISIBLE_EVENTS = new Set(['SessionStart', 'UserPromptSubmit'])

/** Returns the blocks of an attachment: the text that the model sees; none if the attachment does not hold it. */
export function attachmentBlocks(attachment: Json | undefined): readonly Block[] {
  const type = textAt(attachment, 'type') ?? ''
  if (SILENT.has(type)) return []
  if (type === 'hook_success' && !VISIBLE_EVENTS.has(textAt(attachment, 'hookEvent') ?? '')) return []
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

/**
 * The content is in the message. If the message is a text, or is missing, that or the record's own content is used.
 */
function messageBlocks(body: Json): readonly Block[] {
  const message = at(body, 'message')
  if (typeof message === 'string') return blocksOf(message)
  return blocksOf(at(message, 'content') ?? at(body, 'content'))
}

function userView(body: Json): View {
  const blocks = messageBlocks(body)
  const role = speakerOf('user', blocks)
  return { role, blocks, ...(at(body, 'isMeta') === true && { aside: true }) }
}

/** A queued command is the user's; every other attachment is the agent's own. */
function contextView(body: Json): View {
  const attachment = at(body, 'attachment')
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
const usageIn = (record: Json): Usage | undefined =>
  countsIn(at(record, 'message')) ?? countsIn(at(record, 'data', 'message', 'message'))

function countsIn(message: Json | undefined): Omit<Usage, 'call'> | undefined {
  const usage = at(message, 'usage')
  if (usage === undefined) return undefined
  const counts: Partial<Record<CountName, number>> = {}
  for (const [name, key] of COUNTS) {
    const count = at(usage, key)
    if (typeof count === 'number' && count >= 0) counts[name] = count
  }
  const long = at(usage, 'cache_creation', 'ephemeral_1h_input_tokens')
  if (typeof long === 'number' && long > 0) counts.cacheWriteLong = long
  return Object.keys(counts).length === 0 ? undefined : counts
}

type CountName = 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWriteLong'

const COUNTS: readonly (readonly [CountName, string])[] = [
  ['input', 'input_tokens'],
  ['output', 'output_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheWrite', 'cache_creation_input_tokens'],
]

/** Messages that the agent writes in the assistant's place (errors, interruptions) name no model. */
function settingOf(message: Json | undefined): Setting | undefined {
  const id = idAt(message, 'model')
  return id === undefined || id === '<synthetic>' ? undefined : { model: { provider: 'anthropic', id } }
}

/** The text that replaces a tool result which the agent has cleared. */
const CLEARED = '[Old tool result content cleared]'

function microcompactView(body: Json): View {
  const replacement = asIds(at(body, 'microcompactMetadata', 'compactedToolIds')).map(
    (id): Block => ({ kind: 'toolResult', id, text: CLEARED, error: false }),
  )
  return replacement.length === 0 ? OPAQUE : { role: null, blocks: [], effect: { kind: 'edit', replacement } }
}

/** The entries of Claude Code. */
export const ENTRIES: EntryDeclarations = {
  user: { body: FIELDS, view: userView },
  assistant: { body: FIELDS, view: assistantView, usage: usageIn },
  attachment: { body: FIELDS, view: contextView },
  // The summary is the next entry, a user's message marked `isCompactSummary`.
  compact_boundary: {
    body: FIELDS,
    view: () => ({ role: 'system', blocks: [], effect: { kind: 'compaction' } }),
  },
  microcompact: { body: MICROCOMPACT_FIELDS, view: microcompactView },
}
