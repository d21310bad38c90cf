import { defined } from '../../model/json.ts'
import { EntryTree, treeOf } from '../core/tree.ts'
import type { AgentMessage, SessionEntryBase, UserContent } from '../core/types.ts'
import { buildSessionContext } from './context.ts'
import type {
  ModelUsage,
  OmpCompactionEntry,
  OmpSessionContext,
  OmpSessionEntry,
  OmpSessionHeader,
  OmpSessionTreeNode,
  ServiceTier,
  SessionInit,
  TitleSource,
} from './types.ts'

/** An entry without its place. A field that is undefined is left out. */
type OmpEntryFields<T = OmpSessionEntry> = T extends OmpSessionEntry
  ? { [K in keyof Omit<T, Exclude<keyof SessionEntryBase, 'type'>>]: T[K] | undefined }
  : never

/**
 * The entries of a session of oh-my-pi and its header. Methods that append add one entry below the leaf, which becomes the
 * leaf, and return its id.
 */
export abstract class OmpJournal extends EntryTree<OmpSessionEntry> {
  protected header: OmpSessionHeader
  protected entries: OmpSessionEntry[] = []

  protected constructor(header: OmpSessionHeader) {
    super()
    this.header = header
  }

  /** Replaces all entries; the last one becomes the leaf. */
  protected hold(header: OmpSessionHeader, entries: readonly OmpSessionEntry[]): void {
    this.header = header
    this.entries = []
    this.clear()
    for (const entry of entries) this.note(entry)
  }

  protected override note(entry: OmpSessionEntry): void {
    super.note(entry)
    this.entries.push(entry)
    if (entry.type !== 'title_change') return
    const { title, source: titleSource } = entry
    this.header = { ...this.header, title, titleSource }
  }

  getHeader(): OmpSessionHeader {
    return { ...this.header }
  }

  getCwd(): string {
    return this.header.cwd
  }

  /** Returns the folder that the header names. */
  getRecordedCwd(): string | undefined {
    return this.header.cwd
  }

  /** Returns the names of the rules that were injected on the path to the leaf. */
  getInjectedTtsrRules(): string[] {
    const rules = this.getBranch().flatMap((one) => (one.type === 'ttsr_injection' ? one.injectedRules : []))
    return [...new Set(rules)]
  }

  /** Returns the role of the last model that was set on the path to the leaf; undefined if there is none. */
  getLastModelChangeRole(): string | undefined {
    const last = this.getBranch().findLast((one) => one.type === 'model_change')
    return last && (last.role ?? 'default')
  }

  getSessionId(): string {
    return this.header.id
  }

  getSessionName(): string | undefined {
    return this.header.title || undefined
  }

  getEntries(): OmpSessionEntry[] {
    return [...this.entries]
  }

  override getChildren(parentId: string): OmpSessionEntry[] {
    return this.entries.filter((entry) => entry.parentId === parentId)
  }

  /** Returns all entries as trees: entries with missing parents are roots, children are sorted by time. */
  getTree(): OmpSessionTreeNode[] {
    return treeOf(this.entries, (id) => defined({ label: this.labelsById.get(id) })) as OmpSessionTreeNode[]
  }

  /** Returns what the model sees at the leaf, and the settings there. */
  buildSessionContext(): OmpSessionContext {
    return buildSessionContext(this.entries, this.leafId, this.byId)
  }

  /** Writes an entry before it is added; where it throws, the entry is not added. */
  protected abstract persist(entry: OmpSessionEntry): void

  appendMessage(message: AgentMessage): string {
    return this.append({ type: 'message', message })
  }

  /** Appends a message below an entry; the leaf does not move. */
  appendMessageToBranch(message: AgentMessage, parentId: string | null): string {
    const { leafId } = this
    if (parentId !== null) this.existing(parentId)
    const id = this.append({ type: 'message', message }, parentId)
    this.leafId = leafId
    return id
  }

  /** Appends what a model call took below an entry; the leaf moves only if it is that entry. Undefined for another session. */
  appendModelUsage(
    usage: ModelUsage,
    { sessionId, parentId }: { sessionId: string; parentId: string | null },
  ): string | undefined {
    if (sessionId !== this.getSessionId()) return undefined
    if (parentId !== null && !this.getEntry(parentId)) return undefined
    const { leafId } = this
    const id = this.append({ ...usage, type: 'model_usage' }, parentId)
    if (leafId !== parentId) this.leafId = leafId
    return id
  }

  appendThinkingLevelChange(thinkingLevel?: string | null, configured?: string | null): string {
    return this.append({ type: 'thinking_level_change', thinkingLevel, configured })
  }

  /** Sets the model of a role, by default of `default`, as `provider/id`. */
  appendModelChange(model: string, role?: string, resolvedModelIsFallback?: boolean): string {
    return this.append({ type: 'model_change', model, role, resolvedModelIsFallback })
  }

  appendServiceTierChange(serviceTier: ServiceTier): string {
    return this.append({ type: 'service_tier_change', serviceTier })
  }

  appendModeChange(mode: string, data?: Record<string, unknown>): string {
    return this.append({ type: 'mode_change', mode, data })
  }

  appendCompaction(
    summary: string,
    shortSummary: string | undefined,
    firstKeptEntryId: string,
    tokensBefore: number,
    more: Partial<Omit<OmpCompactionEntry, keyof SessionEntryBase | 'summary' | 'firstKeptEntryId'>> = {},
  ): string {
    return this.append({ type: 'compaction', summary, shortSummary, firstKeptEntryId, tokensBefore, ...more })
  }

  appendCustomEntry(customType: string, data?: unknown): string {
    return this.append({ type: 'custom', customType, data })
  }

  appendCustomMessageEntry(
    customType: string,
    content: UserContent,
    display: boolean,
    details?: unknown,
    attribution = 'agent',
    timestamp?: number,
  ): string {
    const at = timestamp === undefined ? {} : { timestamp: new Date(timestamp).toISOString() }
    return this.append({ type: 'custom_message', customType, content, display, details, attribution, ...at })
  }

  appendSessionInit(init: SessionInit): string {
    return this.append({ ...init, type: 'session_init' })
  }

  appendTtsrInjection(injectedRules: string[]): string {
    return this.append({ type: 'ttsr_injection', injectedRules })
  }

  /** Hides everything before it from the model. */
  appendResetBoundary(): string {
    return this.append({ type: 'reset_boundary' })
  }

  /** Sets a label on an entry; undefined or an empty one removes it. */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.existing(targetId)
    return this.append({ type: 'label', targetId, label })
  }

  /** Names the session before it returns; `auto` does not change a name that the user gave. Resolves to whether it was set. */
  // oxlint-disable-next-line typescript/require-await -- asynchronous as there
  async setSessionName(name: string, source: TitleSource = 'user', trigger?: string): Promise<boolean> {
    const { title: previousTitle, titleSource } = this.header
    if (source === 'auto' && titleSource === 'user') return false
    const title = name.replaceAll(/[\r\n]+/g, ' ').trim()
    this.append({ type: 'title_change', title, previousTitle, source, trigger })
    return true
  }

  /** Moves the leaf to an earlier entry, or with null to before the first, and appends a summary of the path that was left. */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromExtension?: boolean,
  ): string {
    const parentId = branchFromId === null ? null : this.existing(branchFromId).id
    const fromId = parentId ?? 'root'
    return this.append({ type: 'branch_summary', fromId, summary, details, fromExtension }, parentId)
  }

  protected append({ type, ...fields }: OmpEntryFields, parentId: string | null = this.leafId): string {
    const entry = { type, ...this.place(parentId), ...defined(fields) } as OmpSessionEntry
    this.persist(entry)
    this.note(entry)
    return entry.id
  }
}
