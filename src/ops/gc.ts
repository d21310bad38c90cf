import { encode } from '../model/canonical.ts'
import type { EntryHandle } from '../model/node.ts'
import type { OperationLog } from '../model/operation.ts'
import type { LogRecord } from '../model/record.ts'
import { Reachable } from '../repo/erase/reachable.ts'
import { forgottenBefore, newestBefore } from '../repo/erase/retention.ts'
import { readRecords } from '../repo/logreading.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { bytesBelow } from '../repo/size.ts'

/** How long things are kept that no ref names: each a time in milliseconds since 1970. */
export interface Retention {
  /** Operations of then and later are kept, and all that they name. */
  readonly operations: number
  /** Entries that were added then or later are kept though nothing names them. */
  readonly grace: number
}

/** Something that goes, and why. */
export interface Dropped {
  readonly kind: 'entries' | 'records' | 'operations'
  /** `undone`: only operations that go name it. `unnamed`: nothing does. `old`: operations from before they are kept. */
  readonly why: 'undone' | 'unnamed' | 'old'
  readonly count: number
  /** In canonical bytes: what entries say, what records hold besides, what operations moved. */
  readonly bytes: number
}

/** What gc did, or would do. */
export interface Gc {
  /** Whether it was only said. */
  readonly dryRun: boolean
  readonly dropped: readonly Dropped[]
  readonly kept: { readonly entries: number; readonly operations: number }
  /** Entries that nothing names and that are kept for a while all the same. */
  readonly spared: number
  /** The bytes of the store's folder before, and after; null where it was only said. */
  readonly before: number
  readonly after: number | null
}

/** What gc tells while it runs. */
export interface GcOptions extends Retention {
  /** Called with the entries that were looked at, or taken into the new database, so far. */
  readonly onProgress?: (step: 'looking' | 'packing', entries: number) => void
}

/** What is kept of a store. */
interface Kept extends Pick<Reachable, 'entries' | 'logs' | 'blobs'> {
  readonly forgotten: OperationLog['dropped']
  /** How many entries are kept only because they were stored lately. */
  readonly spared: number
}

/** What is kept, and where that follows from. */
class Keeping {
  readonly forgotten: OperationLog['dropped']
  /** Entries that were stored after this one are kept whatever names them; undefined keeps all, null none. */
  readonly #before: EntryHandle | undefined | null
  #reach: Reachable | undefined

  private constructor(forgotten: OperationLog['dropped'], before: EntryHandle | undefined | null) {
    this.forgotten = forgotten
    this.#before = before
  }

  static async of(reader: Reader, now: number, { operations, grace }: Retention): Promise<Keeping> {
    const before = grace >= now ? null : await newestBefore(reader, grace)
    return new Keeping(await forgottenBefore(reader, operations), before)
  }

  /** Gives what refs and operations name: all that they did when this was asked before, and more. */
  async #named(reader: Reader): Promise<Reachable> {
    const reach = new Reachable(reader, this.#reach)
    this.#reach = reach
    for await (const [name, value] of reader.refs('')) reach.name(name, value)
    const last = (await reader.operationLog()).latest
    for (let number = this.forgotten.operation + 1; number <= last; number++)
      nameMoves(reach, await reader.operation(number))
    await reach.close()
    return reach
  }

  /** Gives what is kept of a store. */
  async kept(reader: Reader): Promise<Kept> {
    const reach = await this.#named(reader)
    const named = reach.entries.size
    if (this.#before !== null) await reach.close(reader.entries(this.#before))
    const { entries, logs, blobs } = reach
    return { entries, logs, blobs, forgotten: this.forgotten, spared: entries.size - named }
  }

  /** Gives what the operations name that are let go. */
  async former(reader: Reader): Promise<Reachable> {
    const reach = new Reachable(reader)
    for (
      let number = (await reader.operationLog()).dropped.operation + 1;
      number <= this.forgotten.operation;
      number++
    )
      nameMoves(reach, await reader.operation(number))
    await reach.close()
    return reach
  }
}

type Operation = Awaited<ReturnType<Reader['operation']>>

function nameMoves(reach: Reachable, operation: Operation): void {
  for (const move of operation?.moves ?? []) {
    reach.name(move.name, move.old)
    reach.name(move.name, move.new)
  }
}

/**
 * Removes what no ref and no operation that is kept names, and packs the rest as small as can be. Nothing that a ref
 * reaches, or that was added within the grace period, is removed; it cannot be undone. Others go on reading and
 * writing meanwhile. A dry run only says what would go.
 */
export async function gc(repo: Repo, { onProgress = () => undefined, ...retention }: GcOptions): Promise<Gc> {
  const before = bytesBelow(repo.dir)
  const { keeping, plan } = await repo.read(async (reader) => {
    const decided = await Keeping.of(reader, repo.env.now(), retention)
    return {
      keeping: decided,
      plan: await planned(reader, decided, (entries) => onProgress('looking', entries)),
    }
  }, PLAIN)
  if (repo.isDry) return { dryRun: true, ...plan, before, after: null }
  await repo.rewrite({
    kept: (reader) => keeping.kept(reader),
    onProgress: (entries) => onProgress('packing', entries),
  })
  return { dryRun: false, ...plan, before, after: bytesBelow(repo.dir) }
}

/** Entries are kept as they are stored, without grafts. */
const PLAIN = { plain: true } as const

type Plan = Pick<Gc, 'dropped' | 'kept' | 'spared'>

async function planned(reader: Reader, keeping: Keeping, onLook: (entries: number) => void): Promise<Plan> {
  const kept = await keeping.kept(reader)
  const former = await keeping.former(reader)
  const entries = { kept: 0, undone: new Count(), unnamed: new Count() }
  for await (const handle of reader.entries()) {
    if (kept.entries.has(handle)) entries.kept++
    else {
      const bytes = encode(await reader.body(handle)).length
      ;(former.entries.has(handle) ? entries.undone : entries.unnamed).add(bytes)
    }
    onLook(entries.kept + entries.undone.count + entries.unnamed.count)
  }
  const records = { undone: new Count(), unnamed: new Count() }
  for await (const [log, count] of reader.logs()) {
    const named = Math.min(count, kept.logs.get(log) ?? 0)
    const once = Math.max(named, Math.min(count, former.logs.get(log) ?? 0))
    for await (const [at, record] of readRecords(reader, log, named, count))
      records[at < once ? 'undone' : 'unnamed'].add(await heldBy(record))
  }
  const old = new Count()
  for (
    let number = (await reader.operationLog()).dropped.operation + 1;
    number <= keeping.forgotten.operation;
    number++
  )
    old.add(movedBy(await reader.operation(number)))
  const handles: Dropped[] = [
    { kind: 'entries', why: 'undone', ...entries.undone.total },
    { kind: 'entries', why: 'unnamed', ...entries.unnamed.total },
    { kind: 'records', why: 'undone', ...records.undone.total },
    { kind: 'records', why: 'unnamed', ...records.unnamed.total },
    { kind: 'operations', why: 'old', ...old.total },
  ]
  return {
    dropped: handles.filter(({ count }) => count > 0),
    kept: {
      entries: entries.kept,
      operations: (await reader.operationLog()).latest - keeping.forgotten.operation,
    },
    spared: kept.spared,
  }
}

/** Gives how many bytes a record holds besides what its entry says. */
async function heldBy({ lead, content }: LogRecord): Promise<number> {
  if (!('raw' in content)) return lead.length + encode(content.values).length
  let bytes = lead.length
  for (const piece of content.raw)
    bytes += piece instanceof Uint8Array ? piece.length : (await piece.read()).length
  return bytes
}

const movedBy = (operation: Operation): number =>
  encode((operation?.moves ?? []).map((move) => [move.name, move.old ?? null, move.new ?? null])).length

class Count {
  count = 0
  #bytes = 0

  add(bytes: number): void {
    this.count++
    this.#bytes += bytes
  }

  get total(): { readonly count: number; readonly bytes: number } {
    return { count: this.count, bytes: this.#bytes }
  }
}
