import type { Operation } from '../../model/operation.ts'
import type { Reader } from '../reader.ts'

/**
 * Returns whether two stores are states of one history: whether the newest operation that both have is the same. True
 * where they have none in common. Operations after `last` are not compared: a repair writes operations of its own.
 */
export async function shareHistory(one: Reader, other: Reader, last = Infinity): Promise<boolean> {
  return (await isSameInFirst(one, other, { reverse: true, last })) ?? true
}

/** Returns whether one store is a copy of another, even if both were written since: whether they began alike. */
export async function beganAlike(one: Reader, other: Reader): Promise<boolean> {
  return (await isSameInFirst(one, other, { reverse: false, last: Infinity })) ?? false
}

/**
 * Returns whether the oldest operation that two stores have, or the newest one, is the same in both; undefined where they
 * have none in common.
 */
async function isSameInFirst(
  one: Reader,
  other: Reader,
  { reverse, last }: { readonly reverse: boolean; readonly last: number },
): Promise<boolean | undefined> {
  const logs = [await one.operationLog(), await other.operationLog()]
  const after = Math.max(...logs.map(({ dropped }) => dropped.operation))
  const upTo = Math.min(last, ...logs.map(({ latest }) => latest))
  for await (const a of one.operations({ after, upTo, reverse })) {
    const b = await other.operation(a.number)
    if (isKnown(a) && isKnown(b)) return a.time === b.time && a.who === b.who
  }
  return undefined
}

/** Nobody is named as who wrote an operation that only the journal has. Ids differ after one that was lost. */
const isKnown = (operation: Operation | undefined): operation is Operation =>
  operation !== undefined && operation.who !== ''
