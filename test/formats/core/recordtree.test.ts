import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NONE } from '../../../src/formats/core/format.ts'
import { RecordTree } from '../../../src/formats/core/recordtree.ts'

describe('Nodes', () => {
  it('returns the entry at or above a node', () => {
    const nodes = new RecordTree()
    nodes.skip()
    nodes.add(NONE, true)
    nodes.add(1, false)
    nodes.add(2, false)
    nodes.add(NONE, false)
    expect([1, 2, 3, 4, NONE].map((at) => nodes.entryAt(at))).toEqual([1, 1, 1, NONE, NONE])
    expect([0, 1, 3].map((at) => nodes.isNode(at))).toEqual([false, true, true])
    expect(nodes.length).toBe(5)
  })

  it('returns the next entry on the path for a target that is none', () => {
    const nodes = new RecordTree()
    nodes.add(NONE, true)
    nodes.add(0, false)
    nodes.add(1, false)
    nodes.add(2, true)
    nodes.add(1, true)
    expect(nodes.entryFrom(1, 3)).toBe(3)
    expect(nodes.entryFrom(1, 4)).toBe(4)
    expect(nodes.entryFrom(2, 4)).toBeUndefined()
    expect(nodes.entryFrom(1, 2)).toBeUndefined()
    expect(nodes.entryFrom(0, NONE)).toBeUndefined()
  })

  it('answers as a walk from node to node does, on any tree', () => {
    const tree = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(tree, fc.nat(), fc.nat(), (shape, from, to) => {
        const nodes = new RecordTree()
        const parents: number[] = []
        const entries: boolean[] = []
        for (const [place, kind] of shape) {
          const at = parents.length
          parents.push(at === 0 || place % 17 === 0 ? NONE : place % 3 === 0 ? place % at : at - 1)
          entries.push(kind > 0)
          nodes.add(parents[at] as number, kind > 0)
        }
        const tip = to % shape.length
        const target = from % shape.length
        const path: number[] = []
        for (let at = tip; at !== NONE; at = parents[at] as number) path.unshift(at)
        const below = path.includes(target) ? path.slice(path.indexOf(target)) : []
        expect(nodes.entryFrom(target, tip)).toBe(below.find((at) => entries[at]))
        expect(nodes.entryAt(tip)).toBe(path.findLast((at) => entries[at]) ?? NONE)
      }),
    )
  })

  it('stays quick on a path of 200,000 nodes', () => {
    const nodes = new RecordTree()
    for (let at = 0; at < 200_000; at++) nodes.add(at - 1, at % 2 === 0)
    for (let at = 0; at < 200_000; at += 97) expect(nodes.entryFrom(1, at)).toBe(at < 2 ? undefined : 2)
  })
})
