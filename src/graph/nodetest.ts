import type { Awaitable } from '../model/awaitable.ts'

/** Tells of a node whether something holds; `cost` is higher where telling costs more. */
export interface NodeTest<N> {
  readonly cost: number
  readonly holds: (node: N) => Awaitable<boolean>
}

/** Gives the test that holds where another does not. */
export const negated = <N>({ cost, holds }: NodeTest<N>): NodeTest<N> => ({
  cost,
  holds: async (node) => !(await holds(node)),
})

/** Gives the test that holds where all of some hold: the cheapest are asked first. */
export const every = <N>(tests: readonly NodeTest<N>[]): NodeTest<N> => asked(tests, true)

/** Gives the test that holds where any of some holds: the cheapest are asked first. */
export const some = <N>(tests: readonly NodeTest<N>[]): NodeTest<N> => asked(tests, false)

/** Asks tests until one answers otherwise. */
function asked<N>(tests: readonly NodeTest<N>[], otherwise: boolean): NodeTest<N> {
  const sorted = [...tests].sort((a, b) => a.cost - b.cost)
  const [first, ...more] = sorted
  if (first && more.length === 0) return first
  return {
    cost: sorted.at(-1)?.cost ?? 0,
    holds: async (node) => {
      for (const { holds } of sorted) if ((await holds(node)) !== otherwise) return !otherwise
      return otherwise
    },
  }
}
