import { type CommitPoint, type RefValue, sameValue } from '../../model/operation.ts'
import type { RefName } from '../../model/refname.ts'
import { journalOf } from '../../repo/journalcheck.ts'
import { operationsBetween } from '../../repo/oplog/operationlog.ts'
import { shareHistory } from '../../repo/oplog/sharedhistory.ts'
import type { Reader } from '../../repo/reader.ts'

/** A value that a ref had after an operation and a commit; undefined where it was removed. */
export interface KnownValue {
  readonly operation: number
  readonly commit: number
  readonly value: RefValue | undefined
}

/**
 * Returns the known values of each ref, the newest first: those of the database, of its operations, of the journal and of
 * backups. The present value of the database comes first, except where the journal or a backup has later commits or where
 * the value is known to be an earlier one.
 */
export async function refHistory(
  dir: string,
  reader: Reader,
  known: CommitPoint,
  backups: readonly Reader[] = [],
): Promise<Map<RefName, KnownValue[]>> {
  const all = new Map<RefName, KnownValue[]>()
  const valuesOf = (name: RefName): KnownValue[] => {
    const values = all.get(name) ?? []
    all.set(name, values)
    return values
  }
  const { latest, dropped } = await reader.operationLog()
  const { lines, first } = journalOf(dir)
  // A ref of an older line may have been removed by an operation that gc dropped: it is from an older copy of the store.
  const journalled = new Map<string, KnownValue[]>()
  for (const { operation, commit, refs } of lines.filter((line) => line.operation > dropped.operation))
    for (const [name, value] of refs) {
      const one = { operation, commit, value: value ?? undefined }
      valuesOf(name).push(one)
      const key = `${operation} ${name}`
      const others = journalled.get(key)
      if (others) others.push(one)
      else journalled.set(key, [one])
    }
  const last = Math.min(latest, known.operation)
  /** The operations of the store whose moves are known. */
  const complete = new Set<number>()
  const moved = new Set<RefName>()
  for await (const { number: operation, who, moves } of operationsBetween(reader, dropped.operation)) {
    // Nobody is named as who wrote an operation that was lost: its moves may be lost too.
    if (who !== '' && operation <= last) complete.add(operation)
    for (const { name, new: value } of moves) {
      moved.add(name)
      const same = journalled.get(`${operation} ${name}`)?.find((one) => sameValue(one.value, value))
      valuesOf(name).push({ operation, commit: same?.commit ?? known.commit, value })
    }
  }
  for (const backup of backups)
    for await (const [name, value] of valuesIn(backup, reader, known)) {
      valuesOf(name).push(value)
      if (value.operation <= dropped.operation || value.operation > last) continue
      complete.add(value.operation)
      moved.add(name)
    }
  // Where all moves are known, a value that none of those of its ref set is older: that of a former table.
  const isWhole = complete.size === last - dropped.operation
  const before: CommitPoint = { operation: dropped.operation, commit: 0 }
  for await (const [name] of reader.refs('')) valuesOf(name)
  // A ref that the beginning of the journal lacks did not exist then.
  const begun = new Set(first?.refs.map(([name]) => name))
  if (first)
    for (const [name, values] of all)
      if (!begun.has(name))
        values.push({ operation: first.operation, commit: first.commit, value: undefined })
  for (const values of all.values()) values.sort(byTime)
  for await (const [name, value] of reader.refs('')) {
    const values = valuesOf(name)
    const unknown = isWhole && moved.has(name) ? before : known
    const { operation, commit } = values.findLast((one) => sameValue(one.value, value)) ?? unknown
    // The sort is stable: the present value follows its equals, and precedes them once the list is reversed.
    values.push({ operation, commit, value })
    values.sort(byTime)
  }
  for (const values of all.values()) values.reverse()
  return all
}

/**
 * Yields the values that refs have and had in a backup of a store: none where both were written since, because their
 * operations are others, and none of a backup from before the oldest operation of the store, because a ref may have been
 * removed then.
 */
async function* valuesIn(
  backup: Reader,
  store: Reader,
  known: CommitPoint,
): AsyncGenerator<[RefName, KnownValue]> {
  if (!(await shareHistory(backup, store, known.operation))) return
  const { latest, dropped, commits: commit } = await backup.operationLog()
  const { dropped: gone } = await store.operationLog()
  // Without an id it is not known whether gc dropped operations, or damage.
  const oldest = gone.id === '' ? 0 : gone.operation
  if (latest < oldest) return
  const first = Math.max(dropped.operation, oldest)
  const moved = new Set<RefName>()
  for await (const { number: operation, moves } of operationsBetween(backup, first))
    for (const { name, new: value } of moves) {
      moved.add(name)
      yield [name, { operation, commit, value }]
    }
  for await (const [name, value] of backup.refs(''))
    if (!moved.has(name)) yield [name, { operation: first, commit, value }]
}

const byTime = (a: KnownValue, b: KnownValue): number =>
  a.operation - b.operation || compared(a.commit, b.commit)

const compared = (a: number, b: number): number => (a === b ? 0 : a - b)
