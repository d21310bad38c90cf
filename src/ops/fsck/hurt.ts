import { asSessError } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import { isOid, type Oid } from '../../model/oid.ts'
import { type Backend, NO_ROW, type RefMove, type Row } from '../../repo/backend.ts'
import { allSessions, type Session } from '../../repo/session.ts'
import type { Found } from './finding.ts'

/** What else is hurt by an entry that is broken. */
export interface Hurt {
  /** The branches, labels and HEADs whose path leads over it, as `SESSION/NAME`. */
  readonly refs: readonly string[]
  /** The nearest entry before it that is whole; null where it has none, or none can be found. */
  readonly lastGood: Oid | null
}

/** Gives what is hurt by entries that are broken, by their rows: walks what the paths of refs share once. */
async function hurtBy(backend: Backend, broken: ReadonlySet<Row>): Promise<Map<Row, Hurt>> {
  const hurt = new Map<Row, { refs: string[]; lastGood: Oid | null }>()
  if (broken.size === 0) return hurt
  const paths = new BrokenPaths(backend, broken)
  for await (const session of allSessions(backend))
    for (const [name, oid] of namesIn(session)) {
      const tip = isOid(oid) ? await rowOf(backend, oid) : undefined
      let row = await paths.from(tip ?? NO_ROW)
      for (; row !== NO_ROW; row = await paths.above(row)) {
        const known = hurt.get(row) ?? { refs: [], lastGood: null }
        known.refs.push(`${session.id}/${name}`)
        hurt.set(row, known)
      }
    }
  // In the order of rows: what an entry follows is known before it.
  for (const row of [...hurt.keys()].sort((a, b) => a - b)) {
    const parent = await parentOf(backend, row)
    const known = hurt.get(row) as { lastGood: Oid | null }
    if (parent !== NO_ROW)
      known.lastGood = hurt.get(parent)?.lastGood ?? (await wholeAt(backend, parent, broken))
  }
  return hurt
}

const wholeAt = async (backend: Backend, row: Row, broken: ReadonlySet<Row>): Promise<Oid | null> =>
  broken.has(row) ? null : backend.oid(row)

/** Where paths meet what is broken. */
class BrokenPaths {
  readonly #backend: Backend
  readonly #broken: ReadonlySet<Row>
  /** Nothing before it is broken. */
  readonly #lowest: Row
  /** By entry: the nearest broken one on its path, itself included. */
  readonly #nearest = new Map<Row, Row>()
  /** By entry that is broken: the next one on its path. */
  readonly #above = new Map<Row, Row>()

  constructor(backend: Backend, broken: ReadonlySet<Row>) {
    this.#backend = backend
    this.#broken = broken
    this.#lowest = [...broken].reduce((a, b) => Math.min(a, b))
  }

  /** Gives the nearest entry on the path of one that is broken, itself included. */
  async from(tip: Row): Promise<Row> {
    const met: Row[] = []
    let row = tip
    let nearest: Row | undefined
    while (nearest === undefined) {
      nearest = this.#broken.has(row) ? row : row < this.#lowest ? NO_ROW : this.#nearest.get(row)
      if (nearest !== undefined) break
      met.push(row)
      row = await parentOf(this.#backend, row)
    }
    for (const one of met) this.#nearest.set(one, nearest)
    return nearest
  }

  /** Gives the next broken entry on the path of one that is broken. */
  async above(row: Row): Promise<Row> {
    const above = this.#above.get(row) ?? (await this.from(await parentOf(this.#backend, row)))
    this.#above.set(row, above)
    return above
  }
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

/**
 * Gives the parent of an entry; none where that is damaged, for nothing leads on from it, or stands behind it, which would
 * lead round in a circle.
 */
async function parentOf(backend: Backend, row: Row): Promise<Row> {
  const parent = (await unlessDamaged(() => backend.node(row)))?.parents[0] ?? NO_ROW
  return parent < row ? parent : NO_ROW
}

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

/**
 * Says of each ref that names what is missing the newest entry that it is known to have named and that is there; reads the
 * operations once for all of them. What a damaged one told, its own check tells of.
 */
export async function tellLastNamed(backend: Backend, findings: Found[]): Promise<void> {
  const open = new Map(findings.flatMap(({ ref }, i) => (ref === undefined ? [] : [[ref, i] as const])))
  const { operation: end } = await backend.forgotten()
  for (let number = await backend.lastOperation(); number > end && open.size > 0; number--) {
    const operation = await unlessDamaged(() => backend.operation(number))
    for (const move of operation?.moves ?? []) {
      const at = open.get(move.name)
      const lastGood = at === undefined ? undefined : await presentIn(backend, move)
      if (at === undefined || lastGood === undefined) continue
      findings[at] = { ...(findings[at] as Found), lastGood }
      open.delete(move.name)
    }
  }
}

/** Gives the entry that a ref named after a move, or before it, whichever is there. */
async function presentIn(backend: Backend, move: RefMove): Promise<Oid | undefined> {
  for (const value of [move.new, move.old]) {
    const oid = isObject(value) ? value.oid : value
    if (typeof oid === 'string' && isOid(oid) && (await rowOf(backend, oid)) !== undefined) return oid
  }
  return undefined
}
