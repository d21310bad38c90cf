import { asString, field, isObject, items, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import { type Block, OPAQUE, type Role, type Setting, type Usage, type View } from '../../model/view.ts'
import { type AllowList, all, type EntryDeclarations, each, fields, selectFields } from '../core/define.ts'
import { fieldAt } from '../core/values.ts'
import { blocksOf, callBlock, compactionView, resultBlock, textBlock, textIn } from '../core/views.ts'
import { sealAmong } from './seal.ts'

/** The tokens of a model call, without the sums that later releases add. */
const tokens = fields({ ...all('input', 'output', 'reasoning'), cache: fields(all('read', 'write')) })

/** The fields of a message that the model sees, or that describe its model call. */
const INFO: AllowList = {
  ...all('role', 'system', 'tools', 'agent', 'mode', 'variant', 'modelID', 'providerID', 'finish', 'error'),
  ...all('cost'),
  tokens,
  model: fields(all('providerID', 'modelID', 'variant')),
  // In a prompt it lists changes on disk, in an answer it marks the summary of a compaction.
  summary: (value) => (value === true ? value : {}),
}

const ATTACHMENT = all('type', 'mime', 'filename', 'url')

const PARTS: Readonly<Record<string, AllowList>> = {
  text: all('type', 'text', 'synthetic', 'ignored'),
  reasoning: all('type', 'text', 'metadata'),
  tool: {
    ...all('type', 'callID', 'tool'),
    state: fields({
      ...all('status', 'input', 'raw', 'output', 'error'),
      attachments: each(fields(ATTACHMENT)),
    }),
  },
  file: ATTACHMENT,
  agent: all('type', 'name'),
  subtask: {
    ...all('type', 'prompt', 'description', 'agent', 'command'),
    model: fields(all('providerID', 'modelID', 'variant')),
  },
  compaction: all('type', 'auto', 'overflow'),
  'step-start': all('type'),
  'step-finish': { ...all('type', 'reason', 'cost'), tokens },
  patch: all('type'),
  snapshot: all('type'),
  retry: all('type'),
}

/** The fields that copies of a part rewrite. */
const ENVELOPE: ReadonlySet<string> = new Set(['id', 'sessionID', 'messageID', 'time'])

function partBody(part: Json): Json {
  if (!isObject(part)) return part
  const known =
    typeof part.type === 'string' && Object.hasOwn(PARTS, part.type) ? PARTS[part.type] : undefined
  return selectFields(part, known ?? all(...Object.keys(part).filter((key) => !ENVELOPE.has(key))))
}

/** The fields of a message with its parts that are its body. */
const MESSAGE: AllowList = { info: fields(INFO), parts: each(partBody) }

/** Returns the conversation-bearing part of a message with its parts: no ids but those of calls, no times. */
export const bodyOf = (message: JsonObject): JsonObject => selectFields(message, MESSAGE)

/** The text that replaces a tool result which OpenCode has cleared. */
const CLEARED = '[Old tool result content cleared]'

/** Returns when what a tool answered was cleared, in milliseconds since 1970. */
export function clearedAt(part: Json): number | undefined {
  const time = fieldAt(part, 'state', 'time', 'compacted')
  return typeof time === 'number' && time > 0 ? time : undefined
}

/** Returns the body of a message as the model sees it from a time on: what was cleared until then is. */
export function clearedBody(message: JsonObject, time: number): JsonObject {
  const body = bodyOf(message)
  const parts = items(body.parts).map((part, i) => {
    const cleared = clearedAt(items(message.parts)[i] as Json)
    const state = field(part, 'state')
    if (!isObject(part) || !isObject(state) || cleared === undefined || cleared > time) return part
    const { attachments: _, ...rest } = state
    return { ...part, state: { ...rest, output: CLEARED } }
  })
  return { ...body, parts }
}

const ROLES: ReadonlyMap<string | undefined, Role> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
])

/** Returns the view of a message with its parts. */
export function messageView(body: Json): View {
  const info = field(body, 'info')
  const parts = items(field(body, 'parts'))
  const blocks = blocksIn(parts)
  const rest = { ...usageIn(info, parts), ...settingIn(info) }
  if (field(info, 'summary') === true && field(info, 'finish') !== undefined)
    return { ...compactionView(textIn(blocks)), ...rest }
  const role = ROLES.get(asString(field(info, 'role'))) ?? null
  return { role, blocks, ...rest, ...(role === 'user' && isSynthetic(parts) && { aside: true }) }
}

/** Returns whether OpenCode itself wrote a prompt: to compact, or to continue. */
const isSynthetic = (parts: readonly Json[]): boolean =>
  parts.length > 0 &&
  parts.every((part) => field(part, 'type') === 'compaction' || field(part, 'synthetic') === true)

/** Returns the blocks of parts: for each step of the model its text and calls, then the results. */
function blocksIn(parts: readonly Json[]): Block[] {
  const blocks: Block[] = []
  let answers: Block[] = []
  for (const part of parts) {
    if (!isObject(part)) continue
    if (part.type === 'step-start') {
      blocks.push(...answers)
      answers = []
    } else if (part.type === 'tool') {
      const [call, ...answer] = toolBlocks(part)
      if (call) blocks.push(call)
      answers.push(...answer)
    } else blocks.push(...partBlocks(part))
  }
  return [...blocks, ...answers]
}

function partBlocks(part: JsonObject): Block[] {
  switch (part.type) {
    case 'text':
      return part.ignored === true ? [] : textBlock(part.text)
    case 'reasoning':
      return [{ kind: 'thinking', text: asString(part.text) ?? '', ...sealIn(part.metadata) }]
    case 'file':
      return fileBlocks(part)
    case 'subtask':
      return textBlock('The following tool was executed by the user')
    case 'compaction':
      return textBlock('What did we do so far?')
    default:
      return []
  }
}

/** A provider keeps under its name what it signed or encrypted. */
const sealIn = (metadata: Json | undefined): ReturnType<typeof sealAmong> =>
  sealAmong(isObject(metadata) ? Object.values(metadata) : [])

/** The content of files is in text parts; of other files images are shown, and names. */
function fileBlocks(file: JsonObject): Block[] {
  const [mime = '', url = ''] = [asString(file.mime), asString(file.url)]
  if (mime === 'text/plain' || mime === 'application/x-directory') return []
  if (!mime.startsWith('image/')) return textBlock(`[${mime}: ${asString(file.filename) ?? 'file'}]`)
  return blocksOf([{ type: 'image', source: { url, media_type: mime } }])
}

function toolBlocks(part: JsonObject): Block[] {
  const { state } = part
  const call = callBlock(part.callID, part.tool, field(state, 'input'))
  const result = (output: Json | undefined, error: boolean): Block => {
    const text = output === undefined ? '' : (asString(output) ?? jsonText(output))
    return resultBlock(part.callID, text, error, asString(part.tool) ?? '')
  }
  const status = field(state, 'status')
  if (status === 'error') return [call, result(field(state, 'error'), true)]
  if (status !== 'completed' && status !== 'success') return [call]
  const attachments = items(field(state, 'attachments')).filter(isObject).flatMap(fileBlocks)
  return [call, result(field(state, 'output'), false), ...attachments.filter(({ kind }) => kind === 'image')]
}

const number = (value: Json | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined

/** Returns the total usage of the steps of a message; without steps, the message's own. */
function usageIn(info: Json | undefined, parts: readonly Json[]): { readonly usage?: Usage } {
  const steps = parts.filter((part) => field(part, 'type') === 'step-finish')
  const reports = steps.length > 0 ? steps : [info]
  const sum = (of: (step: Json | undefined) => Json | undefined): number | undefined => {
    const known = reports.flatMap((step) => number(of(step)) ?? [])
    return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0)
  }
  const usage = Object.entries({
    input: sum((step) => fieldAt(step, 'tokens', 'input')),
    output: sum((step) => fieldAt(step, 'tokens', 'output')),
    cacheRead: sum((step) => fieldAt(step, 'tokens', 'cache', 'read')),
    cacheWrite: sum((step) => fieldAt(step, 'tokens', 'cache', 'write')),
    cost: sum((step) => field(step, 'cost')),
  }).filter(([, count]) => count !== undefined)
  return usage.length === 0 ? {} : { usage: Object.fromEntries(usage) }
}

function settingIn(info: Json | undefined): { readonly sets?: Setting } {
  const named = field(info, 'model')
  const [id, provider, mode, thinking] = [
    field(info, 'modelID') ?? field(named, 'modelID'),
    field(info, 'providerID') ?? field(named, 'providerID'),
    field(info, 'mode') ?? field(info, 'agent'),
    field(info, 'variant') ?? field(named, 'variant'),
  ].map(asString)
  const sets: Setting = {
    ...(id && { model: { ...(provider && { provider }), id } }),
    ...(thinking && { thinking }),
    ...(mode && { mode }),
  }
  return Object.keys(sets).length === 0 ? {} : { sets }
}

/** The entries of OpenCode: messages with their parts, and these as the model sees them once something was cleared. */
export const ENTRIES: EntryDeclarations = {
  message: { body: MESSAGE, view: messageView },
  edit: {
    body: MESSAGE,
    view: (body) => ({
      ...OPAQUE,
      effect: { kind: 'edit', replacement: blocksIn(items(field(body, 'parts'))) },
    }),
  },
}
