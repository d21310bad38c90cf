import {
  buildContextEntries,
  buildOldSessionContext,
  buildSessionContext,
  buildSessionProjection,
  pathTo,
} from './context.ts'
import { headerOf, isHeader } from './migrate.ts'
import type { Policy } from './policy.ts'
import { treeOf } from './tree.ts'
import type {
  FileEntry,
  SessionContext,
  SessionEntry,
  SessionHeader,
  SessionProjection,
  SessionTreeNode,
} from './types.ts'

/** What a session of pi holds and where it stands, read only. Names of fields are those that pi's own tests look at. */
export class SessionHistory {
  protected readonly policy: Policy
  /** The header, then the entries, as they came. */
  protected fileEntries: FileEntry[] = []
  protected byId = new Map<string, SessionEntry>()
  protected labelsById = new Map<string, string>()
  protected labelTimestampsById = new Map<string, string>()
  protected leafId: string | null = null

  protected constructor(policy: Policy) {
    this.policy = policy
  }

  /** Looks at all entries anew; stands on the last one. */
  _buildIndex(): void {
    this.byId = new Map()
    this.labelsById = new Map()
    this.labelTimestampsById = new Map()
    this.leafId = null
    for (const entry of this.fileEntries) if (!isHeader(entry)) this.note(entry)
  }

  /** Takes an entry in, and stands on it. */
  protected note(entry: SessionEntry): void {
    this.byId.set(entry.id, entry)
    this.leafId = entry.id
    if (entry.type !== 'label') return
    const { targetId, label, timestamp } = entry
    if (label) {
      this.labelsById.set(targetId, label)
      this.labelTimestampsById.set(targetId, timestamp)
    } else {
      this.labelsById.delete(targetId)
      this.labelTimestampsById.delete(targetId)
    }
  }

  /** Gives the header. */
  getHeader(): SessionHeader | null {
    return headerOf(this.fileEntries) ?? null
  }

  /** Gives how many entries there are, the header not counted. */
  getEntryCount(): number {
    return this.fileEntries.reduce((count, entry) => count + (isHeader(entry) ? 0 : 1), 0)
  }

  /** Gives all entries, without the header, in a list of their own. */
  getEntries(): SessionEntry[] {
    return this.fileEntries.filter((entry): entry is SessionEntry => !isHeader(entry))
  }

  /** Gives the latest name, undefined where it was taken back or never given. */
  getSessionName(): string | undefined {
    const entry = this.fileEntries.findLast(({ type }) => type === 'session_info')
    return entry?.type === 'session_info' ? entry.name?.trim() || undefined : undefined
  }

  /** Gives the id of the entry that the next one will be the child of; null before the first. */
  getLeafId(): string | null {
    return this.leafId
  }

  getLeafEntry(): SessionEntry | undefined {
    return this.leafId === null ? undefined : this.byId.get(this.leafId)
  }

  getEntry(id: string): SessionEntry | undefined {
    return this.byId.get(id)
  }

  /** Gives the children of an entry in the order in which they came. */
  getChildren(parentId: string): SessionEntry[] {
    return [...this.byId.values()].filter((entry) => entry.parentId === parentId)
  }

  getLabel(id: string): string | undefined {
    return this.labelsById.get(id)
  }

  /** Gives the path from a root to an entry, the leaf unless said; none where it is not there. */
  getBranch(fromId?: string): SessionEntry[] {
    const id = fromId ?? this.leafId
    return pathTo(id ? this.byId.get(id) : undefined, this.byId)
  }

  /** Gives all entries as trees: roots in their order, children by time. */
  getTree(): SessionTreeNode[] {
    return treeOf(this.getEntries(), (id) => ({
      label: this.labelsById.get(id),
      labelTimestamp: this.labelTimestampsById.get(id),
    }))
  }

  /** Gives the entries of the active path, the latest compaction first. */
  buildContextEntries(): SessionEntry[] {
    return buildContextEntries(this.getEntries(), this.leafId, this.byId)
  }

  /** Gives what the model sees where the session stands, with the entries that it comes from. */
  buildSessionProjection(): SessionProjection {
    return buildSessionProjection(this.getEntries(), this.leafId, this.byId)
  }

  /** Gives what the model sees where the session stands. */
  buildSessionContext(): SessionContext {
    const build = this.policy.projects ? buildSessionContext : buildOldSessionContext
    return build(this.getEntries(), this.leafId, this.byId)
  }
}
