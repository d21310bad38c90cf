import { mapLinks } from '../../model/entry.ts'
import type { Oid } from '../../model/oid.ts'
import type { Ranges } from '../../model/ranges.ts'
import { type Backend, NO_ROW, type Row } from '../../repo/backend.ts'
import { type Found, valueAt } from '../../repo/records.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { piecesOf, type Session } from '../../repo/session.ts'
import { Growth } from '../append/growth.ts'

/**
 * Carries a session's refs over to other entries than they name: to those that stand for them now; what was appended here
 * behind entries that changed is said again behind those that stand for them, with a record as it had.
 */
export class Carry {
  readonly #repo: Pick<Repo, 'env'>
  readonly #change: Change
  readonly #session: Session
  /** By entry: what stands for it now. */
  readonly #now: Map<Row, Row>
  #growth: Growth | undefined
  #records: ReadonlyMap<Row, Found> | undefined

  constructor(repo: Pick<Repo, 'env'>, change: Change, session: Session, now: ReadonlyMap<Row, Row>) {
    this.#repo = repo
    this.#change = change
    this.#session = session
    this.#now = new Map(now)
  }

  /** Gives the oid of what stands for an entry now: its own where nothing on its path changed. */
  async oid(oid: Oid): Promise<Oid> {
    const { backend } = this.#change
    const row = await backend.find(oid)
    if (row === undefined) return oid
    const now = await this.row(row)
    return now === row ? oid : backend.oid(now)
  }

  /** Gives the row of what stands for an entry now. */
  async row(row: Row): Promise<Row> {
    for (const one of await this.#behind(row)) this.#now.set(one, await this.#again(one))
    return this.#now.get(row) ?? row
  }

  /** Ends, once all is carried; `covered` as `Growth.end` takes it. */
  end(covered?: Ranges): void {
    this.#growth?.end(covered)
  }

  /** Gives an entry and those before it of which it is not known what stands for them, where any before them changed. */
  async #behind(row: Row): Promise<Row[]> {
    const { backend } = this.#change
    const found = new Set<Row>()
    const open = [row]
    let changed = false
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const now = this.#now.get(at)
      if (now !== undefined) changed ||= now !== at
      else if (!found.has(at)) {
        found.add(at)
        open.push(...(await backend.node(at)).parents)
      }
    }
    // Parents have smaller rows than their children.
    return changed ? [...found].sort((a, b) => a - b) : []
  }

  /** Says an entry again behind what stands for its parents now; gives itself where these are its own. */
  async #again(row: Row): Promise<Row> {
    const { backend } = this.#change
    const { type, parents, links } = await backend.node(row)
    const to = (one: Row): Row => this.#now.get(one) ?? one
    if (parents.every((parent) => to(parent) === parent)) return row
    this.#growth ??= await Growth.begin(this.#repo, this.#change, this.#session.id)
    this.#records ??= await recordsOf(backend, this.#session)
    const found = this.#records.get(row)
    const value = found && (await valueAt(backend, found))
    const grown = await this.#growth.add({
      type,
      body: await backend.body(row),
      parents: parents.map(to),
      links: await mapLinks(links, to),
      ...(found?.time !== undefined && { time: found.time }),
      ...(found?.native !== undefined && { native: found.native }),
      ...(value !== undefined && { value }),
      again: true,
    })
    return grown.row
  }
}

/** Gives by entry the record that the logs of what was added to a session have of it. */
async function recordsOf(backend: Backend, { native, exports }: Session): Promise<ReadonlyMap<Row, Found>> {
  const found = new Map<Row, Found>()
  const added = [...exports.values()].map(({ log, count }) => [log, count] as const)
  for (const [log, count] of [...added, ...(native ? piecesOf(native) : [])])
    for await (const [position, { row, time, native: id }] of backend.spine(log, 0, count))
      if (row !== NO_ROW)
        found.set(row, {
          log,
          position,
          ...(time === undefined ? {} : { time }),
          ...(id === undefined ? {} : { native: id }),
        })
  return found
}
