import {
  asBlocks,
  buildContextEntries,
  buildOldSessionContext,
  buildSessionContext,
  buildSessionProjection,
  promptOf,
} from '../core/context.ts'
import { headerOf, isHeader } from '../core/migrate.ts'
import { EntryTree, treeOf } from '../core/tree.ts'
import type {
  AgentMessage,
  BashExecutionMessage,
  ContextEditEntry,
  CustomMessage,
  FileEntry,
  Message,
  SessionContext,
  SessionEntry,
  SessionHeader,
  SessionProjection,
  SessionTreeNode,
  Usage,
  UsageEntry,
  UserContent,
} from '../core/types.ts'
import type { Policy } from './policy.ts'

/**
 * The entries of a session of pi and its header. Methods that append add one entry below the leaf, which becomes the leaf.
 * The order of the keys is that of pi's lines, the names of fields are those that pi's own tests read.
 */
export abstract class SessionJournal extends EntryTree<SessionEntry> {
  protected readonly policy: Policy
  /** The header, then the entries, as they came. */
  protected fileEntries: FileEntry[] = []

  protected constructor(policy: Policy) {
    super()
    this.policy = policy
  }

  /** Reads all entries again and moves to the last one. */
  _buildIndex(): void {
    this.clear()
    for (const entry of this.fileEntries) if (!isHeader(entry)) this.note(entry)
  }

  getHeader(): SessionHeader | null {
    return headerOf(this.fileEntries) ?? null
  }

  /** Returns how many entries there are, the header not counted. */
  getEntryCount(): number {
    return this.fileEntries.reduce((count, entry) => count + (isHeader(entry) ? 0 : 1), 0)
  }

  /** Returns all entries, without the header, in a list of their own. */
  getEntries(): SessionEntry[] {
    return this.fileEntries.filter((entry): entry is SessionEntry => !isHeader(entry))
  }

  /** Returns the latest name, undefined where it was removed or never set. */
  getSessionName(): string | undefined {
    const entry = this.fileEntries.findLast(({ type }) => type === 'session_info')
    return entry?.type === 'session_info' ? entry.name?.trim() || undefined : undefined
  }

  /** Returns all entries as trees: roots in their order, children by time. */
  getTree(): SessionTreeNode[] {
    return treeOf(this.getEntries(), (id) => ({
      label: this.labelsById.get(id),
      labelTimestamp: this.labelTimestampsById.get(id),
    }))
  }

  /** Returns the entries of the active path, the latest compaction first. */
  buildContextEntries(): SessionEntry[] {
    return buildContextEntries(this.getEntries(), this.leafId, this.byId)
  }

  /** Returns the context at the leaf, with the entries that it comes from. */
  buildSessionProjection(): SessionProjection {
    return buildSessionProjection(this.getEntries(), this.leafId, this.byId)
  }

  /** Returns the context at the leaf. */
  buildSessionContext(): SessionContext {
    const build = this.policy.projects ? buildSessionContext : buildOldSessionContext
    return build(this.getEntries(), this.leafId, this.byId)
  }

  /** Writes an entry that was just added; where it throws, the entry is removed again. */
  abstract _persist(entry: SessionEntry): void

  _appendEntry(entry: SessionEntry): void {
    const { leafId } = this
    const labels = [this.labelsById, this.labelTimestampsById] as const
    const before = entry.type === 'label' ? labels.map((map) => map.get(entry.targetId)) : []
    this.fileEntries.push(entry)
    this.note(entry)
    try {
      this._persist(entry)
    } catch (error) {
      this.fileEntries.pop()
      this.byId.delete(entry.id)
      this.leafId = leafId
      if (entry.type === 'label')
        labels.forEach((map, i) => {
          const value = before[i]
          if (value === undefined) map.delete(entry.targetId)
          else map.set(entry.targetId, value)
        })
      throw error
    }
  }

  #add(entry: SessionEntry): string {
    this._appendEntry(entry)
    return entry.id
  }

  appendMessage(message: Message | CustomMessage | BashExecutionMessage): string {
    return this.#add({ type: 'message', ...this.place(), message })
  }

  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.#add({ type: 'thinking_level_change', ...this.place(), thinkingLevel })
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.#add({ type: 'model_change', ...this.place(), provider, modelId })
  }

  /** Appends usage that belongs to no message of the session, and returns the entry. */
  appendUsage(kind: string, provider: string, model: string, usage: Usage, note?: string): UsageEntry {
    const fields = { kind, provider, model, usage, ...(note !== undefined && { note }) }
    const entry: UsageEntry = { type: 'usage', ...this.place(), ...fields }
    this._appendEntry(entry)
    return entry
  }

  /** Appends a compaction that keeps the path from an entry on; nothing with null. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers may name it, as there
  appendCompaction<T = unknown>(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: T,
    fromHook?: boolean,
    usage?: Usage,
  ): string {
    const place = this.place()
    const { projects } = this.policy
    const fields = {
      summary,
      firstKeptEntryId: projects ? (firstKeptEntryId ?? place.id) : (firstKeptEntryId as string),
      tokensBefore,
      details,
    }
    const systemMessage = projects ? promptOf(this.buildSessionContext().messages) : undefined
    const more = projects ? { usage, fromHook, ...(systemMessage && { systemMessage }) } : { fromHook }
    return this.#add({ type: 'compaction', ...place, ...fields, ...more })
  }

  /** Appends the state of an extension, which no model sees. */
  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#add({ type: 'custom', customType, data, ...this.place() })
  }

  /** Names the session; an empty name removes the name. */
  appendSessionInfo(name: string): string {
    const oneLine = this.policy.checks ? name.replaceAll(/[\r\n]+/g, ' ') : name
    return this.#add({ type: 'session_info', ...this.place(), name: oneLine.trim() })
  }

  /** Appends a message of an extension to the model. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers may name it, as there
  appendCustomMessageEntry<T = unknown>(
    customType: string,
    content: UserContent,
    display: boolean,
    details?: T,
  ): string {
    return this.#add({ type: 'custom_message', customType, content, display, details, ...this.place() })
  }

  /** Appends a replacement for an entry of the active path in the context; null hides the entry. */
  appendContextEdit(targetId: string, replacement: ContextEditEntry['replacement']): string {
    const target = this.existing(targetId)
    if (!this.getBranch().includes(target)) throw new Error(`Entry ${targetId} is not on the active branch`)
    const role = editableRole(target)
    if (role === undefined) throw new Error(`Entry ${targetId} does not contribute editable model content`)
    const blocks = role === 'assistant' || role === 'toolResult'
    const written =
      replacement && blocks && typeof replacement.content === 'string'
        ? { content: asBlocks(replacement.content) as AgentBlocks }
        : replacement
    return this.#add({ type: 'context_edit', ...this.place(), targetId, replacement: written })
  }

  /** Sets a label on an entry; undefined or an empty one removes it. */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.existing(targetId)
    return this.#add({ type: 'label', ...this.place(), targetId, label })
  }

  /** Moves the leaf to an earlier entry, or with null to before the first, and appends a summary of the path that was left. */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string {
    const { leafId: left } = this
    const parentId = branchFromId === null ? null : this.existing(branchFromId).id
    const { fromOldLeaf, projects } = this.policy
    const fromId = (fromOldLeaf ? left : parentId) ?? 'root'
    const more = projects ? { usage, fromHook } : { fromHook }
    this.leafId = parentId
    try {
      return this.#add({ type: 'branch_summary', ...this.place(), fromId, summary, details, ...more })
    } catch (error) {
      this.leafId = left
      throw error
    }
  }
}

type AgentBlocks = Extract<AgentMessage, { role: 'toolResult' }>['content']

const EDITABLE: ReadonlySet<string> = new Set(['user', 'assistant', 'toolResult'])

/** Returns the role of what an edit may replace, undefined for all else. */
function editableRole(entry: SessionEntry): string | undefined {
  if (entry.type === 'custom_message') return 'custom'
  return entry.type === 'message' && EDITABLE.has(entry.message?.role) ? entry.message.role : undefined
}
