import { type Awaitable, collected } from '../model/async.ts'
import { hasCode, SessError } from '../model/errors.ts'
import type { Backend } from '../storage/backend.ts'
import { monotonicNow } from '../storage/clock.ts'
import type { Lease, LeaseHandle } from './lease/lease.ts'
import type { Reader } from './reader.ts'
import type { ReadOptions } from './writeaccess.ts'

/** Yields results from a reader. */
export type StreamWork<T> = (reader: Reader) => AsyncIterable<T>

/** How results are yielded one by one. */
interface StreamPaging<T> {
  /** Read a snapshot from the beginning: the work takes long, or must not be begun twice. */
  readonly isLong?: boolean
  /** Returns a result that stays valid while later ones are read. */
  readonly keep?: (item: T) => T
}

export interface StreamOptions<T> extends ReadOptions, StreamPaging<T> {}

/** The results and milliseconds for which the database may be held before the first one is yielded. */
const PAGE_ITEMS = 1000
const PAGE_TIME = 200

type StreamLease = Pick<Lease, 'acquire' | 'closeIfIdle' | 'copy' | 'opened'>

/** Reads results from a backend. `isOver` is to be called now and then while they are read, and throws to end that. */
type BackendWork<T> = (backend: Backend, isOver?: () => void) => Promise<AsyncIterable<T>>

/**
 * Yields results without holding the database that others wait for, however slow the consumer is. What is short is read
 * at once, and the database released before the first result is yielded. Anything longer is read again, from a snapshot,
 * which does not change and holds nobody up; where the disk takes none, the database is held.
 */
export async function* streamed<T>(
  lease: StreamLease,
  paging: StreamPaging<T>,
  work: BackendWork<T>,
): AsyncGenerator<T> {
  const from = await readShort(lease, paging, work)
  if (!('release' in from)) {
    yield* from
    return
  }
  try {
    yield* await work(from.backend)
  } finally {
    from.release()
  }
}

/** Returns all results where they are few, else what they are to be read from. */
async function readShort<T>(
  lease: StreamLease,
  { isLong = false, keep = (item) => item }: StreamPaging<T>,
  work: BackendWork<T>,
): Promise<readonly T[] | LeaseHandle> {
  const live = await lease.acquire('read')
  // A snapshot already: another process has the database.
  if (live.backend !== lease.opened) return live
  let isKept = false
  let copy: LeaseHandle | undefined
  try {
    const page = isLong ? undefined : await onePage((isOver) => work(live.backend, isOver), keep)
    if (page) return page
    copy = await copyOf(lease)
    isKept = !copy
    return copy ?? live
  } finally {
    if (!isKept) live.release()
    // Its caches and mapped tables would stay in memory beside those of the snapshot.
    if (copy) lease.closeIfIdle()
  }
}

/** Returns all results if they fit into a page, else undefined. */
async function onePage<T>(
  read: (isOver: () => void) => Promise<AsyncIterable<T>>,
  keep: (item: T) => T,
): Promise<T[] | undefined> {
  const until = monotonicNow() + PAGE_TIME
  let isFull = false
  const isOver = (): void => {
    if (monotonicNow() <= until) return
    isFull = true
    throw new SessError('stopped', 'the page is full')
  }
  const page: T[] = []
  try {
    for await (const item of await read(isOver)) {
      if (page.push(keep(item)) > PAGE_ITEMS) return undefined
      isOver()
    }
    return page
  } catch (error) {
    // The work may add to the error, such as a place in an expression.
    if (isFull) return undefined
    throw error
  }
}

/** Returns a snapshot; undefined where none can be made. */
async function copyOf(lease: StreamLease): Promise<LeaseHandle | undefined> {
  try {
    return await lease.copy()
  } catch (error) {
    if (hasCode(error, 'no-space') || hasCode(error, 'cannot-write')) return undefined
    throw error
  }
}

/** An open store, as far as long reads need it. */
interface Streaming {
  stream<T>(work: StreamWork<T>): AsyncIterable<T>
}

/**
 * Returns what work on a reader returns. Work that takes long is begun again on a snapshot, which does not change, and the
 * database goes to those that wait for it.
 */
export async function readAside<T>(repo: Streaming, work: (reader: Reader) => Awaitable<T>): Promise<T> {
  const results = repo.stream(async function* (reader) {
    yield { result: await work(reader) }
  })
  const [only] = await collected(results)
  return (only as { readonly result: T }).result
}
