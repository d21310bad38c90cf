import { buildContextEntries, sessionEntryToContextMessages } from '../core/context.ts'
import { pathTo } from '../core/tree.ts'
import type { AgentMessage, AssistantMessage, SessionEntry as PiEntry } from '../core/types.ts'
import type { OmpSessionContext, OmpSessionEntry } from './types.ts'

/**
 * Returns the context of a session at an entry, by default its last one; before the first with null. Models are
 * by role; a model that was set is not overruled by one that answered; a reset hides all before it; calls that nothing
 * answered, and turns that failed, are left out.
 */
export function buildSessionContext(
  entries: OmpSessionEntry[],
  leafId?: string | null,
  byId: ReadonlyMap<string, OmpSessionEntry> = new Map(entries.map((entry) => [entry.id, entry])),
): OmpSessionContext {
  const leaf = leafId === undefined || (leafId !== null && !byId.has(leafId)) ? entries.at(-1)?.id : leafId
  const path = pathTo(byId.get(leaf ?? ''), byId)
  const shown = selected(path).flatMap((entry, i) =>
    i > 0 && entry.type === 'compaction' ? [] : messagesOf(entry),
  )
  return { messages: whole(answered(shown)), ...stateOf(path) }
}

function selected(path: OmpSessionEntry[]): OmpSessionEntry[] {
  const [reset, compaction] = ['reset_boundary', 'compaction'].map((type) =>
    path.findLastIndex((entry) => entry.type === type),
  ) as [number, number]
  if (reset > compaction) return path.slice(reset + 1)
  return buildContextEntries(path as PiEntry[]) as OmpSessionEntry[]
}

function messagesOf(entry: OmpSessionEntry): AgentMessage[] {
  const messages = sessionEntryToContextMessages(entry as PiEntry)
  if (entry.type !== 'compaction' || entry.shortSummary === undefined) return messages
  const summaries = { summary: entry.summary, shortSummary: entry.shortSummary }
  // in the order in which oh-my-pi has them
  return messages.map(({ role, ...rest }) => ({ role, ...summaries, ...rest }) as AgentMessage)
}

/**
 * Leaves out calls that nothing answers. The rest of their turn is not what its model signed: its thoughts are
 * without signatures, and hidden ones are left out.
 */
function answered(messages: readonly AgentMessage[]): AgentMessage[] {
  const ids = new Set(
    messages.flatMap((message) => (message.role === 'toolResult' ? [message.toolCallId] : [])),
  )
  return messages.flatMap((message): AgentMessage[] => {
    if (message.role !== 'assistant' || !Array.isArray(message.content)) return [message]
    const isOpen = (block: AssistantBlock): boolean => block.type === 'toolCall' && !ids.has(block.id)
    if (!message.content.some(isOpen)) return [message]
    const content = message.content.filter((block) => !isOpen(block) && !isHidden(block)).map(unsigned)
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

type AssistantBlock = AssistantMessage['content'][number]

const isHidden = ({ type }: { readonly type: string }): boolean => type === 'redactedThinking'

function unsigned(block: AssistantBlock): AssistantBlock {
  if (block.type !== 'thinking' || block.thinkingSignature === undefined) return block
  const { thinkingSignature: _, ...rest } = block
  return rest
}

/** Leaves out turns that failed, with the results after them, except where a note has the part of their thoughts that arrived. */
function whole(messages: readonly AgentMessage[]): AgentMessage[] {
  const dropped = new Set<string>()
  return messages.filter((message, i) => {
    if (message.role === 'toolResult') return !dropped.has(message.toolCallId)
    if (message.role !== 'assistant' || !hasFailed(message) || isNoted(messages[i + 1])) return true
    for (const block of message.content) if (block.type === 'toolCall') dropped.add(block.id)
    return false
  })
}

const hasFailed = ({ stopReason }: AssistantMessage): boolean =>
  stopReason === 'aborted' || stopReason === 'error'

const isNoted = (next: AgentMessage | undefined): boolean =>
  next?.role === 'custom' && next.customType === 'interrupted-thinking'

type ContextState = Omit<OmpSessionContext, 'messages'>

function stateOf(path: readonly OmpSessionEntry[]): ContextState {
  const state: ContextState = {
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
