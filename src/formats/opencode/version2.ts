import { asString, field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { type Block, OPAQUE, type Setting, type Usage, type View } from '../../model/view.ts'
import { all, byType, type EntryDeclarations, each, fields } from '../core/define.ts'
import { fieldAt } from '../core/values.ts'
import {
  blocksOf,
  callBlock,
  compactionView,
  outputText,
  parsedArguments,
  resultBlock,
  textBlock,
} from '../core/views.ts'
import { sealAmong } from './seal.ts'

const model = fields(all('providerID', 'id', 'variant'))
const USAGE = {
  ...all('cost'),
  tokens: fields({ ...all('input', 'output', 'reasoning'), cache: fields(all('read', 'write')) }),
}

/** Values that a provider signed or encrypted; before 2.0 they had other names. */
const NATIVE = all('native', 'state', 'providerState', 'providerResultState')

const file = fields({
  ...all('mime', 'data', 'uri', 'name', 'description'),
  source: fields(all('type', 'uri')),
})

const part = byType({
  text: { ...all('type', 'text'), ...NATIVE },
  reasoning: { ...all('type', 'text'), ...NATIVE },
  tool: {
    ...all('type', 'id', 'callID', 'name', 'tool', 'executed'),
    ...NATIVE,
    state: fields({
      ...all('status', 'input', 'structured', 'output', 'result', 'error'),
      content: each(byType({ text: all('type', 'text'), file: all('type', 'uri', 'mime', 'name') })),
    }),
  },
})

function settingOf(data: Json | undefined): { readonly sets?: Setting } {
  const named = field(data, 'model')
  const [id, provider, thinking, mode] = [
    field(named, 'id') ?? field(named, 'modelID'),
    field(named, 'providerID'),
    field(named, 'variant'),
    field(data, 'agent'),
  ].map(asString)
  const sets: Setting = {
    ...(id && { model: { ...(provider && { provider }), id } }),
    ...(thinking && { thinking }),
    ...(mode && { mode }),
  }
  return Object.keys(sets).length === 0 ? {} : { sets }
}

/** Returns the usage of a model call. Reasoning is no part of the output that OpenCode counts. */
function usageOf(data: Json): { readonly usage?: Usage } {
  const number = (...path: readonly string[]): number | undefined => {
    const value = fieldAt(data, ...path)
    return typeof value === 'number' ? value : undefined
  }
  const output = number('tokens', 'output')
  const usage = Object.entries({
    input: number('tokens', 'input'),
    output: output === undefined ? undefined : output + (number('tokens', 'reasoning') ?? 0),
    cacheRead: number('tokens', 'cache', 'read'),
    cacheWrite: number('tokens', 'cache', 'write'),
    cost: number('cost'),
  }).filter(([, count]) => count !== undefined)
  return usage.length === 0 ? {} : { usage: Object.fromEntries(usage) }
}

/** Returns the seal of a thought: what its provider signed or encrypted, under its name or on its own. */
function sealOf(thought: JsonObject): ReturnType<typeof sealAmong> {
  const native = thought.native ?? thought.state
  return sealAmong(isObject(native) ? [native, ...Object.values(native)] : [])
}

/** Returns a file of a prompt as the model sees it: a text with its content, an image, or else its name. */
function fileBlocks(attached: Json): Block[] {
  const [mime = '', data = '', uri = '', name, description] = [
    'mime',
    'data',
    'uri',
    'name',
    'description',
  ].map((key) => asString(field(attached, key)))
  const called = name ?? (asString(fieldAt(attached, 'source', 'uri')) || uri.slice(0, 200) || 'file')
  const isFolder = mime === 'application/x-directory'
  if (isFolder || mime === 'text/plain') {
    const head = [
      `Attached ${isFolder ? 'directory' : 'file'}: ${called}`,
      ...(description ? [`Description: ${description}`] : []),
    ]
    const text = data === '' ? [] : ['', Buffer.from(data, 'base64').toString('utf8')]
    return textBlock([...head, ...text].join('\n'))
  }
  if (!mime.startsWith('image/')) return textBlock(`[${mime}: ${called}]`)
  return blocksOf([
    { type: 'image', source: data ? { data, media_type: mime } : { url: uri, media_type: mime } },
  ])
}

function promptView(data: Json): View {
  const text = asString(field(data, 'text')) ?? ''
  const blocks = [...(text === '' ? [] : textBlock(text)), ...items(field(data, 'files')).flatMap(fileBlocks)]
  return { role: 'user', blocks }
}

/** Returns a call, and what came of it: its result and the images in it. */
function toolBlocks(tool: JsonObject): Block[] {
  const { state } = tool
  const [id, name] = [tool.id ?? tool.callID, tool.name ?? tool.tool]
  const call = callBlock(id, name, parsedArguments(field(state, 'input') ?? {}))
  const status = field(state, 'status')
  if (status !== 'completed' && status !== 'error') return [call]
  const content = items(field(state, 'content'))
  const files = content.filter((item) => field(item, 'type') === 'file').flatMap(fileBlocks)
  const failure = field(state, 'error')
  const texts = [
    ...(status === 'error' && failure !== undefined
      ? [asString(field(failure, 'message')) ?? outputText(failure)]
      : []),
    ...content.flatMap((item) => asString(field(item, 'text')) ?? []),
    ...files.flatMap((block) => (block.kind === 'text' ? [block.text] : [])),
  ]
  const whole = field(state, 'result') ?? field(state, 'output') ?? field(state, 'structured')
  const text = texts.length > 0 ? texts.join('\n') : outputText(whole)
  return [
    call,
    resultBlock(id, text, status === 'error', name),
    ...files.filter(({ kind }) => kind === 'image'),
  ]
}

/** Returns the blocks of an answer: its thoughts, texts and calls, then the results of the calls. */
function answerBlocks(content: readonly Json[]): Block[] {
  const blocks: Block[] = []
  const results: Block[] = []
  for (const item of content) {
    if (!isObject(item)) continue
    if (item.type === 'text') blocks.push(...textBlock(item.text))
    else if (item.type === 'reasoning')
      blocks.push({ kind: 'thinking', text: asString(item.text) ?? '', ...sealOf(item) })
    else if (item.type === 'tool') {
      const [call, ...answer] = toolBlocks(item)
      if (call) blocks.push(call)
      // The provider itself answered a call that it executed.
      const answers = item.executed === true ? blocks : results
      answers.push(...answer)
    }
  }
  return [...blocks, ...results]
}

/** Before 2.0 a compaction had no status. */
const isCompleted = (data: Json): boolean => (field(data, 'status') ?? 'completed') === 'completed'

/**
 * Returns the view of a compaction. One that only its own provider can read is skipped by OpenCode for other models: it
 * has no summary.
 */
function compactedView(data: Json): View {
  const usage = usageOf(data)
  if (!isCompleted(data) || isObject(field(data, 'providerContext')))
    return { ...OPAQUE, ...usage, note: 'compaction' }
  const texts = ['summary', 'recent'].flatMap((key) => asString(field(data, key)) || [])
  return { ...compactionView(texts.join('\n\n')), ...usage }
}

const WORDS = all('text')
const aside = (data: Json): View => ({ role: 'user', blocks: textBlock(field(data, 'text')), aside: true })

/** The messages of OpenCode 2 that are entries, by their types. */
export const ENTRIES_2: EntryDeclarations = {
  user: {
    body: { ...WORDS, files: each(file), agents: each(fields(all('name'))), ...all('skills') },
    view: promptView,
  },
  assistant: {
    body: {
      ...all('agent', 'finish'),
      model,
      content: each(part),
      ...USAGE,
      error: fields(all('type', 'message')),
    },
    view: (data) => ({
      role: 'assistant',
      blocks: answerBlocks(items(field(data, 'content'))),
      ...usageOf(data),
      ...settingOf(data),
    }),
  },
  compaction: {
    body: { ...all('status', 'reason', 'summary', 'recent', 'native', 'providerContext'), model, ...USAGE },
    view: compactedView,
  },
  synthetic: { body: WORDS, view: aside },
  skill: { body: { ...all('skill', 'name'), ...WORDS }, view: aside },
  system: { body: WORDS, view: (data) => ({ role: 'system', blocks: textBlock(field(data, 'text')) }) },
  shell: {
    body: { ...all('command', 'status', 'exit'), output: fields(all('output')) },
    view: (data) => {
      const output = asString(fieldAt(data, 'output', 'output')) ?? ''
      const text = `Shell command: ${asString(field(data, 'command')) ?? ''}\n\n${output}`
      return { role: 'user', blocks: textBlock(text) }
    },
  },
  'agent-switched': { body: all('agent'), view: (data) => ({ ...OPAQUE, ...settingOf(data) }) },
  'model-switched': { body: { model }, view: (data) => ({ ...OPAQUE, ...settingOf(data) }) },
}

/** Returns whether a message is an entry: a compaction that is not completed is none, unless it used tokens. */
export const isEntry2 = (type: string, data: JsonObject): boolean =>
  Object.hasOwn(ENTRIES_2, type) && (type !== 'compaction' || isCompleted(data) || data.tokens !== undefined)

/** Returns the session of the sub-agent that a call started, if it names it. */
export function startedBy2(item: Json): string | undefined {
  const state = field(item, 'state')
  for (const of of [field(state, 'metadata'), field(state, 'structured')]) {
    const session = asString(field(of, 'sessionID') ?? field(of, 'sessionId'))
    if (session !== undefined) return session
  }
  return undefined
}
