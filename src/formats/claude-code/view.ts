import { asString, field, isObject, type Json } from '../../model/json.ts'
import { type Block, OPAQUE, type Role, type Setting, type Usage, type View } from '../../model/view.ts'
import { callBlock, imageBlock, resultBlock, textIn, thinkingBlock } from '../core/contentblocks.ts'
import { asIds, at, idAt, listAt, opened, textAt } from './fields.ts'

/**
 * Returns the words of a part of a result that is no message's own: a tool that was looked up, what a search found, what ran
 * at the provider, or why that failed. Undefined where it has none.
 */
function toldIn(part: Json | undefined): string | undefined {
  const type = textAt(part, 'type') ?? ''
  if (type.endsWith('_error')) return textAt(part, 'error_code')
  const words = (WORDS.get(type) ?? []).flatMap((key) => textAt(part, key) || [])
  const inner = type === 'search_result' ? listAt(part, 'content') : []
  const all = [...words, ...inner.flatMap((one) => textAt(one, 'text') || [])]
  return all.length === 0 ? undefined : all.join('\n')
}

/** Where the words of such parts stand, by type. */
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
  if (type === 'text') return textBlock(textAt(block, 'text'))
  return type === 'image' || type === 'document' ? media(block) : textBlock(toldIn(block))
}

const textBlock = (text: string | undefined): readonly Block[] =>
  text === undefined ? [] : [{ kind: 'text', text }]

function thought(block: Json | undefined): readonly Block[] {
  const text = textAt(block, 'thinking')
  return text === undefined ? [] : [thinkingBlock(text, textAt(block, 'signature'))]
}

/**
 * A result, its texts joined, and behind it the images that it holds: a text, a list of parts, or one part, where it ran at
 * the provider. A result in a result shows nothing.
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

/** Returns the blocks of an attachment: what it tells the model, none where that is not written in it. */
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

/** Returns what an entry of a Claude Code session means. */
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
  const counts: Partial<Record<CountName, number>> = {}
  for (const [name, key] of COUNTS) {
    const count = at(message, 'usage', key)
    if (typeof count === 'number' && count >= 0) counts[name] = count
  }
  return Object.keys(counts).length === 0 ? undefined : counts
}

type CountName = 'input' | 'output' | 'cacheRead' | 'cacheWrite'

const COUNTS: readonly (readonly [CountName, string])[] = [
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
