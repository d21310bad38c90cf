import type { Oid } from '../model/encoding/oid.ts'
import type { RefValue } from '../model/operation.ts'
import { branchRef, parseSessionRef, type RefName, type SessionRef } from '../model/refname.ts'
import type { RefKind } from '../model/refs/kinds.ts'
import { problemAs, sessionKind } from '../model/refs/table.ts'
import type { ExportHead, FileHead, Head, NativeHead, SessionMeta, SourceHead } from '../model/refs/values.ts'
import type { Reader } from './reader.ts'
import { canSpare, NO_UNSOUND_REFS, passOver, type UnsoundRefs } from './unsoundrefs.ts'

/** The part of a session that is read in bounded time, however many branches it has. */
export interface SessionTrunk {
  readonly id: string
  /** Its refs that could not be read: nothing else here says that there are any. */
  readonly unsound: UnsoundRefs
  readonly meta: SessionMeta
  readonly head: Head
  /** Whether it has a ref HEAD. Without one HEAD is the branch `main`. */
  readonly hasHead: boolean
  /** Its branches; of more than `MOST_BRANCHES`, the first ones by name and, in any case, the current one and `main`. */
  readonly someBranches: ReadonlyMap<string, Oid>
  readonly labels: ReadonlyMap<string, Oid>
  readonly source: SourceHead | undefined
  /** The logs of native appends by their writers, the one with the newest record first. */
  readonly natives: ReadonlyMap<string, NativeHead>
  /** Its exports to other agents, by the native ids that it has there. */
  readonly exports: ReadonlyMap<string, ExportHead>
  /** Its sidecar files, by their paths relative to its own file. */
  readonly files: ReadonlyMap<string, FileHead>
}

/** A session with all its refs. */
export interface SessionState extends SessionTrunk {
  readonly branches: ReadonlyMap<string, Oid>
  /** All its refs. The name is empty for kinds with one ref only. */
  readonly refs: readonly RefOfSession[]
}

/** A ref of a session; the name is that within its kind. */
export type RefOfSession = readonly [kind: string, name: string, value: RefValue]

export const MAIN = 'main'

/** The HEAD of a session without a ref HEAD. */
export const ON_MAIN: Head = { branch: MAIN }

/** The kind of the refs of branches. */
export const BRANCHES = 'branches'

/** The defaults of `SessionMeta`. Its keys come first in all metadata, in this order. */
export const EMPTY_META: SessionMeta = {
  format: 'sess',
  title: null,
  cwd: null,
  created: null,
  native: null,
  path: null,
}

/** The refs of a session as they are read, in the order of their names. */
export class SessionReading {
  readonly id: string
  /** The number of branches that were read. */
  branches = 0
  /** Whether other branches were passed over. */
  isCut = false
  readonly #reader: Reader
  readonly #passes: boolean
  readonly #refs: RefOfSession[] = []
  readonly #unsound = new Map<RefName, string>()

  constructor(reader: Reader, id: string, passes: boolean) {
    this.id = id
    this.#reader = reader
    this.#passes = passes
  }

  /** Takes a ref of a kind of sessions' refs. Throws `corrupt` where it has another form, unless that is passed over. */
  take(ref: RefName, value: RefValue): void {
    const { kind, name = '' } = parseSessionRef(ref) as SessionRef
    const problem = problemAs(sessionKind(kind) as RefKind, ref, value)
    if (kind === BRANCHES) this.branches++
    if (problem === undefined) this.#refs.push([kind, name, value])
    else {
      passOver(this.#passes ? this.#reader : {}, ref, problem)
      this.#unsound.set(ref, problem)
    }
  }

  /** Returns the session; without most of its branches it has the current one and `main`. Undefined as `assemble`. */
  async end(): Promise<SessionTrunk | undefined> {
    if (this.isCut) await this.#takeMain()
    const session = assemble(this.id, this.#refs, this.#unsound)
    if (!session || !this.isCut) return session
    const { refs: _refs, branches: _branches, ...trunk } = session
    return trunk
  }

  async #takeMain(): Promise<void> {
    const head = this.#refs.find(([kind]) => kind === 'HEAD')?.[2] as Head | undefined
    for (const name of new Set([MAIN, ...(head && 'branch' in head ? [head.branch] : [])])) {
      const ref = branchRef(this.id, name)
      const isRead = this.#refs.some(([kind, own]) => kind === BRANCHES && own === name)
      const value = isRead || this.#unsound.has(ref) ? undefined : await this.#reader.ref(ref)
      if (value !== undefined) this.take(ref, value)
    }
  }
}

/**
 * Returns the session with some refs, of which each has the form of its kind; undefined without metadata, and where it
 * cannot do without its unsound refs.
 */
function assemble(
  id: string,
  refs: readonly RefOfSession[],
  unsound: UnsoundRefs = NO_UNSOUND_REFS,
): SessionState | undefined {
  const one = (kind: string): unknown => refs.find((ref) => ref[0] === kind)?.[2]
  const about = one('meta') as SessionMeta | undefined
  if (!about || (unsound.size > 0 && !canSpare(unsound))) return undefined
  const named = <V>(kind: string): Map<string, V> =>
    new Map(refs.filter((ref) => ref[0] === kind).map(([, name, value]) => [name, value as V]))
  const head = one('HEAD') as Head | undefined
  const branches = named<Oid>(BRANCHES)
  return {
    id,
    refs,
    unsound: unsound.size === 0 ? NO_UNSOUND_REFS : unsound,
    meta: { ...EMPTY_META, ...about },
    head: head ?? ON_MAIN,
    hasHead: head !== undefined,
    branches,
    someBranches: branches,
    labels: named<Oid>('labels'),
    source: one('source') as SourceHead | undefined,
    natives: newestFirst(named<NativeHead>('natives')),
    exports: named<ExportHead>('exports'),
    files: named<FileHead>('files'),
  }
}

const newestFirst = (natives: ReadonlyMap<string, NativeHead>): ReadonlyMap<string, NativeHead> =>
  natives.size < 2
    ? natives
    : new Map([...natives].sort(([, a], [, b]) => (b.updated ?? 0) - (a.updated ?? 0)))
