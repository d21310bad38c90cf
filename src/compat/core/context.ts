import { pathTo } from './tree.ts'
import type {
  AgentMessage,
  CompactionEntry,
  ContextEditEntry,
  SessionContext,
  SessionEntry,
  SessionProjection,
  SystemMessage,
  TextContent,
  Tool,
} from './types.ts'

/** Entries by their ids. */
export type EntriesById = ReadonlyMap<string, SessionEntry>

/** Returns the last compaction of a list, or null. */
export function getLatestCompactionEntry(entries: SessionEntry[]): CompactionEntry | null {
  return entries.findLast(isCompaction) ?? null
}

const isCompaction = (entry: SessionEntry): entry is CompactionEntry => entry.type === 'compaction'

/** Returns the entries by their ids; of an id that is taken twice, the last. */
const indexOf = (entries: readonly SessionEntry[]): EntriesById =>
  new Map(entries.map((entry) => [entry.id, entry]))

/** Returns the path to a leaf: to the last entry where none is named, or one that is not there; none for null. */
function pathOf(
  entries: readonly SessionEntry[],
  leafId: string | null | undefined,
  byId: EntriesById,
): SessionEntry[] {
  if (leafId === null) return []
  return pathTo((leafId ? byId.get(leafId) : undefined) ?? entries.at(-1), byId)
}

/**
 * Returns the entries of a path that contribute to the context, and those between them: the latest compaction,
 * what it keeps, what followed. System messages before it are not kept.
 */
function selected(path: readonly SessionEntry[], projects: boolean): SessionEntry[] {
  const at = path.findLastIndex(isCompaction)
  const compaction = path[at]
  if (!compaction || !isCompaction(compaction)) return [...path]
  const { firstKeptEntryId } = compaction
  const from = path.findIndex(({ id }, i) => i >= at || id === firstKeptEntryId)
  const kept = path.slice(from, at)
  return [
    compaction,
    ...(projects
      ? kept.filter((entry) => entry.type !== 'message' || entry.message?.role !== 'system')
      : kept),
    ...path.slice(at + 1),
  ]
}

/** Returns the entries of the active path, compaction-aware: the latest compaction first, then what it keeps. */
export function buildContextEntries(
  entries: SessionEntry[],
  leafId?: string | null,
  byId: EntriesById = indexOf(entries),
): SessionEntry[] {
  return selected(pathOf(entries, leafId, byId), true)
}

const millis = (timestamp: string): number => new Date(timestamp).getTime()

/** Returns the messages of one entry. */
export function sessionEntryToContextMessages(entry: SessionEntry): AgentMessage[] {
  return messagesOf(entry, true)
}

function messagesOf(entry: SessionEntry, projects: boolean): AgentMessage[] {
  switch (entry.type) {
    case 'message':
      // a message entry without a message contributes nothing
      if (!entry.message) return []
      return [projects ? withContent(entry.message) : entry.message]
    case 'custom_message': {
      const { customType, content, display, details, timestamp } = entry
      return [
        {
          role: 'custom',
          customType,
          content: projects ? (content ?? []) : content,
          display,
          details,
          timestamp: millis(timestamp),
        },
      ]
    }
    case 'branch_summary': {
      const { summary, fromId, timestamp } = entry
      return summary ? [{ role: 'branchSummary', summary, fromId, timestamp: millis(timestamp) }] : []
    }
    case 'compaction': {
      const { summary, tokensBefore, timestamp, systemMessage } = entry
      const message = {
        role: 'compactionSummary',
        summary,
        tokensBefore,
        timestamp: millis(timestamp),
      } as const
      return systemMessage && projects ? [systemMessage, message] : [message]
    }
    default:
      return []
  }
}

/** The roles whose content is a list of blocks, or may be. */
const LISTS: ReadonlySet<string> = new Set(['user', 'assistant', 'toolResult'])

/** Returns a message that has content, if only an empty one: itself where it has. */
function withContent(message: AgentMessage): AgentMessage {
  const content: unknown = 'content' in message ? message.content : undefined
  if (content !== undefined && content !== null) return message
  if (LISTS.has(message.role)) return { ...message, content: [] } as AgentMessage
  return message.role === 'system' ? { ...message, content: '' } : message
}

/** Returns the messages of one entry as the latest edit of it leaves them. */
export function projectContextEntry(entry: SessionEntry, edit: ContextEditEntry | undefined): AgentMessage[] {
  const messages = sessionEntryToContextMessages(entry)
  if (!edit) return messages
  if (edit.replacement === null) return []
  const { content } = edit.replacement
  return messages.map((message) => edited(message, content))
}

function edited(message: AgentMessage, content: unknown): AgentMessage {
  if (!LISTS.has(message.role) && message.role !== 'custom') return message
  const blocks = message.role === 'assistant' || message.role === 'toolResult' ? asBlocks(content) : content
  return { ...message, content: blocks } as AgentMessage
}

/** Returns a bare text as the block that it is. */
export const asBlocks = (content: unknown): unknown =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

/** Returns what the model sees of the path to a leaf, with the entries that it comes from. */
export function buildSessionProjection(
  entries: SessionEntry[],
  leafId?: string | null,
  byId: EntriesById = indexOf(entries),
): SessionProjection {
  const path = pathOf(entries, leafId, byId)
  const chosen = selected(path, true)
  const edits = new Map(
    chosen.flatMap((entry) => (entry.type === 'context_edit' ? [[entry.targetId, entry] as const] : [])),
  )
  const projected = chosen.map((sourceEntry, i) => ({
    sourceEntry,
    // an older compaction in the kept part contributes nothing
    messages:
      i > 0 && isCompaction(sourceEntry) ? [] : projectContextEntry(sourceEntry, edits.get(sourceEntry.id)),
  }))
  const messages = projected.flatMap((entry) => entry.messages)
  return { entries: projected, messages, ...settingsOf(path) }
}

/** Returns the context of the path to a leaf, as pi 1.5 does. */
export function buildSessionContext(
  entries: SessionEntry[],
  leafId?: string | null,
  byId?: EntriesById,
): SessionContext {
  const { messages, thinkingLevel, model } = buildSessionProjection(entries, leafId, byId)
  return { messages, thinkingLevel, model }
}

/** Returns the context of the path to a leaf, as pi 0.73 does. */
export function buildOldSessionContext(
  entries: SessionEntry[],
  leafId?: string | null,
  byId: EntriesById = indexOf(entries),
): SessionContext {
  const path = pathOf(entries, leafId, byId)
  const messages = selected(path, false).flatMap((entry, i) =>
    i > 0 && isCompaction(entry) ? [] : messagesOf(entry, false),
  )
  return { messages, ...settingsOf(path) }
}

/** Returns the model and the thinking level that hold at the end of a path, whatever was compacted since. */
function settingsOf(path: readonly SessionEntry[]): Pick<SessionContext, 'thinkingLevel' | 'model'> {
  let thinkingLevel = 'off'
  let model: SessionContext['model'] = null
  for (const entry of path) {
    if (entry.type === 'thinking_level_change') ({ thinkingLevel } = entry)
    else if (entry.type === 'model_change') model = { provider: entry.provider, modelId: entry.modelId }
    else if (entry.type === 'message' && entry.message?.role === 'assistant')
      model = { provider: entry.message.provider, modelId: entry.message.model }
  }
  return { thinkingLevel, model }
}

/**
 * Joins the system messages of a context into one: the texts one after the other,
 * the sections and the tools in their last state. Undefined where there is none.
 */
export function promptOf(
  messages: readonly AgentMessage[],
  now: () => number = Date.now,
): SystemMessage | undefined {
  const prompts = messages.filter((message): message is SystemMessage => message.role === 'system')
  if (prompts.length === 0) return undefined
  const sections = new Map<string, string>()
  const tools = new Map<string, Tool>()
  for (const message of prompts) {
    for (const [name, text] of Object.entries(message.sections ?? {}))
      if (text === null) sections.delete(name)
      else sections.set(name, text)
    for (const { name } of message.toolsRemoved ?? []) tools.delete(name)
    for (const tool of message.toolsAdded ?? []) tools.set(tool.name, tool)
  }
  const texts = prompts.map(({ content }) => systemText(content)).filter((text) => text !== '')
  return {
    role: 'system',
    content: texts.join('\n\n'),
    ...(sections.size > 0 && { sections: Object.fromEntries(sections) }),
    ...(tools.size > 0 && { toolsAdded: [...tools.values()] }),
    timestamp: now(),
  }
}

const systemText = (content: string | readonly TextContent[] | null): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n')
