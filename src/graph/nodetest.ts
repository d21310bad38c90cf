import type { Awaitable } from '../model/awaitable.ts'

/** A predicate on nodes. A higher `cost` means a more expensive one; costs are only compared. */
export interface NodeTest<N> {
  readonly cost: number
  readonly holds: (node: N) => Awaitable<boolean>
}

/** Returns the negation of a test. */
export const negated = <N>({ cost, holds }: NodeTest<N>): NodeTest<N> => ({
  cost,
  holds: async (node) => !(await holds(node)),
})

/** Returns the conjunction of tests. The cheapest run first. */
export const every = <N>(tests: readonly NodeTest<N>[]): NodeTest<N> => combined(tests, true)

/** Returns the disjunction of tests. The cheapest run first. */
export const some = <N>(tests: readonly NodeTest<N>[]): NodeTest<N> => combined(tests, false)

/** Runs tests until one returns something other than `expected`. */
function combined<N>(tests: readonly NodeTest<N>[], expected: boolean): NodeTest<N> {
  const sorted = [...tests].sort((a, b) => a.cost - b.cost)
  const [first, ...more] = sorted
  if (first && more.length === 0) return first
  return {
    cost: sorted.at(-1)?.cost ?? 0,
    holds: async (node) => {
      for (const { holds } of sorted) if ((await holds(node)) !== expected) return !expected
      return expected
    },
  }
}
