import { inOrder } from '../../graph/graph.ts'
import { mapLinks } from '../../model/entry.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import type { Coverage } from '../../model/searchindex.ts'
import { readHeaders } from '../../repo/logreading.ts'
import type { Reader } from '../../repo/reader.ts'
import { type RecordLocation, valueAt } from '../../repo/records.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { nativeLogs, type Session } from '../../repo/session.ts'
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
  readonly #now: Map<EntryHandle, EntryHandle>
  #growth: Growth | undefined
  #records: ReadonlyMap<EntryHandle, RecordLocation> | undefined

  constructor(
    repo: Pick<Repo, 'env'>,
    change: Change,
    session: Session,
    now: ReadonlyMap<EntryHandle, EntryHandle>,
  ) {
    this.#repo = repo
    this.#change = change
    this.#session = session
    this.#now = new Map(now)
  }

  /** Returns the oid of what stands for an entry now: its own where nothing on its path changed. */
  async oid(oid: Oid): Promise<Oid> {
    const { reader } = this.#change
    const handle = await reader.find(oid)
    if (handle === undefined) return oid
    const now = await this.handle(handle)
    return now === handle ? oid : reader.oid(now)
  }

  /** Returns the entry that stands for an entry now. */
  async handle(handle: EntryHandle): Promise<EntryHandle> {
    for (const one of await this.#behind(handle)) this.#now.set(one, await this.#again(one))
    return this.#now.get(handle) ?? handle
  }

  /** Ends, once all is carried; `covered` as `Growth.end` takes it. */
  end(covered?: readonly Coverage[]): void {
    this.#growth?.end(covered)
  }

  /** Returns an entry and those before it of which it is not known what stands for them, where any before them changed. */
  async #behind(handle: EntryHandle): Promise<EntryHandle[]> {
    const { reader } = this.#change
    const found = new Set<EntryHandle>()
    const open = [handle]
    let changed = false
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const now = this.#now.get(at)
      if (now !== undefined) changed ||= now !== at
      else if (!found.has(at)) {
        found.add(at)
        open.push(...(await reader.node(at)).parents)
      }
    }
    return changed ? inOrder(found, (entry) => reader.node(entry)) : []
  }

  /** Says an entry again behind what stands for its parents now; gives itself where these are its own. */
  async #again(handle: EntryHandle): Promise<EntryHandle> {
    const { reader } = this.#change
    const { type, parents, links } = await reader.node(handle)
    const to = (one: EntryHandle): EntryHandle => this.#now.get(one) ?? one
    if (parents.every((parent) => to(parent) === parent)) return handle
    this.#growth ??= await Growth.begin(this.#repo, this.#change, this.#session.id)
    this.#records ??= await recordsOf(reader, this.#session)
    const found = this.#records.get(handle)
    const value = found && (await valueAt(reader, found))
    const grown = await this.#growth.add({
      type,
      body: await reader.body(handle),
      parents: parents.map(to),
      links: await mapLinks(links, to),
      ...(found?.time !== undefined && { time: found.time }),
      ...(found?.native !== undefined && { native: found.native }),
      ...(value !== undefined && { value }),
      again: true,
    })
    return grown.handle
  }
}

/** Returns by entry the record that the logs of what was added to a session have of it. */
async function recordsOf(
  reader: Reader,
  { native, natives, exports }: Session,
): Promise<ReadonlyMap<EntryHandle, RecordLocation>> {
  const found = new Map<EntryHandle, RecordLocation>()
  const added = [...exports.values()].map(({ log, count }) => [log, count] as const)
  for (const [log, count] of [
    ...added,
    ...(native ? nativeLogs(native) : []),
    ...[...natives.values()].flatMap(nativeLogs),
  ])
    for await (const [position, { entry, time, native: id }] of readHeaders(reader, log, 0, count))
      if (entry !== undefined)
        found.set(entry, {
          log,
          position,
          ...(time === undefined ? {} : { time }),
          ...(id === undefined ? {} : { native: id }),
        })
  return found
}
