import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import type { Block, View } from '../model/view.ts'
import { type AllowList, all, defineFormat, each, fields } from './core/define.ts'
import type { Facts } from './core/format.ts'
import { jsonDocument } from './core/jsondocument.ts'
import { words } from './core/known.ts'
import { headText, type Sample } from './core/sample.ts'
import { factsOf, fieldAt, idNamed, pathOfUri } from './core/values.ts'
import {
  blocksOf,
  callsIn,
  countsIn,
  outputText,
  resultBlock,
  speakerOf,
  thinkingBlock,
} from './core/views.ts'

function detect({ head }: Sample): boolean {
  const text = headText(head)
  return /^\s*\{/.test(text) && MARKS.every((mark) => mark.test(text))
}

const MARKS = [/"sessionId"\s*:/, /"workspaceDirectory"\s*:/, /"history"\s*:\s*\[/]

const call = fields({ ...all('id', 'type'), function: fields(all('name', 'arguments')) })
const usage = fields({
  ...all('promptTokens', 'completionTokens'),
  promptTokensDetails: fields(all('cachedTokens', 'cacheWriteTokens')),
})
const BODY: AllowList = {
  message: fields({
    ...all('role', 'content', 'thinking', 'redactedThinking', 'signature', 'toolCallId'),
    toolCalls: each(call),
    usage,
  }),
  contextItems: each(fields(all('content', 'name', 'description'))),
  toolCallStates: each(
    fields({ ...all('toolCallId', 'status'), output: each(fields(all('content', 'name', 'description'))) }),
  ),
  ...all('conversationSummary', 'reasoning'),
}

/** The title of an untitled session. */
const UNNAMED = 'New Session'

function factsIn({ sessionId, title, workspaceDirectory }: JsonObject): Facts {
  const cwd = asString(workspaceDirectory)
  return factsOf({
    id: asString(sessionId),
    title: title === UNNAMED ? undefined : asString(title),
    cwd: cwd && pathOfUri(cwd),
  })
}

/** The results of tools are in the record of their calls. */
function view(body: Json): View {
  const message = field(body, 'message')
  const [role, content] = [field(message, 'role'), field(message, 'content')]
  const ownBlocks =
    role === 'thinking'
      ? [thinkingBlock(content, field(message, 'signature'))]
      : role === 'tool'
        ? [resultBlock(field(message, 'toolCallId'), outputText(content))]
        : messageBlocks(body)
  const results = items(field(body, 'toolCallStates')).flatMap(resultOf)
  const blocks = [...ownBlocks, ...results]
  const summary = asString(field(body, 'conversationSummary'))
  const reported = field(message, 'usage')
  const details = field(reported, 'promptTokensDetails')
  const counts = {
    ...countsIn(reported, { input: 'promptTokens', output: 'completionTokens' }).usage,
    ...countsIn(details, { cacheRead: 'cachedTokens', cacheWrite: 'cacheWriteTokens' }).usage,
  }
  return {
    role: role === 'thinking' ? 'assistant' : speakerOf(role, blocks),
    blocks,
    ...(Object.keys(counts).length > 0 && { usage: counts }),
    ...(summary && { effect: { kind: 'compaction', summary } }),
  }
}

/** Returns the blocks of a message, with the context that was added to it. */
function messageBlocks(body: Json): Block[] {
  const message = field(body, 'message')
  const added = items(field(body, 'contextItems')).flatMap((item) => blocksOf(field(item, 'content')))
  const thinking = asString(fieldAt(body, 'reasoning', 'text'))
  return [
    ...(thinking ? [thinkingBlock(thinking)] : []),
    ...blocksOf(field(message, 'content')),
    ...added,
    ...callsIn(field(message, 'toolCalls')),
  ]
}

/** A call that still runs, or waits to be allowed, has no result yet. */
function resultOf(state: Json): Block[] {
  const status = asString(field(state, 'status')) ?? ''
  if (!ENDED.has(status)) return []
  const text = items(field(state, 'output'))
    .map((item) => asString(field(item, 'content')) ?? '')
    .join('\n')
  return [resultBlock(field(state, 'toolCallId'), text, status !== 'done')]
}

const ENDED: ReadonlySet<string> = new Set(['done', 'errored', 'canceled'])

/** The sessions of Continue, of its editors and its command line: one document each, rewritten with every change. */
export const continueDev = defineFormat({
  name: 'continue',
  rewrittenWhole: true,
  detect,
  splitter: () => jsonDocument('history'),
  record: (name) => {
    const stem = name.replace(/\.json$/i, '')
    return {
      id: ({ message }) => asString(field(message, 'id')),
      carries: ({ message }) => (isObject(message) ? 'message' : undefined),
      documentFacts: factsIn,
      known: idNamed(stem),
    }
  },
  entries: { message: { body: BODY, view } },
  known: {
    written: '2026-08',
    types: { 'message.role': words('user assistant system tool thinking') },
    fields: {
      '': words(`
        message contextItems editorState toolCallStates conversationSummary reasoning promptLogs appliedRules isGatheringContext
        modifiers
      `),
      message: words(
        'role content id toolCalls toolCallId thinking redactedThinking signature usage reasoning_details',
      ),
    },
    document: {
      fields: { '': words('sessionId title workspaceDirectory history usage mode chatModelTitle') },
    },
  },
})
