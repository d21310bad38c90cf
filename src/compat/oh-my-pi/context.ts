import { buildContextEntries, pathTo, sessionEntryToContextMessages } from '../pi/context.ts'
import type { AgentMessage, AssistantMessage } from '../pi/message.ts'
import type { SessionEntry as PiEntry } from '../pi/types.ts'
import type { SessionContext, SessionEntry } from './types.ts'

/** Gives the path from a root to an entry; none where it is not there. */
export const pathOf = (id: string | null, byId: ReadonlyMap<string, SessionEntry>): SessionEntry[] =>
  // what pi's code looks at is the same in both
  pathTo(byId.get(id ?? '') as PiEntry | undefined, byId as never) as unknown as SessionEntry[]

/**
 * Gives what the model sees where a session stands: at its last entry unless said, before the first with null. Models are
 * by role; a model that was set is not overruled by one that answered; a reset hides all before it; calls that nothing
 * answered, and turns that failed, are left out.
 */
export function buildSessionContext(
  entries: SessionEntry[],
  leafId?: string | null,
  byId: ReadonlyMap<string, SessionEntry> = new Map(entries.map((entry) => [entry.id, entry])),
): SessionContext {
  const leaf = leafId === undefined || (leafId !== null && !byId.has(leafId)) ? entries.at(-1)?.id : leafId
  const path = pathOf(leaf ?? null, byId)
  const shown = selected(path).flatMap((entry, i) =>
    i > 0 && entry.type === 'compaction' ? [] : messagesOf(entry),
  )
  return { messages: paired(shown), ...stateOf(path) }
}

function selected(path: SessionEntry[]): SessionEntry[] {
  const [reset, compaction] = ['reset_boundary', 'compaction'].map((type) =>
    path.findLastIndex((entry) => entry.type === type),
  ) as [number, number]
  if (reset > compaction) return path.slice(reset + 1)
  return buildContextEntries(path as PiEntry[]) as unknown as SessionEntry[]
}

function messagesOf(entry: SessionEntry): AgentMessage[] {
  const messages = sessionEntryToContextMessages(entry as PiEntry)
  if (entry.type !== 'compaction' || entry.shortSummary === undefined) return messages
  return messages.map((message) => ({ ...message, shortSummary: entry.shortSummary }))
}

/** Leaves out turns that failed with their results, and calls and results that have no partner. */
function paired(messages: readonly AgentMessage[]): AgentMessage[] {
  const left = messages.filter((message) => !hasFailed(message))
  const answered = new Set(
    left.flatMap((message) => (message.role === 'toolResult' ? [message.toolCallId] : [])),
  )
  const called = new Set<string>()
  return left.flatMap((message): AgentMessage[] => {
    if (message.role === 'toolResult') return called.has(message.toolCallId) ? [message] : []
    if (message.role !== 'assistant' || !Array.isArray(message.content)) return [message]
    const content = message.content.filter((block) => block.type !== 'toolCall' || answered.has(block.id))
    for (const block of content) if (block.type === 'toolCall') called.add(block.id)
    if (content.length === message.content.length) return [message]
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

const hasFailed = (message: AgentMessage): boolean =>
  message.role === 'assistant' && (message.stopReason === 'aborted' || message.stopReason === 'error')

type State = Omit<SessionContext, 'messages'>

function stateOf(path: readonly SessionEntry[]): State {
  const state: State = {
    thinkingLevel: 'off',
    serviceTier: null,
    models: {},
    injectedTtsrRules: [],
    mode: 'none',
  }
  let isExplicit = false
  for (const entry of path) {
    if (entry.type === 'thinking_level_change') state.thinkingLevel = entry.thinkingLevel ?? 'off'
    if (entry.type === 'service_tier_change') state.serviceTier = entry.serviceTier
    if (entry.type === 'ttsr_injection')
      state.injectedTtsrRules = [...new Set([...state.injectedTtsrRules, ...entry.injectedRules])]
    if (entry.type === 'model_change') {
      const { role = 'default', model } = entry
      state.models[role] = model
      isExplicit ||= role === 'default'
    }
    if (entry.type === 'mode_change') {
      state.mode = entry.mode
      if (entry.data === undefined) delete state.modeData
      else state.modeData = entry.data
    }
    if (entry.type === 'message' && entry.message.role === 'assistant' && !isExplicit)
      state.models.default = answeredBy(entry.message)
  }
  return state
}

const answeredBy = ({ provider, model }: AssistantMessage): string => `${provider}/${model}`
