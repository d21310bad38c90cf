import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import { NewestVersion } from '../model/version.ts'
import { type Block, OPAQUE, type Setting, type View } from '../model/view.ts'
import {
  all,
  bodyOf,
  defineFormat,
  type EntryDeclaration,
  type EntryDeclarations,
  each,
  fields,
} from './core/define.ts'
import { PlaceHistory } from './core/facthistory.ts'
import type { Facts, FormatReader, Reading, RecordIndex } from './core/format.ts'
import { words } from './core/known.ts'
import type { Sample } from './core/sample.ts'
import { isNoTranscript } from './core/sidecar.ts'
import type { Unit } from './core/splitter.ts'
import { isUuid } from './core/uuid.ts'
import { factsAt, factsOf, fieldAt, millis } from './core/values.ts'
import {
  blocksOf,
  callBlock,
  compactionView,
  modelIn,
  outputText,
  parsedArguments,
  resultBlock,
  thinkingBlock,
} from './core/views.ts'

const dataOf = (event: JsonObject): JsonObject => (isObject(event.data) ? event.data : {})

/** Returns the model that an event sets and how much it thinks; undefined if it names no model. */
function settingIn(data: Json): Setting | undefined {
  const model =
    asString(field(data, 'newModel')) ??
    asString(field(data, 'chosenModel')) ??
    asString(field(data, 'selectedModel'))
  if (model === undefined) return undefined
  const thinking = asString(field(data, 'reasoningEffort'))
  return { model: { id: model }, ...(thinking !== undefined && { thinking }) }
}

function settingView(body: Json): View {
  const sets = settingIn(body)
  return sets ? { ...OPAQUE, sets } : OPAQUE
}

const texts = (value: Json | undefined): Block[] => blocksOf(asString(value))

/** The user's text and the attached images. */
const userView = (body: Json): View => ({
  role: 'user',
  blocks: [
    ...texts(field(body, 'content') ?? field(body, 'transformedContent')),
    ...imagesIn(field(body, 'attachments')),
  ],
})

/** The parts of a list that hold an image themselves: Copilot calls one that is attached a blob. */
const imagesIn = (parts: Json | undefined): Block[] =>
  items(parts)
    .filter((part) => asString(field(part, 'mimeType'))?.startsWith('image/') && field(part, 'data'))
    .flatMap((source) => blocksOf({ type: 'image', source }))

/** Each part of a message repeats its output tokens; input tokens are known for the session alone. */
function assistantView(body: Json): View {
  const thought = field(body, 'reasoningText')
  const [output, call] = [field(body, 'outputTokens'), asString(field(body, 'messageId'))]
  return {
    role: 'assistant',
    blocks: [
      ...(thought ? [thinkingBlock(thought)] : []),
      ...texts(field(body, 'content')),
      ...items(field(body, 'toolRequests')).map((request) =>
        callBlock(
          field(request, 'toolCallId'),
          field(request, 'name'),
          parsedArguments(field(request, 'arguments') ?? {}),
        ),
      ),
    ],
    ...(typeof output === 'number' && { usage: { output, ...(call !== undefined && { call }) } }),
    ...modelIn(field(body, 'model')),
  }
}

function resultView(body: Json): View {
  const result = field(body, 'result')
  const output = field(result, 'content') ?? fieldAt(body, 'error', 'message') ?? ''
  const block = resultBlock(field(body, 'toolCallId'), outputText(output), field(body, 'success') === false)
  return { role: 'tool', blocks: [block, ...imagesIn(field(result, 'contents'))] }
}

const SETTING: EntryDeclaration = {
  body: all('selectedModel', 'newModel', 'chosenModel', 'reasoningEffort'),
  view: settingView,
}

/** The events that may carry an entry. */
const ENTRIES: EntryDeclarations = {
  'session.start': SETTING,
  'session.resume': SETTING,
  'session.model_change': SETTING,
  'session.auto_mode_resolved': SETTING,
  'session.compaction_complete': {
    body: all('success', 'summaryContent'),
    view: (body) => compactionView(field(body, 'summaryContent')),
  },
  'system.message': {
    body: all('role', 'content'),
    view: (body) => ({ role: 'system', blocks: texts(field(body, 'content')) }),
  },
  'user.message': {
    body: all('content', 'transformedContent', 'attachments', 'source'),
    view: userView,
  },
  'assistant.message': {
    body: {
      ...all('messageId', 'model', 'content', 'phase', 'outputTokens'),
      ...all('reasoningText', 'reasoningOpaque', 'encryptedContent'),
      toolRequests: each(fields(all('toolCallId', 'name', 'arguments', 'type'))),
    },
    view: assistantView,
  },
  'tool.execution_complete': {
    body: {
      ...all('toolCallId', 'success'),
      result: fields(all('content', 'contents')),
      error: fields(all('message', 'code')),
    },
    view: resultView,
  },
}

/** One chain of entries: the main one, or that of a sub-agent. */
interface Thread {
  last: RecordIndex | null
  setting: string
  system: string
}

/**
 * Reads the events of one session of Copilot CLI. Order is identity: every event names the one before it as its
 * parent, hooks and progress included. A message of a sub-agent names the call that started it; each sub-agent has a
 * chain of its own.
 */
class CopilotReader implements FormatReader {
  private readonly main: Thread = newThread()
  private readonly agents = new Map<string, Thread>()
  /** The messages that hold the calls. */
  private readonly calls = new Map<string, RecordIndex>()
  private start: JsonObject | undefined
  private readonly place = new PlaceHistory()
  private created: number | undefined
  private readonly version = new NewestVersion()
  private next: RecordIndex = 0

  read({ value }: Unit): Reading {
    const handle = this.next++
    if (!isObject(value)) return {}
    const [time, native] = [millis(value.timestamp), asString(value.id)]
    const kind = asString(value.type) ?? ''
    const data = dataOf(value)
    this.created ??= time
    if (kind === 'session.start') this.start ??= data
    if (kind === 'session.start' || kind === 'session.resume') this.#addPlace(data.context)
    else if (kind === 'session.context_changed') this.#addPlace(data)
    this.version.add(data.copilotVersion)
    const envelope = { time, native }
    const thread = this.#threadOf(value, data)
    if (!isNews(kind, data, thread)) return envelope
    const parent = thread.last
    thread.last = handle
    for (const call of items(data.toolRequests))
      this.calls.set(asString(field(call, 'toolCallId')) ?? '', handle)
    return {
      ...envelope,
      entry: { type: `copilot/${kind}`, body: bodyOf(ENTRIES, kind, data), bodyPath: ['data'], parent },
    }
  }

  active(): RecordIndex | null {
    return this.main.last
  }

  facts(): Facts {
    const start = factsAt(this.start, { id: 'sessionId', created: 'startTime' })
    return {
      ...this.place.facts(),
      ...factsOf({ created: this.created, ...start, version: this.version.newest }),
      ...(this.agents.size > 0 && this.#namedAgents()),
    }
  }

  /** Adds the context of the session from now on: its folder and the state of its repository. */
  #addPlace(context: Json | undefined): void {
    const [cwd, branch, commit, repository] = ['cwd', 'branch', 'headCommit', 'repository'].map((key) =>
      field(context, key),
    )
    this.place.folders.add(cwd)
    this.place.git.add({ branch, commit, repository })
  }

  /** A sub-agent has no session of its own: it is a branch named by its call. */
  #namedAgents(): Pick<Facts, 'subagents' | 'branches'> {
    const [agents, branches] = [new Map<string, RecordIndex>(), new Map<string, RecordIndex>()]
    for (const [call, { last }] of this.agents) {
      const caller = this.calls.get(call)
      if (caller !== undefined) agents.set(`agent-${call}`, caller)
      if (last !== null) branches.set(`agent-${call}`, last)
    }
    return { subagents: agents, branches }
  }

  #threadOf({ agentId }: JsonObject, { parentToolCallId }: JsonObject): Thread {
    const agent = asString(parentToolCallId) ?? asString(agentId)
    if (agent === undefined) return this.main
    const known = this.agents.get(agent) ?? newThread()
    this.agents.set(agent, known)
    return known
  }
}

const newThread = (): Thread => ({ last: null, setting: '', system: '' })

/** Returns whether an event changes anything: settings and system prompts are repeated. */
function isNews(kind: string, data: JsonObject, thread: Thread): boolean {
  if (!Object.hasOwn(ENTRIES, kind)) return false
  if (ENTRIES[kind] === SETTING) {
    const setting = settingIn(data)
    const key = setting ? JSON.stringify(setting) : thread.setting
    const isNew = key !== thread.setting
    thread.setting = key
    return isNew
  }
  if (kind === 'system.message') {
    const prompt = asString(data.content) ?? ''
    const isNew = prompt !== thread.system
    thread.system = prompt
    return isNew
  }
  return kind !== 'session.compaction_complete' || typeof data.summaryContent === 'string'
}

/** A database is written to all the time. */
const DATABASE = /\.(?:db|sqlite3?)(?:-\w+)?$/

/** Every event has all five fields, and names the one before. */
const isEvent = (value: Json): boolean =>
  isObject(value) &&
  typeof value.type === 'string' &&
  Object.hasOwn(ENTRIES, value.type) &&
  isObject(value.data) &&
  typeof value.id === 'string' &&
  value.parentId !== undefined

/** The sessions of GitHub Copilot CLI: the events of a session, one after the other. */
export const copilot = defineFormat({
  name: 'copilot-cli',
  dialect: 'copilot',
  detect: ({ lines: events }: Sample) => events.some(isEvent),
  reader: () => new CopilotReader(),
  sidecars: {
    folder: (name, folder) => (name === 'events.jsonl' && isUuid(folder) ? '' : undefined),
    own: true,
    holds: (path) => isNoTranscript(path) && !DATABASE.test(path),
  },
  at: ['data'],
  entries: ENTRIES,
  known: {
    written: '1.0.77',
    types: {
      type: words(`
        session.start session.resume session.shutdown session.model_change session.auto_mode_resolved session.info
        session.warning session.error session.truncation session.compaction_start session.compaction_complete
        session.usage_checkpoint session.permissions_changed session.mode_changed session.plan_changed
        session.title_changed session.context_changed session.task_complete session.handoff session.snapshot_rewind
        session.workspace_file_changed session.import_legacy session.idle session.background_tasks_changed
        system.message system.notification user.message abort
        assistant.turn_start assistant.turn_end assistant.message assistant.reasoning assistant.intent assistant.usage
        tool.user_requested tool.execution_start tool.execution_progress tool.execution_partial_result
        tool.execution_complete hook.start hook.end permission.requested permission.completed skill.invoked
        subagent.selected subagent.deselected subagent.started subagent.completed subagent.failed
        user_input.requested user_input.completed elicitation.requested elicitation.completed
        external_tool.requested external_tool.completed exit_plan_mode.requested exit_plan_mode.completed
        command.queued command.execute command.completed
      `),
    },
    fields: {
      '': words('type id parentId timestamp data ephemeral agentId'),
      data: words(`
        sessionId version producer copilotVersion startTime context selectedModel newModel previousModel chosenModel
        candidateModels availableModels currentModel reasoningEffort previousReasoningEffort reasoningBucket contextTier
        categoryScores predictedLabel confidence routingMethod stickyOverride fallback hasImage routerLatencyMs
        endToEndLatencyMs chosenShortfall alreadyInUse remoteSteerable resumeTime eventCount eventsFileSizeBytes
        infoType errorType statusCode providerCallId serviceRequestId stack message url reason performedBy
        role content transformedContent attachments source agentMode interactionId delivery parentAgentTaskId
        supportedNativeDocumentMimeTypes
        messageId model phase apiCallId clientRequestId requestId outputTokens inputTokens cacheReadTokens cacheWriteTokens
        toolRequests reasoningText reasoningOpaque reasoningId encryptedContent chunkIndex chunkCount rte turnId intent
        toolCallId parentToolCallId toolName toolTitle arguments success result error output toolTelemetry shellToolInfo
        isUserRequested mcpServerName mcpToolName progressMessage partialOutput
        hookInvocationId hookType input kind
        agentName agentDisplayName agentDescription totalToolCalls totalTokens durationMs tools
        shutdownType totalPremiumRequests totalNanoAiu totalApiDurationMs sessionStartTime codeChanges modelMetrics
        modelCacheState promptCacheBreakState tokenDetails currentTokens systemTokens conversationTokens
        toolDefinitionsTokens tokenLimit droppedTokens
        preTruncationTokensInMessages preTruncationMessagesLength postTruncationTokensInMessages
        postTruncationMessagesLength tokensRemovedDuringTruncation messagesRemovedDuringTruncation
        preCompactionTokens preCompactionMessagesLength postCompactionTokens compactionTokensUsed messagesRemoved
        tokensRemoved summaryContent checkpointNumber checkpointPath
        title path operation name previousMode newMode permissionRequest allowedTools upToEventId eventsRemoved
      `),
    },
  },
})
