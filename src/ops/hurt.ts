import { asSessError } from '../model/errors.ts'
import { isObject } from '../model/json.ts'
import { isOid, type Oid } from '../model/oid.ts'
import type { RefName } from '../model/refname.ts'
import { type Backend, NO_ROW, type Row } from '../repo/backend.ts'
import { history } from '../repo/operation.ts'
import { allSessions, type Session } from '../repo/session.ts'
import type { Found } from './finding.ts'

/** What else is hurt by an entry that is broken. */
export interface Hurt {
  /** The branches, labels and HEADs whose path leads over it, as `SESSION/NAME`. */
  readonly refs: readonly string[]
  /** The nearest entry before it that is whole; null where it has none, or none can be found. */
  readonly lastGood: Oid | null
}

/** Gives what is hurt by entries that are broken, by their rows: walks the paths of all refs. */
async function hurtBy(backend: Backend, broken: ReadonlySet<Row>): Promise<Map<Row, Hurt>> {
  const hurt = new Map<Row, { refs: string[]; lastGood: Oid | null }>()
  if (broken.size === 0) return hurt
  for await (const session of allSessions(backend))
    for (const [name, oid] of namesIn(session)) {
      const tip = isOid(oid) ? await rowOf(backend, oid) : undefined
      let waiting: Row[] = []
      for (let row = tip ?? NO_ROW; row !== NO_ROW; row = await parentOf(backend, row)) {
        if (broken.has(row)) {
          const known = hurt.get(row) ?? { refs: [], lastGood: null }
          known.refs.push(`${session.id}/${name}`)
          hurt.set(row, known)
          waiting.push(row)
        } else if (waiting.length > 0) {
          const lastGood = await backend.oid(row)
          for (const at of waiting) (hurt.get(at) as { lastGood: Oid | null }).lastGood = lastGood
          waiting = []
        }
      }
    }
  return hurt
}

const namesIn = ({ branches, labels, head }: Session): [string, Oid][] => [
  ...branches,
  ...labels,
  ...('oid' in head && head.oid !== null ? [['HEAD', head.oid] as [string, Oid]] : []),
]

/** Gives what is read, or undefined where it is damaged: of that its own check tells. */
async function unlessDamaged<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (asSessError(error).code === 'corrupt') return undefined
    throw error
  }
}

/** Gives the parent of an entry; none where that is damaged, for nothing leads on from it. */
const parentOf = async (backend: Backend, row: Row): Promise<Row> =>
  (await unlessDamaged(() => backend.node(row)))?.parents[0] ?? NO_ROW

/** Gives the row of an entry as far as the index finds it, be that damaged or not. */
export const rowOf = (backend: Backend, oid: Oid): Promise<Row | undefined> =>
  unlessDamaged(() => backend.find(oid))

/** Says of each entry that is broken which refs it hurts, and the last good one before it. */
export async function tellHurt(backend: Backend, findings: Found[]): Promise<void> {
  const rows = new Set(findings.flatMap(({ row }) => (row === undefined ? [] : [row])))
  const hurt = await hurtBy(backend, rows)
  for (const [i, finding] of findings.entries())
    if (finding.row !== undefined) findings[i] = { ...finding, ...hurt.get(finding.row) }
}

/** Gives the oid of an entry, or where that cannot be told the number it has here. */
export const nameOf = async (backend: Backend, row: Row): Promise<string> =>
  (await unlessDamaged(() => backend.oid(row))) ?? `row ${row}`

/** Gives the newest entry that a ref is known to have named and that is there; null where the operations tell none. */
export async function lastNamed(backend: Backend, name: RefName): Promise<Oid | null> {
  for await (const { move } of history(backend, name))
    for (const value of [move.new, move.old]) {
      const oid = isObject(value) ? value.oid : value
      if (typeof oid === 'string' && isOid(oid) && (await rowOf(backend, oid)) !== undefined) return oid
    }
  return null
}
