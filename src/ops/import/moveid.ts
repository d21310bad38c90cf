import { ancestor } from '../../graph/walk.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { RefValue } from '../../model/operation.ts'
import {
  AWAITED,
  awaitedBy,
  awaitedRef,
  blobRef,
  branchRef,
  fileRef,
  graftRef,
  LACKING,
  metaRef,
  type RefName,
  sessionPrefix,
  sourceLogRef,
} from '../../model/refname.ts'
import { findRef, walkRefs } from '../../repo/findref.ts'
import { graftsIn, graftValue } from '../../repo/grafts.ts'
import { importedBranches } from '../../repo/importedbranches.ts'
import type { Reader } from '../../repo/reader.ts'
import { lookIn } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { type FileHead, refValue, type SessionMeta, type SourceHead } from '../../repo/session.ts'
import { blobName } from '../../sources/sidecarfiles.ts'
import { sourceBytes } from '../export/sourcebytes.ts'
import { Indexer } from '../indexing.ts'
import { digestOfLog } from './comparesource.ts'
import type { ImportedSession } from './conversations.ts'
import { moveBranches } from './sessionrefs.ts'
import { keepBytes, silentFileName } from './silentfiles.ts'

/** A session whose file got another id, because a file with a better claim to its own one was imported, or the other way round. */
export interface MovedId {
  /** The path of the file. */
  readonly path: string | null
  /** The id that the session of the file had before, and the one that it has now. */
  readonly before: string
  readonly now: string
  /** The name of the file in that session, if nobody speaks in it. */
  readonly file?: string
}

/** The fields of a session's metadata that its user set, and not its file. */
const USERS_FIELDS = ['renamed', 'moved', 'set'] as const satisfies readonly (keyof SessionMeta)[]

/**
 * Moves ids between imported sessions in one unit of work. What import made of a file moves with the file: its log, its
 * facts, its sidecar files and the branches that nobody has moved. What a user made stays with the id: labels, branches,
 * appends, exports, the title.
 */
export class IdMover {
  readonly #change: Change
  readonly #indexer: Indexer
  readonly moved: MovedId[] = []
  readonly #taken = new Set<string>()
  /** By id: the session that now has what the session of this id had, and the roots that stay with the id. */
  readonly #heirs = new Map<string, { readonly heir: string; readonly roots: ReadonlySet<Oid> }>()

  constructor(change: Change) {
    this.#change = change
    this.#indexer = new Indexer(change.reader, change.writer)
  }

  /** Moves the id of a session to another one, and its former file to a session of its own, unless nobody speaks in that. */
  async exchange(owner: ImportedSession, next: ImportedSession, continues: boolean): Promise<void> {
    const { move } = this.#change
    const isKept = !(await isPlain(this.#change.reader, next))
    const former = isKept ? next.id : await this.#freeId(owner)
    if (!isKept) this.#remove(next)
    move(sourceLogRef(owner.id), refValue(owner.source), refValue(next.source))
    move(metaRef(owner.id), refValue(owner.meta), refValue(metaWith(owner, next, continues)))
    await this.#moveBranches(owner, next)
    this.#moveFiles(owner, next)
    await this.#dropBeginnings(owner, next)
    await this.#moveBlobs(next, owner.id)
    this.moved.push({ path: next.meta.path, before: next.id, now: owner.id })
    this.#heirs.set(owner.id, { heir: former, roots: await this.#rootsOf(next) })
    if (next.id !== former) this.#heirs.set(next.id, { heir: owner.id, roots: new Set() })
    if (isKept) {
      move(sourceLogRef(next.id), refValue(next.source), refValue(owner.source))
      move(metaRef(next.id), refValue(next.meta), refValue(metaWith(next, owner, false)))
      await this.#moveBranches(next, owner)
      this.#moveFiles(next, owner)
    } else if (owner.source.claim?.silent) return
    else await this.#make(former, owner)
    await this.#moveBlobs(owner, former)
    this.moved.push({ path: owner.meta.path, before: owner.id, now: former })
  }

  /** Makes the file of a session in which nobody speaks a file of another session, unless a user has worked in it. */
  async demote(silent: ImportedSession, into: ImportedSession, owner: ImportedSession): Promise<void> {
    const isOwner = silent === owner
    if (!isOwner && !(await isPlain(this.#change.reader, silent))) return
    if (!isOwner) this.#remove(silent)
    const about = { path: silent.meta.path, before: silent.id, now: owner.id }
    if (await this.#isBeginning(silent.source, into.source)) return void this.moved.push(about)
    const name = silentFileName(owner.id, silent.source.sha256)
    const { reader } = this.#change
    const head = await keepBytes(this.#change, this.#indexer, name, sourceBytes(reader, silent.source))
    const held: FileHead | undefined = owner.files.get(name) ?? into.files.get(name)
    if (held?.sha256 !== head.sha256)
      this.#change.move(fileRef(owner.id, name), held && refValue(held), refValue(head))
    this.moved.push({ ...about, file: name })
  }

  /**
   * Assigns what names a session by its id elsewhere to the one that has it now: grafts, parents that are missing, and
   * histories that are awaited.
   */
  async end(): Promise<void> {
    if (this.#heirs.size === 0) return
    await this.#moveAwaited()
    const { reader, move } = this.#change
    const heirOf = (session: string, root: Oid | undefined): string | undefined => {
      const found = this.#heirs.get(session)
      return found && !(root && found.roots.has(root)) ? found.heir : undefined
    }
    for await (const graft of graftsIn(reader)) {
      const heir = heirOf(graft.session, graft.root)
      if (heir !== undefined)
        move(graftRef(graft.root), graftValue(graft), graftValue({ ...graft, session: heir }))
    }
    for await (const [name, value] of walkRefs(reader, LACKING)) {
      const { session, ...rest } = value
      const heir = heirOf(session, name.split('/').at(-1) as Oid)
      if (heir !== undefined) move(name, value, { session: heir, ...rest })
    }
  }

  async #moveAwaited(): Promise<void> {
    const { reader, move } = this.#change
    const held = new Map<RefName, RefValue>()
    const now = new Set<RefName>()
    for await (const [name, value] of reader.refs(AWAITED)) {
      const { base, session } = awaitedBy(name) ?? {}
      if (base === undefined || session === undefined) continue
      held.set(name, value)
      now.add(awaitedRef(base, this.#heirs.get(session)?.heir ?? session))
    }
    for (const [name, value] of held) if (!now.has(name)) move(name, value, undefined)
    for (const name of now) if (!held.has(name)) move(name, undefined, {})
  }

  /** Returns an unused id for the file that loses its id: that id, and digits of the digest of its bytes. */
  async #freeId({ id, source }: ImportedSession): Promise<string> {
    for (let digits = 8; ; digits += 4) {
      const free = `${id}-${source.sha256.slice(0, digits)}`
      if (this.#taken.has(free) || (await this.#change.reader.ref(metaRef(free))) !== undefined) continue
      this.#taken.add(free)
      return free
    }
  }

  /** Makes a session of what import made of a file. */
  async #make(id: string, { id: native, meta, source, files }: ImportedSession): Promise<void> {
    const { reader, move } = this.#change
    const parent = parentIn({ meta, source }, native)
    move(
      metaRef(id),
      undefined,
      refValue({ ...ofFile(meta), native, ...(parent !== undefined && { parent }) }),
    )
    move(sourceLogRef(id), undefined, refValue(source))
    for (const [name, oid] of Object.entries(await importedBranches(reader, source)))
      move(branchRef(id, name), undefined, oid)
    for (const [name, head] of files)
      if (!head.claim?.silent) move(fileRef(id, name), undefined, refValue(head))
  }

  #remove({ id, refs }: ImportedSession): void {
    for (const [kind, name, value] of refs) this.#change.move(nameOfRef(id, kind, name), value, undefined)
  }

  /** Moves the branches of a session that import made as the import of another file moves them. */
  async #moveBranches(session: ImportedSession, { source }: ImportedSession): Promise<void> {
    const { reader } = this.#change
    const before = { ...(await importedBranches(reader, session.source)) }
    const now = await importedBranches(reader, source)
    // A branch on which its user stands stays.
    if ('branch' in session.head && session.hasHead && now[session.head.branch] === undefined)
      delete before[session.head.branch]
    moveBranches(this.#change, { id: session.id, known: session, now, before })
  }

  /** Replaces the sidecar files of a session by those of another one. Silent files stay with the id, as do those of one. */
  #moveFiles({ id, files, source }: ImportedSession, { files: next }: ImportedSession): void {
    const { move } = this.#change
    for (const [name, head] of source.claim?.silent ? [] : files)
      if (!next.has(name) && !head.claim?.silent) move(fileRef(id, name), refValue(head), undefined)
    for (const [name, head] of next) {
      const held = files.get(name)
      move(fileRef(id, name), held && refValue(held), refValue(head))
    }
  }

  /** Removes the silent files of an id that are the beginning of its file: an earlier state of it is not kept. */
  async #dropBeginnings({ id, files }: ImportedSession, { source }: ImportedSession): Promise<void> {
    for (const [name, head] of files)
      if (head.claim?.silent && (await this.#isBeginning(head, source)))
        this.#change.move(fileRef(id, name), refValue(head), undefined)
  }

  async #isBeginning({ bytes, sha256 }: SourceHead, of: SourceHead): Promise<boolean> {
    return bytes <= of.bytes && (await digestOfLog(this.#change.reader, of, bytes)) === sha256
  }

  /** Makes another session the owner of the blobs that a session owns. */
  async #moveBlobs({ id, files }: ImportedSession, to: string): Promise<void> {
    const { reader, move } = this.#change
    for (const [name, { sha256 }] of files) {
      const owner = name === blobName(sha256) ? await findRef(reader, blobRef(sha256)) : undefined
      if (owner?.session === id) move(blobRef(sha256), owner, { session: to })
    }
  }

  /** Returns the roots of a session's branches. */
  async #rootsOf({ source }: ImportedSession): Promise<ReadonlySet<Oid>> {
    const { reader } = this.#change
    const look = lookIn(reader)
    const roots = new Set<Oid>()
    for (const oid of Object.values(await importedBranches(reader, source))) {
      const tip: EntryHandle | undefined = await reader.find(oid)
      const root = tip === undefined ? undefined : await ancestor(tip, (await look(tip)).depth, look)
      if (root !== undefined) roots.add(await reader.oid(root))
    }
    return roots
  }
}

/** Returns whether a session is what import made of its file, and nothing else. */
async function isPlain(reader: Reader, { refs, meta, source }: ImportedSession): Promise<boolean> {
  if (USERS_FIELDS.some((field) => meta[field] !== undefined)) return false
  const imported = await importedBranches(reader, source)
  return refs.every(
    ([kind, name, value]) =>
      kind === 'meta' ||
      kind === 'source' ||
      kind === 'files' ||
      (kind === 'branches' && imported[name] === value),
  )
}

const nameOfRef = (session: string, kind: string, name: string): RefName => {
  if (kind === 'branches') return branchRef(session, name)
  return kind === 'files' ? fileRef(session, name) : (`${sessionPrefix(session)}${kind}` as RefName)
}

/** Returns the metadata of a session without what its user set. A title that the user gave is not the file's. */
function ofFile(meta: SessionMeta): SessionMeta {
  const { renamed, moved: _moved, set: _set, waits: _waits, ...rest } = meta
  return renamed ? { ...rest, title: null } : rest
}

/** Returns the native id of the session that started the one in a file; that of a sub-agent may be its own. */
const parentIn = (
  { meta, source }: Pick<ImportedSession, 'meta' | 'source'>,
  native: string,
): string | undefined => meta.parent ?? (source.claim?.subagent ? native : undefined)

/** Returns the metadata of a session that gets the file of another one. */
function metaWith(session: ImportedSession, from: ImportedSession, continues: boolean): SessionMeta {
  const { meta } = session
  const users = Object.fromEntries(
    USERS_FIELDS.flatMap((field) => (meta[field] === undefined ? [] : [[field, meta[field]]])),
  ) as Partial<SessionMeta>
  const agents = continues ? { ...meta.agents, ...from.meta.agents } : from.meta.agents
  const waits = { ...meta.waits, ...from.meta.waits }
  const { parent: _, ...file } = ofFile(from.meta)
  const parent = parentIn(from, meta.native ?? session.id)
  return {
    ...file,
    ...(parent !== undefined && parent !== session.id && { parent }),
    ...users,
    ...(meta.renamed && { title: meta.title }),
    native: meta.native,
    ...(agents && Object.keys(agents).length > 0 && { agents }),
    ...(Object.keys(waits).length > 0 && { waits }),
  }
}

/** Returns the id that a session has now. */
export const idNow = (moved: readonly MovedId[], id: string): string =>
  moved.find(({ before }) => before === id)?.now ?? id
