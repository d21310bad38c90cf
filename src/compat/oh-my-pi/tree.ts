import { treeOf } from '../pi/tree.ts'
import type { SessionEntry as PiEntry } from '../pi/types.ts'
import { buildSessionContext, pathOf } from './context.ts'
import type { SessionContext, SessionEntry, SessionHeader, SessionTreeNode } from './types.ts'

/** What a session of oh-my-pi holds and where it stands, read only. */
export class SessionTree {
  protected header: SessionHeader
  protected entries: SessionEntry[] = []
  protected byId = new Map<string, SessionEntry>()
  protected labels = new Map<string, string>()
  protected leafId: string | null = null

  protected constructor(header: SessionHeader) {
    this.header = header
  }

  /** Holds other entries, and stands on the last one. */
  protected hold(header: SessionHeader, entries: readonly SessionEntry[]): void {
    this.header = header
    this.entries = []
    this.byId = new Map()
    this.labels = new Map()
    this.leafId = null
    for (const entry of entries) this.note(entry)
  }

  /** Takes an entry in, and stands on it. */
  protected note(entry: SessionEntry): void {
    this.entries.push(entry)
    this.byId.set(entry.id, entry)
    this.leafId = entry.id
    if (entry.type === 'title_change') {
      const { title, source: titleSource } = entry
      this.header = { ...this.header, title, titleSource }
    }
    if (entry.type !== 'label') return
    if (entry.label) this.labels.set(entry.targetId, entry.label)
    else this.labels.delete(entry.targetId)
  }

  getHeader(): SessionHeader {
    return { ...this.header }
  }

  getCwd(): string {
    return this.header.cwd
  }

  getSessionId(): string {
    return this.header.id
  }

  getSessionName(): string | undefined {
    return this.header.title || undefined
  }

  getEntries(): SessionEntry[] {
    return [...this.entries]
  }

  getEntry(id: string): SessionEntry | undefined {
    return this.byId.get(id)
  }

  /** Gives the id of the entry that the next one will be the child of; null before the first. */
  getLeafId(): string | null {
    return this.leafId
  }

  getLeafEntry(): SessionEntry | undefined {
    return this.byId.get(this.leafId ?? '')
  }

  /** Gives the children of an entry in the order in which they came. */
  getChildren(parentId: string): SessionEntry[] {
    return this.entries.filter((entry) => entry.parentId === parentId)
  }

  getLabel(id: string): string | undefined {
    return this.labels.get(id)
  }

  /** Gives the path from a root to an entry, the leaf unless said; none where it is not there. */
  getBranch(fromId?: string): SessionEntry[] {
    return pathOf(fromId ?? this.leafId, this.byId)
  }

  /** Gives all entries as trees: entries with missing parents are roots, children go by time. */
  getTree(): SessionTreeNode[] {
    const about = (id: string) => {
      const label = this.labels.get(id)
      return label === undefined ? {} : { label }
    }
    return treeOf(this.entries as PiEntry[], about) as SessionTreeNode[]
  }

  /** Gives what the model sees where the session stands, and how it is set. */
  buildSessionContext(): SessionContext {
    return buildSessionContext(this.entries, this.leafId, this.byId)
  }
}
