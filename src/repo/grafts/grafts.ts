import { isObject, type Json } from '../../model/json.ts'
import { isOid, type Oid } from '../../model/oid.ts'
import { GRAFTS, graftedRoot } from '../../model/refname.ts'
import type { Backend, RefValue } from '../../storage/backend.ts'

/** What a root continues whose parent its own source lacks. */
export interface Graft {
  readonly root: Oid
  /** The entry that it continues: one that another session holds. */
  readonly parent: Oid
  /** The id by which its source names that parent. */
  readonly native: string
  /** The session whose source says so. */
  readonly session: string
}

/** Gives a graft in the form in which its ref holds it. */
export const graftValue = ({ parent, native, session }: Graft): RefValue => ({ parent, native, session })

/** Reads what the ref of a graft holds; undefined where that is no graft. */
export function readGraft(root: Oid, value: Json | undefined): Graft | undefined {
  if (!isObject(value)) return undefined
  const { parent, native, session } = value
  if (typeof parent !== 'string' || !isOid(parent)) return undefined
  if (typeof native !== 'string' || typeof session !== 'string') return undefined
  return { root, parent, native, session }
}

/** Gives all grafts, in the order of the roots' oids. */
export async function* graftsIn(backend: Backend): AsyncGenerator<Graft> {
  for await (const [name, value] of backend.refs(GRAFTS)) {
    const root = graftedRoot(name)
    const graft = root && readGraft(root, value)
    if (graft) yield graft
  }
}
