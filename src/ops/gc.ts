import { encode } from '../model/encoding/canonical.ts'
import type { EntryHandle } from '../model/node.ts'
import type { OperationLog, RefMove } from '../model/operation.ts'
import type { LogRecord } from '../model/record.ts'
import { operationsBetween } from '../repo/oplog/operationlog.ts'
import { droppedBefore, newestBefore, Reachable } from '../repo/reachable.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { bytesBelow } from '../repo/size.ts'

/** How long unreferenced content is kept. Times are in milliseconds since 1970. */
export interface Retention {
  /** Operations since this time are kept, with everything that they reach. */
  readonly operations: number
  /** Entries that were added since this time are kept even if they are unreachable. */
  readonly grace: number
}

/** Content that is dropped, and why. */
export interface Dropped {
  readonly kind: 'entries' | 'records' | 'operations'
  /**
   * `undone`: only dropped operations reach it. `unreachable`: nothing does. `old`: operations before the retention
   * time.
   */
  readonly why: 'undone' | 'unreachable' | 'old'
  readonly count: number
  /** The size of bodies, of the other content of records, and of moves, in canonical bytes. */
  readonly bytes: number
}

/** The result of gc, or of its dry run. */
export interface Gc {
  /** Whether it was a dry run. */
  readonly dryRun: boolean
  readonly dropped: readonly Dropped[]
  readonly kept: { readonly entries: number; readonly operations: number }
  /** The number of unreachable entries that are kept because they are recent. */
  readonly spared: number
  /** The bytes of the store's folder before and after; null after a dry run. */
  readonly before: number
  readonly after: number | null
}

/** Options of gc. */
export interface GcOptions extends Retention {
  /** Pack as densely as possible, which takes much longer. */
  readonly aggressive?: boolean
  /** Called with the entries that were examined, or with the bytes that were copied, so far and in all. */
  readonly onProgress?: (step: 'looking' | 'packing', done: number, of: number) => void
}

/** The part of a store that is kept. */
interface KeptContent extends Pick<Reachable, 'entries' | 'logs' | 'blobs'> {
  readonly dropped: OperationLog['dropped']
  /** The number of entries that are kept only because they are recent. */
  readonly spared: number
}

/** The entries that are kept even if they are unreachable: none, all, or those that were stored after one. */
type RecentEntries = 'none' | 'all' | { readonly after: EntryHandle }

async function recentEntries(reader: Reader, now: number, grace: number): Promise<RecentEntries> {
  if (grace >= now) return 'none'
  const after = await newestBefore(reader, grace)
  return after === undefined ? 'all' : { after }
}

/** Decides which part of a store is kept. */
class KeptScope {
  #dropped: OperationLog['dropped']
  readonly #recent: RecentEntries
  #reach: Reachable | undefined

  private constructor(dropped: OperationLog['dropped'], recent: RecentEntries) {
    this.#dropped = dropped
    this.#recent = recent
  }

  /** The newest operation that is dropped. */
  get dropped(): OperationLog['dropped'] {
    return this.#dropped
  }

  static async of(reader: Reader, now: number, { operations, grace }: Retention): Promise<KeptScope> {
    return new KeptScope(await droppedBefore(reader, operations), await recentEntries(reader, now, grace))
  }

  /** Returns everything that refs and kept operations reach: all that the last call returned, and more. */
  async #reachable(reader: Reader): Promise<Reachable> {
    const reach = new Reachable(reader, this.#reach)
    this.#reach = reach
    await reach.addAllRefs()
    const { latest, dropped } = await reader.operationLog()
    // Another process may have dropped more since this one decided.
    if (dropped.operation > this.#dropped.operation) this.#dropped = dropped
    for await (const moves of movesBetween(reader, this.#dropped.operation, latest)) nameMoves(reach, moves)
    await reach.followAll()
    return reach
  }

  /** Returns the part of the store that is kept. */
  async kept(reader: Reader): Promise<KeptContent> {
    const reach = await this.#reachable(reader)
    const reachable = reach.entries.size
    if (this.#recent !== 'none')
      await reach.followAll(reader.entries(this.#recent === 'all' ? undefined : this.#recent.after))
    const { entries, logs, blobs } = reach
    return { entries, logs, blobs, dropped: this.#dropped, spared: entries.size - reachable }
  }

  /** Returns everything that the dropped operations reach. */
  async former(reader: Reader): Promise<Reachable> {
    const reach = new Reachable(reader)
    const { dropped } = await reader.operationLog()
    for await (const moves of movesBetween(reader, dropped.operation, this.#dropped.operation))
      nameMoves(reach, moves)
    await reach.followAll()
    return reach
  }
}

/** Yields the moves of each operation after a number, up to another one. */
async function* movesBetween(
  reader: Reader,
  after: number,
  upTo: number,
): AsyncGenerator<readonly RefMove[]> {
  for await (const { moves } of operationsBetween(reader, after, upTo)) yield moves
}

function nameMoves(reach: Reachable, moves: readonly RefMove[]): void {
  for (const move of moves) {
    reach.addRef(move.name, move.old)
    reach.addRef(move.name, move.new)
  }
}

/**
 * Removes everything that no ref and no kept operation reaches, and packs the rest. Nothing that a ref reaches,
 * or that was added within the grace period, is removed. Cannot be undone. Other processes can read and write
 * meanwhile. A dry run only returns what would be removed.
 */
export async function gc(
  repo: Repo,
  { onProgress = () => undefined, aggressive = false, ...retention }: GcOptions,
): Promise<Gc> {
  const before = bytesBelow(repo.dir)
  const { keeping, plan } = await repo.read(async (reader) => {
    const decided = await KeptScope.of(reader, repo.env.now(), retention)
    return {
      keeping: decided,
      plan: await planGc(reader, decided, (entries, of) => onProgress('looking', entries, of)),
    }
  }, PLAIN)
  if (repo.isDry) return { dryRun: true, ...plan, before, after: null }
  await repo.rewrite({
    kept: (reader) => keeping.kept(reader),
    density: aggressive ? 'best' : 'good',
    onCopied: (bytes, of) => onProgress('packing', bytes, of),
  })
  return { dryRun: false, ...plan, before, after: bytesBelow(repo.dir) }
}

/** Read entries as they are stored, without grafts. */
const PLAIN = { plain: true } as const

async function planGc(
  reader: Reader,
  keeping: KeptScope,
  onLook: (entries: number, of: number) => void,
): Promise<Pick<Gc, 'dropped' | 'kept' | 'spared'>> {
  const kept = await keeping.kept(reader)
  const former = await keeping.former(reader)
  const { entries: all } = await reader.sizes()
  const entries = { kept: 0, undone: new Count(), unreachable: new Count() }
  for await (const handle of reader.entries()) {
    if (kept.entries.has(handle)) entries.kept++
    else {
      const bytes = encode(await reader.body(handle)).length
      ;(former.entries.has(handle) ? entries.undone : entries.unreachable).add(bytes)
    }
    onLook(entries.kept + entries.undone.count + entries.unreachable.count, all)
  }
  const records = { undone: new Count(), unreachable: new Count() }
  for await (const [log, count] of reader.logs()) {
    const named = Math.min(count, kept.logs.get(log) ?? 0)
    const once = Math.max(named, Math.min(count, former.logs.get(log) ?? 0))
    // After a repair there may be gaps beyond the head of a log.
    for await (const batch of reader.readLog(log, { from: named, to: count }))
      for (const [at, record] of batch.records().entries())
        records[batch.start + at < once ? 'undone' : 'unreachable'].add(await bytesOfRecordContent(record))
  }
  const old = new Count()
  const { dropped, latest } = await reader.operationLog()
  for await (const moves of movesBetween(reader, dropped.operation, keeping.dropped.operation))
    old.add(bytesOfMoves(moves))
  const unneeded: Dropped[] = [
    { kind: 'entries', why: 'undone', ...entries.undone.total },
    { kind: 'entries', why: 'unreachable', ...entries.unreachable.total },
    { kind: 'records', why: 'undone', ...records.undone.total },
    { kind: 'records', why: 'unreachable', ...records.unreachable.total },
    { kind: 'operations', why: 'old', ...old.total },
  ]
  return {
    dropped: unneeded.filter(({ count }) => count > 0),
    kept: {
      entries: entries.kept,
      operations: latest - keeping.dropped.operation,
    },
    spared: kept.spared,
  }
}

/** Returns the number of bytes of a record without the body of its entry. */
async function bytesOfRecordContent({ lead, content }: LogRecord): Promise<number> {
  if (!('raw' in content)) return lead.length + encode(content.values).length
  let bytes = lead.length
  for (const chunk of content.raw)
    bytes += chunk instanceof Uint8Array ? chunk.length : (await chunk.read()).length
  return bytes
}

const bytesOfMoves = (moves: readonly RefMove[]): number =>
  encode(moves.map((move) => [move.name, move.old ?? null, move.new ?? null])).length

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
