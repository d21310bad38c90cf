import type { ParsedEntry, RecordIndex } from './format.ts'

/** The records that may be chained again for each record of a file, and those that any file may chain again. */
const PER_RECORD = 32
const FREE = 10_000

/**
 * Bounds how much of a file is chained again: a record that changes an early message moves every entry after it, so that a
 * file made of such records would take time and space that grow with the square of its size.
 */
export class RechainBudget {
  private left = FREE

  read(): void {
    this.left += PER_RECORD
  }

  /** Spends the cost of chaining records again: their number. Returns false, and spends nothing, if it is too much. */
  spend(cost: number): boolean {
    if (cost > this.left) return false
    this.left -= cost
    return true
  }
}

/** Returns the links of an entry that is chained again, to the entries that took the place of their targets. */
export function movedLinks(
  links: ParsedEntry['links'],
  moved: ReadonlyMap<RecordIndex, RecordIndex>,
): ParsedEntry['links'] {
  if (!links) return undefined
  const now = (entry: RecordIndex): RecordIndex => moved.get(entry) ?? entry
  const { firstKept, kept, target } = links
  return {
    ...(firstKept !== undefined && { firstKept: now(firstKept) }),
    ...(kept && { kept: kept.map(now) }),
    ...(target !== undefined && { target: now(target) }),
  }
}
