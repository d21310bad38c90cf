/** Names with how often each occurs, in the order of the names. */
export type NameCounts = readonly (readonly [name: string, count: number])[]

/**
 * The types of records, and the fields, that the readers of a source do not know. A type in an object of a record is named
 * `path/type`, a field in one `path.field`. `more` counts those whose names are not kept.
 */
export type UnknownNames = {
  readonly types: NameCounts
  readonly fields: NameCounts
  readonly more?: number
}

/** Returns the sums of counts, in the order of the names. */
export function addNames(counts: Iterable<NameCounts>): NameCounts {
  const sums = new Map<string, number>()
  for (const list of counts) for (const [name, count] of list) sums.set(name, (sums.get(name) ?? 0) + count)
  return sortedNames(sums)
}

/** Returns counts in the order of their names. */
export const sortedNames = (counts: Iterable<readonly [name: string, count: number]>): NameCounts =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
