import { asString, field, isObject, items, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import { type Block, OPAQUE, type Role, type Setting, type Usage, type View } from '../../model/view.ts'
import { blocksOf, callBlock, resultBlock } from '../core/contentblocks.ts'
import { compactionView, textIn } from '../core/viewparts.ts'

const ROLES: ReadonlyMap<string | undefined, Role> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
])

/** Returns what an entry of OpenCode means, from its kind and body. */
export function view(kind: string, body: Json): View {
  const info = field(body, 'info')
  const parts = items(field(body, 'parts'))
  const blocks = blocksIn(parts)
  if (kind === 'edit') return { ...OPAQUE, effect: { kind: 'edit', replacement: blocks } }
  const rest = { ...usageIn(info, parts), ...settingIn(info) }
  if (field(info, 'summary') === true && field(info, 'finish') !== undefined) {
    return { ...compactionView(textIn(blocks)), ...rest }
  }
  const role = ROLES.get(asString(field(info, 'role'))) ?? null
  return { role, blocks, ...rest, ...(role === 'user' && isAside(parts) && { aside: true }) }
}

/** Returns whether OpenCode itself wrote a prompt: to compact, or to continue. */
const isAside = (parts: readonly Json[]): boolean =>
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
      return part.ignored === true ? [] : textBlock(asString(part.text))
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

const textBlock = (text: string | undefined): Block[] => (text === undefined ? [] : [{ kind: 'text', text }])

/** A provider keeps under its name what it signed or encrypted. */
function sealIn(metadata: Json | undefined): Pick<Extract<Block, { kind: 'thinking' }>, 'seal'> {
  for (const of of isObject(metadata) ? Object.values(metadata) : []) {
    const [signature, encrypted] = [field(of, 'signature'), field(of, 'reasoningEncryptedContent')].map(
      asString,
    )
    if (signature) return { seal: { api: 'anthropic', value: signature } }
    if (encrypted) return { seal: { api: 'openai', value: encrypted } }
  }
  return {}
}

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
  const result = (said: Json | undefined, error: boolean): Block => {
    const text = said === undefined ? '' : (asString(said) ?? jsonText(said))
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
  const told = steps.length > 0 ? steps : [info]
  const sum = (of: (step: Json | undefined) => Json | undefined): number | undefined => {
    const known = told.flatMap((step) => number(of(step)) ?? [])
    return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0)
  }
  const tokens = (step: Json | undefined): Json | undefined => field(step, 'tokens')
  const usage = Object.entries({
    input: sum((step) => field(tokens(step), 'input')),
    output: sum((step) => field(tokens(step), 'output')),
    cacheRead: sum((step) => field(field(tokens(step), 'cache'), 'read')),
    cacheWrite: sum((step) => field(field(tokens(step), 'cache'), 'write')),
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
