import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import type { Block, Usage, View } from '../model/view.ts'
import {
  type AllowList,
  all,
  defineFormat,
  type EntryDeclarations,
  each,
  fields,
  type RecordDeclaration,
} from './core/define.ts'
import type { Format } from './core/format.ts'
import { jsonDocument } from './core/jsondocument.ts'
import { type KnownRecords, words } from './core/known.ts'
import { beginsAs } from './core/sample.ts'
import { sidecar } from './core/sidecar.ts'
import { factsAt, factsOf, fieldAt } from './core/values.ts'
import {
  blocksOf,
  type CountNames,
  compactionView,
  countsIn,
  modelIn,
  outputText,
  resultBlock,
  speakerOf,
  textIn,
  untagged,
} from './core/views.ts'

const isList = beginsAs(/^\s*\[/)

/** The view of a task in the editor. Its messages are also in the other file of the task. */
export const clineUi: Format = sidecar({
  name: 'cline-ui',
  detect: (sample) =>
    (sample.name === 'ui_messages.json' || sample.name === 'claude_messages.json') && isList(sample),
  facts: (_name, folder) => (isTask(folder) ? { id: `${folder}-ui` } : {}),
})

/** The metadata of a session of Cline's command line: its model, its folder, the path of its messages. */
export const clineAbout: Format = sidecar({
  name: 'cline-session',
  detect: beginsAs(/^\s*\{.*"session_id"\s*:.*"messages_path"\s*:/s),
})

/** The folder of a task is named by its time in milliseconds, or by a UUID. */
const isTask = (folder: string | undefined): folder is string =>
  folder !== undefined && /^(?:\d{13}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(folder)

const BLOCK: AllowList = {
  ...all('type', 'text', 'thinking', 'signature', 'data', 'id', 'name', 'input', 'source', 'image_url'),
  ...all('tool_use_id', 'content', 'is_error', 'path', 'summary', 'reasoning_details'),
}
const BODY: AllowList = {
  ...all('role', 'isSummary'),
  content: each(fields(BLOCK)),
  modelInfo: fields(all('id', 'modelId', 'provider', 'providerId', 'mode')),
  metrics: fields({
    ...all('inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'cost'),
    tokens: fields(all('prompt', 'completion', 'cached')),
  }),
  metadata: fields(all('kind')),
}

/** The file of a session is named by its time in milliseconds and five characters. */
const ID = /^(\d{13}_\w{5})\.messages\.json$/

const records = (id: string | undefined): RecordDeclaration => ({
  id: 'id',
  time: 'ts',
  carries: ({ role }) => (typeof role === 'string' ? 'message' : undefined),
  facts: (record) => (typeof record.role === 'string' ? factsAt(record, { created: 'ts' }) : undefined),
  documentFacts: (document) => factsAt(document, { id: 'sessionId' }),
  known: factsOf({ id }),
})

/** Returns the view of a message. A summary of earlier messages is a compaction. */
function view(body: Json): View {
  const blocks = items(field(body, 'content')).flatMap(shown)
  const text = asString(field(body, 'content'))
  if (text) blocks.push(...shown(text))
  const role = speakerOf(field(body, 'role'), blocks)
  const summarises = fieldAt(body, 'metadata', 'kind') === 'compaction_summary'
  if (summarises || (role === 'user' && field(body, 'isSummary') === true))
    return compactionView(textIn(blocks))
  return { role, blocks, ...usageIn(field(body, 'metrics')), ...settingIn(field(body, 'modelInfo')) }
}

function shown(part: Json): Block[] {
  if (field(part, 'type') === 'tool_result' && isObject(part)) return resultOf(part)
  return blocksOf(part).map((one) =>
    one.kind === 'text' ? { ...one, text: untagged(one.text, 'task', 'user_message', 'feedback') } : one,
  )
}

function resultOf(part: JsonObject): Block[] {
  const images = blocksOf(part.content).filter((one) => one.kind === 'image')
  return [
    resultBlock(part.tool_use_id, outputText(part.content), part.is_error === true, part.name),
    ...images,
  ]
}

const COUNTS: CountNames = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadTokens',
  cacheWrite: 'cacheWriteTokens',
}

/** Cline counts what was read from and written to the cache within what went in. */
function usageIn(metrics: Json | undefined): { readonly usage?: Usage } {
  const reported = countsIn(metrics, COUNTS).usage
  const short = countsIn(field(metrics, 'tokens'), {
    input: 'prompt',
    output: 'completion',
    cacheRead: 'cached',
  }).usage
  const counts: Usage = { ...short, ...reported }
  const cost = field(metrics, 'cost')
  const { input, cacheRead = 0, cacheWrite = 0 } = counts
  const fresh =
    input !== undefined && input >= cacheRead + cacheWrite ? input - cacheRead - cacheWrite : input
  const usage = {
    ...counts,
    ...(fresh !== undefined && { input: fresh }),
    ...(typeof cost === 'number' && { cost }),
  }
  return Object.keys(usage).length === 0 ? {} : { usage }
}

function settingIn(info: Json | undefined): Pick<View, 'sets'> {
  const { sets } = modelIn(
    field(info, 'id') ?? field(info, 'modelId'),
    field(info, 'provider') ?? field(info, 'providerId'),
  )
  const mode = asString(field(info, 'mode'))
  return sets ? { sets: { ...sets, ...(mode !== undefined && { mode }) } } : {}
}

const ENTRIES: EntryDeclarations = { message: { body: BODY, view } }

/** The types and fields of a message. */
const KNOWN: KnownRecords = {
  written: '2026-08',
  types: {
    'content.type': words(
      'text image file thinking redacted_thinking reasoning tool_use tool_result document',
    ),
  },
  fields: {
    '': words(
      'role content id ts metadata modelInfo metrics isSummary condenseId condenseParent truncationParent',
    ),
    content: words(`
      type text path id name input call_id tool_use_id content is_error thinking signature data summary reasoning_details
      source image_url
    `),
    modelInfo: words('id modelId provider providerId mode family'),
    metrics: words('inputTokens outputTokens cacheReadTokens cacheWriteTokens cost tokens'),
    metadata: words(`
      kind summary details tokensBefore generatedAt reason displayRole messagesRemoved usageBefore compaction
    `),
  },
}

/**
 * The tasks of Cline, Roo and Kilo in an editor: what is sent to the model, in one list, rewritten with every change.
 */
export const cline = defineFormat({
  name: 'cline',
  rewrittenWhole: true,
  detect: (sample) => sample.name === 'api_conversation_history.json' && isList(sample),
  splitter: () => jsonDocument(''),
  record: (_name, folder) => records(isTask(folder) ? folder : undefined),
  entries: ENTRIES,
  known: KNOWN,
})

/** The sessions of Cline's command line, and the lists that its compactions leave. */
export const clineSession = defineFormat({
  name: 'cline-cli',
  rewrittenWhole: true,
  detect: beginsAs(/^\s*\{\s*"version"\s*:\s*\d+\s*,\s*"updated_at"\s*:.*"agent"\s*:/s),
  splitter: () => jsonDocument('messages'),
  record: (name) => records(ID.exec(name)?.[1]),
  entries: ENTRIES,
  known: {
    ...KNOWN,
    document: { fields: { '': words('version updated_at agent sessionId messages system_prompt') } },
  },
})
