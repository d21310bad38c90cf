import { Verbatim } from '../../model/encoding/verbatim.ts'
import { asString, field, isObject, items, type Json, type JsonObject, plain } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { type Block, type Effect, OPAQUE, type Seal, type Setting, type View } from '../../model/view.ts'
import {
  type AllowList,
  all,
  bodyOf,
  byType,
  type EntryDeclarations,
  each,
  fields,
  viewOf,
} from '../core/define.ts'
import { imageBlock, modelIn, resultBlock, textBlock, textIn, usageIn } from '../core/views.ts'

const usage = fields({
  ...all('input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning', 'totalTokens'),
  cost: fields(all('input', 'output', 'cacheRead', 'cacheWrite', 'total')),
})

/** A block of another type is taken whole, because any of its fields may hold text. */
export const blockFields = byType({
  text: all('type', 'text', 'textSignature'),
  image: all('type', 'data', 'mimeType'),
  thinking: all('type', 'thinking', 'thinkingSignature', 'redacted'),
  toolCall: all('type', 'id', 'name', 'arguments', 'thoughtSignature', 'namespace'),
})

/** The fields of a message that are part of its body, without its usage. */
export const MESSAGE: AllowList = {
  ...all('role', 'api', 'provider', 'model', 'responseModel', 'responseId', 'providerThinkingLevel'),
  ...all(
    'thinkingLevel',
    'diagnostics',
    'stopReason',
    'deferred',
    'errorMessage',
    'rawStopReason',
    'endTurn',
  ),
  ...all('toolCallId', 'toolName', 'details', 'nestedCalls', 'isError'),
  ...all('command', 'output', 'exitCode', 'cancelled', 'truncated', 'fullOutputPath', 'excludeFromContext'),
  ...all('customType', 'display', 'sections', 'toolsAdded', 'toolsRemoved'),
  content: each(blockFields),
}

const messageFields = fields({ ...MESSAGE, usage })

/** Returns the view of an entry without blocks that changes settings. */
export const setting = (sets: Setting): View => ({ role: null, blocks: [], sets })

/** The entries of pi: what the model saw, and what changes what it sees. Their bodies have no ids, times and pointers to other records. */
export const ENTRIES = {
  message: {
    body: { message: messageFields },
    view: (body) => messageView(field(body, 'message')),
  },
  compaction: {
    body: {
      ...all('summary', 'tokensBefore', 'details', 'fromHook'),
      usage,
      systemMessage: messageFields,
      retainedTail: each(messageFields),
    },
    view: (body) => ({ role: null, blocks: [], ...usageIn(body), effect: compaction(body) }),
  },
  branch_summary: {
    body: { ...all('summary', 'details', 'fromHook'), usage },
    view: (body) => summaryView(field(body, 'summary'), body),
  },
  custom_message: {
    body: { ...all('customType', 'display', 'details'), content: each(blockFields) },
    view: (body) => ({ role: 'user', blocks: blocksOf(field(body, 'content')) }),
  },
  thinking_level_change: {
    body: all('thinkingLevel'),
    view(body) {
      const thinking = asString(field(body, 'thinkingLevel'))
      return thinking === undefined ? OPAQUE : setting({ thinking })
    },
  },
  model_change: {
    body: all('provider', 'modelId'),
    view: (body) => ({ ...OPAQUE, ...modelIn(field(body, 'modelId'), field(body, 'provider')) }),
  },
  active_tools_change: { body: all('activeToolNames'), view: () => OPAQUE },
  context_edit: {
    body: { replacement: fields({ content: each(blockFields) }) },
    view: (body) => edit(field(body, 'replacement')),
  },
} satisfies EntryDeclarations

/** Returns the body of an entry of pi as its file has it, of a kind that `ENTRIES` has. */
export const entryBody = (kind: keyof typeof ENTRIES, entry: JsonObject): JsonObject =>
  bodyOf(ENTRIES, kind, entry)

/** Returns what an entry of pi means, from its kind and body. */
export const view = (kind: string, body: Json): View => viewOf(ENTRIES, kind, body)

/** Returns the view of a summary of an abandoned path, with the usage that its body holds. */
export function summaryView(summary: Json | undefined, body?: Json): View {
  const text = asString(summary)
  return { role: null, blocks: [], ...usageIn(body), ...(text && { effect: { kind: 'summary', text } }) }
}

/** Returns only the role and the tool calls of a message; undefined if more of its view matters. */
export function callsOf(message: Json | undefined): View | undefined {
  if (!isObject(message)) return undefined
  switch (message.role) {
    case 'user':
      return USER
    case 'toolResult':
      return TOOL
    case 'assistant': {
      const { content } = message
      const values = items(content instanceof Verbatim ? plain(content) : content)
      const blocks: Block[] = []
      for (const value of values) if (!isObject(value) || value.type === 'toolCall') addBlock(blocks, value)
      return { role: 'assistant', blocks }
    }
    default:
      return undefined
  }
}

const USER: View = { role: 'user', blocks: [] }
const TOOL: View = { role: 'tool', blocks: [] }

function messageView(value: Json | undefined): View {
  const message = value instanceof Verbatim ? plain(value) : value
  if (!isObject(message)) return OPAQUE
  switch (message.role) {
    case 'user':
    case 'custom':
    case 'hookMessage':
      return { role: 'user', blocks: blocksOf(message.content) }
    case 'assistant': {
      const sets = modelIn(message.model, message.provider)
      const blocks = blocksOf(message.content, sealApiOf(asString(message.api)))
      return { role: 'assistant', blocks, ...usageIn(message), ...sets }
    }
    case 'toolResult':
      return { role: 'tool', blocks: resultBlocks(message), ...usageIn(message) }
    case 'bashExecution':
      return bash(message)
    case 'branchSummary':
    case 'compactionSummary':
      return { role: 'user', blocks: textBlock(message.summary) }
    case 'system':
      return { role: 'system', blocks: [...blocksOf(message.content), ...sections(message.sections)] }
    default:
      return OPAQUE
  }
}

/**
 * Returns the blocks of a message's content: a list of blocks, or a text alone. What is not known shows
 * nothing.
 */
function blocksOf(content: Json | undefined, sealApi?: Seal['api']): readonly Block[] {
  const value = content instanceof Verbatim ? plain(content) : content
  if (typeof value === 'string') return [{ kind: 'text', text: value }]
  const blocks: Block[] = []
  for (const block of items(value)) addBlock(blocks, block, sealApi)
  return blocks
}

/** Returns the provider that signs or encrypts thoughts, from pi's name of the API. */
function sealApiOf(api: string | undefined): Seal['api'] | undefined {
  if (api?.startsWith('anthropic-')) return 'anthropic'
  return api?.startsWith('openai-') ? 'openai' : undefined
}

/** Adds what a block of a message shows, if anything. */
function addBlock(blocks: Block[], value: Json, sealApi?: Seal['api']): void {
  const block = value instanceof Verbatim ? plain(value) : value
  if (!isObject(block)) return
  switch (block.type) {
    case 'text': {
      const text = asString(block.text)
      if (text !== undefined) blocks.push({ kind: 'text', text })
      return
    }
    case 'thinking':
      blocks.push({ kind: 'thinking', text: asString(block.thinking) ?? '', ...sealOf(block, sealApi) })
      return
    case 'toolCall': {
      const { id, name, arguments: input = null } = block
      blocks.push({ kind: 'toolCall', id: asString(id) ?? '', name: asString(name) ?? '', input })
      return
    }
    case 'image': {
      blocks.push(imageBlock(asString(block.mimeType), asString(block.data)))
      break
    }
    default:
  }
}

/** pi keeps Anthropic's signature as it is, and of OpenAI the reasoning item as JSON. */
function sealOf(block: JsonObject, api: Seal['api'] | undefined): { readonly seal?: Seal } {
  const signature = asString(block.thinkingSignature)
  if (!signature || api === undefined) return {}
  if (api === 'anthropic')
    return { seal: { api, value: signature, ...(block.redacted === true && { redacted: true }) } }
  const value = asString(field(tryParse(signature), 'encrypted_content'))
  return value ? { seal: { api, value } } : {}
}

function resultBlocks(message: JsonObject): readonly Block[] {
  const blocks = blocksOf(message.content)
  const [only] = blocks
  const text = blocks.length === 1 && only?.kind === 'text' ? only.text : textIn(blocks)
  const result = resultBlock(message.toolCallId, text, message.isError === true, message.toolName)
  return [result, ...blocks.filter((block) => block.kind === 'image')]
}

/** Returns the view of a command of the user: a text in pi's wording, or nothing if it is excluded. */
function bash(message: JsonObject): View {
  const output = asString(message.output) ?? ''
  const code = message.exitCode
  const command = asString(message.command) ?? ''
  let text = `Ran \`${command}\`\n${output ? `\`\`\`\n${output}\n\`\`\`` : '(no output)'}`
  if (message.cancelled === true) text += '\n\n(command cancelled)'
  else if (typeof code === 'number' && code !== 0) text += `\n\nCommand exited with code ${code}`
  const full = asString(message.fullOutputPath)
  if (message.truncated === true && full) text += `\n\n[Output truncated. Full output: ${full}]`
  return { role: message.excludeFromContext === true ? null : 'user', blocks: [{ kind: 'text', text }] }
}

/** The named parts of a system prompt; null removes a part. */
const sections = (value: Json | undefined): readonly Block[] =>
  isObject(value) ? Object.values(value).flatMap(textBlock) : []

/** A compaction of pi always has a summary, even if its text is missing. */
function compaction(body: Json): Effect {
  const summary = asString(field(body, 'summary')) ?? ''
  const checkpoint = field(body, 'systemMessage')
  const system = isObject(checkpoint) ? messageView(checkpoint) : null
  const tail = field(body, 'retainedTail')
  if (!Array.isArray(tail)) return { kind: 'compaction', summary, system }
  return { kind: 'compaction', summary, replacement: tail.map(messageView), system }
}

function edit(replacement: Json | undefined): View {
  if (replacement === null) return { role: null, blocks: [], effect: { kind: 'edit', replacement: null } }
  if (replacement === undefined) return OPAQUE
  return {
    role: null,
    blocks: [],
    effect: { kind: 'edit', replacement: blocksOf(field(replacement, 'content')) },
  }
}
