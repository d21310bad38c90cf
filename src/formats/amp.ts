import { asString, field, items, type Json, type JsonObject } from '../model/json.ts'
import { newestOf } from '../model/version.ts'
import type { Block, View } from '../model/view.ts'
import { type AllowList, all, defineFormat, each, fields } from './core/define.ts'
import { gitFacts } from './core/facthistory.ts'
import type { Facts } from './core/format.ts'
import { jsonDocument } from './core/jsondocument.ts'
import { words } from './core/known.ts'
import { beginsAs } from './core/sample.ts'
import { factsAt, factsOf, fieldAt, millis, pathOfUri } from './core/values.ts'
import {
  blocksOf,
  type CountNames,
  countsIn,
  modelIn,
  outputText,
  resultBlock,
  speakerOf,
  thinkingBlock,
} from './core/views.ts'

const THREAD = /^T-[0-9a-f-]{36}/

const run = fields(all('status', 'result', 'error'))
const block = fields({
  ...all('type', 'text', 'thinking', 'signature', 'data', 'provider', 'id', 'name', 'input'),
  ...all('toolUseID', 'source', 'summary', 'sourcePath'),
  run,
})
const BODY: AllowList = {
  ...all('role', 'userState', 'fileMentions'),
  content: each(block),
  state: fields(all('stopReason')),
  usage: fields(
    all('model', 'inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'),
  ),
}

function factsIn(thread: JsonObject): Facts {
  const start = field(thread.env, 'initial')
  const [first] = items(field(start, 'trees'))
  const uri = asString(field(first, 'uri'))
  const repository = field(first, 'repository')
  const tree = uri?.startsWith('file:///') ? pathOfUri(uri) : undefined
  return factsOf({
    ...factsAt(thread, { id: 'id', title: 'title', created: 'created' }),
    cwd: asString(field(start, 'cwd')) ?? tree,
    ...gitFacts({
      branch: asString(field(repository, 'ref'))?.replace(/^refs\/heads\//, ''),
      commit: field(repository, 'sha'),
      repository: field(repository, 'url'),
    }),
    version: newestOf([asString(fieldAt(start, 'platform', 'clientVersion'))]),
  })
}

function view(body: Json): View {
  const blocks = items(field(body, 'content')).flatMap(shown)
  const usage = field(body, 'usage')
  return {
    role: speakerOf(field(body, 'role'), blocks),
    blocks,
    ...countsIn(usage, COUNTS),
    ...modelIn(field(usage, 'model')),
  }
}

/** A thought has a seal of Anthropic unless it names another provider. */
function shown(part: Json): Block[] {
  if (field(part, 'type') === 'tool_result') return [resultOf(part)]
  const provider = asString(field(part, 'provider')) ?? 'anthropic'
  const blocks = blocksOf(part)
  if (provider === 'anthropic') return blocks
  return blocks.map((one) => (one.kind === 'thinking' ? thinkingBlock(one.text) : one))
}

/** The result of a tool, or its error. */
function resultOf(part: Json): Block {
  const toolRun = field(part, 'run')
  const text = outputText(field(toolRun, 'result') ?? field(toolRun, 'error'))
  return resultBlock(field(part, 'toolUseID'), text, field(toolRun, 'status') !== 'done')
}

const COUNTS: CountNames = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadInputTokens',
  cacheWrite: 'cacheCreationInputTokens',
}

/** The threads of Amp, as it keeps them on disk: one document each, rewritten with every change. */
export const amp = defineFormat({
  name: 'amp',
  rewrittenWhole: true,
  // How often the thread was changed, and its id.
  detect: beginsAs(/^\s*\{\s*"v"\s*:\s*\d+\s*,\s*"id"\s*:\s*"T-/),
  splitter: () => jsonDocument('messages'),
  record: (name) => ({
    id: ({ messageId }) => (typeof messageId === 'number' ? `${messageId}` : undefined),
    time: ({ meta, usage }) => millis(field(meta, 'sentAt')) ?? millis(field(usage, 'timestamp')),
    carries: ({ role }) => (typeof role === 'string' ? 'message' : undefined),
    documentFacts: factsIn,
    known: factsOf({ id: THREAD.exec(name)?.[0] }),
  }),
  entries: { message: { body: BODY, view } },
  known: {
    written: '2026-08',
    types: {
      'content.type': words(
        'text image thinking redacted_thinking tool_use tool_result summary manual_bash_invocation',
      ),
    },
    fields: {
      '': words('role content meta messageId userState agentMode state usage turnElapsedMs fileMentions'),
      content: words(`
        type text thinking signature data provider complete id name input toolUseID run source sourcePath summary startTime
        finalTime
      `),
      usage: words(`
        model maxInputTokens inputTokens outputTokens cacheCreationInputTokens cacheReadInputTokens totalInputTokens
        timestamp
      `),
    },
    document: {
      fields: {
        '': words(
          'v id created title env messages agentMode nextMessageId meta ~debug mainThreadID relationships',
        ),
      },
    },
  },
})
