import type { RefValue } from '../model/operation.ts'
import {
  branchRef,
  headRef,
  metaRef,
  parseSessionRef,
  type RefName,
  sessionPrefix,
  sourceLogRef,
} from '../model/refname.ts'
import { problemAs, sessionKind } from '../model/refs/table.ts'
import type { Reader } from './reader.ts'
import { assemble, getSession, type Head, MAIN, type SessionState } from './session.ts'
import { isTolerant, passOver } from './unsoundrefs.ts'

/** Selects the parts of a session that are read. */
interface TrunkOptions {
  /** The maximum number of branches, besides the current one and `main`. */
  readonly branches: number
  /** Read the heads of its source and its native logs: that of a source with many leaves is long. */
  readonly logs: boolean
}

/** A session without most of its branches. */
export interface Trunk {
  /** Of its branches it has the current one, `main` and some others. It has no exports and no sidecar files. */
  readonly session: SessionState
  /** Whether it has all branches. */
  readonly hasAllBranches: boolean
}

/**
 * Returns the session with exactly this id without most of its branches: it may have as many as entries, which take
 * seconds to read. Throws `no-session`, and `corrupt` as `getSession` does.
 */
export async function getTrunk(reader: Reader, id: string, asked: TrunkOptions): Promise<Trunk> {
  const prefix = sessionPrefix(id)
  const refs = new Map<RefName, readonly [kind: string, name: string, value: RefValue]>()
  const unsound = new Map<RefName, string>()
  const add = (ref: RefName, value: RefValue | undefined): void => {
    const parsed = parseSessionRef(ref)
    const kind = parsed && sessionKind(parsed.kind)
    if (!parsed || !kind || value === undefined) return
    const problem = problemAs(kind, ref, value)
    if (problem === undefined) refs.set(ref, [parsed.kind, parsed.name ?? '', value])
    else {
      passOver(isTolerant(reader) ? reader : {}, ref, problem)
      unsound.set(ref, problem)
    }
  }
  for (const ref of [metaRef(id), headRef(id), ...(asked.logs ? [sourceLogRef(id)] : [])])
    add(ref, await reader.ref(ref))
  for (const kind of ['labels', ...(asked.logs ? ['natives'] : [])])
    for await (const [ref, value] of reader.refs(`${prefix}${kind}/`)) add(ref, value)
  const head = refs.get(headRef(id))?.[2] as Head | undefined
  for (const branch of [MAIN, ...(head && 'branch' in head ? [head.branch] : [])])
    add(branchRef(id, branch), await reader.ref(branchRef(id, branch)))
  let left = asked.branches
  for await (const [ref, value] of reader.refs(`${prefix}branches/`)) {
    if (--left < 0) break
    add(ref, value)
  }
  const session = assemble(id, [...refs.values()], unsound)
  // Throws what is wrong where its metadata is there, but cannot be read.
  if (!session) return { session: await getSession(reader, id), hasAllBranches: true }
  return { session, hasAllBranches: left >= 0 }
}
