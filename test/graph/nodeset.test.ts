import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NodeSet } from '../../src/graph/nodeset.ts'

it('is a set that knows its order', () => {
  const anyNode = fc.oneof(fc.nat(40), fc.nat(100_000), fc.constantFrom(8191, 8192, 2 ** 47))
  fc.assert(
    fc.property(fc.array(anyNode), fc.array(anyNode), (nodes, others) => {
      const set = new NodeSet()
      const known = new Set<number>()
      for (const node of nodes) {
        expect(set.add(node)).toBe(!known.has(node))
        known.add(node)
      }
      const sorted = [...known].sort((a, b) => a - b)
      expect([set.size, [...set], [...set.descending()]]).toEqual([known.size, sorted, sorted.toReversed()])
      expect([...new NodeSet(nodes)]).toEqual(sorted)
      expect(others.map((node) => set.has(node))).toEqual(others.map((node) => known.has(node)))
    }),
  )
})
