import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupBranches } from '../../src/graph/tree.ts'
import { drawn, markOf } from '../../src/text/graph.ts'
import { type Knot, Lanes } from '../../src/text/lanes.ts'
import { runs } from '../support/amount.ts'
import { anyDag, type Parents } from '../support/dag.ts'

interface Drawing {
  readonly lines: readonly string[]
  readonly order: readonly number[]
}

/** Draws nodes in an order; the names of nodes stand behind their rows. */
function draw(knots: readonly Knot[], main?: string): Drawing {
  const lanes = new Lanes(main)
  const lines: string[] = []
  for (const knot of knots)
    for (const row of lanes.add(knot)) {
      const [before, after] = drawn(row, false)
      lines.push((row.kind === 'node' ? before + markOf('entry', false) + after : before).trimEnd())
    }
  return { lines, order: knots.map(({ id }) => Number(id)) }
}

const knotOf = (parents: Parents, node: number): Knot => ({
  id: String(node),
  parents: (parents[node] ?? []).map(String),
})

/** Newest first, as they are numbered. */
const numbered = (parents: Parents): Knot[] => parents.map((_, node) => knotOf(parents, node)).reverse()

/** The branches that diverge from a path at one entry. */
function together(parents: Parents): Knot[] {
  const children = (node: number): number[] =>
    parents.flatMap((of, child) => (of.includes(node) ? [child] : [])).reverse()
  const roots = parents.flatMap((of, node) => (of.length === 0 ? [node] : []))
  return [...groupBranches(roots, children)].map((node) => knotOf(parents, node))
}

/** Reads a drawing as people do: follows lines down from each node to those that they meet. */
function edgesOf({ lines, order }: Drawing): string[] {
  const edges: string[] = []
  let lanes: Set<number>[] = []
  let count = 0
  let [last, at] = [-1, -1]
  const lane = (column: number): Set<number> => (lanes[column] ??= new Set())
  for (const line of lines) {
    const cells = Array.from({ length: Math.ceil(line.length / 2) }, (_, i) => line[2 * i] ?? ' ')
    lanes = Array.from({ length: Math.max(cells.length, lanes.length) }, (_, i) =>
      (cells[i] ?? ' ') === ' ' ? new Set() : lane(i),
    )
    for (const [column, cell] of cells.entries()) {
      const right = cells.findIndex((other, i) => i > column && '╮┤╯'.includes(other))
      if (cell === '○') {
        last = order[count++] as number
        at = column
        for (const source of lane(column)) edges.push(`${source}-${last}`)
        lanes[column] = new Set([last])
      } else if (cell === '~') lanes[column] = new Set()
      else if (cell === '╭' && cells[right] === '╯') {
        lanes[column] = lane(right)
        lanes[right] = new Set()
      } else if (cell === '╭') lanes[column] = new Set([last])
      else if (cell === '├' && cells[right] === '╮') lanes[right] = new Set([last])
      else if (cell === '├' && cells[right] === '┤') lane(at === column ? right : column).add(last)
      else if (cell === '├' && cells[right] === '╯') {
        for (const source of lane(right)) lane(column).add(source)
        lanes[right] = new Set()
      }
    }
  }
  return edges.toSorted()
}

const trueEdges = (parents: Parents): string[] =>
  parents.flatMap((of, node) => of.map((parent) => `${node}-${parent}`)).toSorted()

const shown = (knots: readonly (readonly [string, ...string[]])[], main?: string): string =>
  `\n${draw(
    knots.map(([id, ...parents]) => ({ id, parents })),
    main,
  ).lines.join('\n')}\n`

describe('lanes', () => {
  it('join each node with its parents and no others, in any order', () => {
    fc.assert(
      fc.property(anyDag, fc.boolean(), fc.option(fc.nat()), (parents, group, pick) => {
        const knots = group ? together(parents) : numbered(parents)
        const main = pick === null ? undefined : String(pick % parents.length)
        expect(edgesOf(draw(knots, main))).toEqual(trueEdges(parents))
      }),
      { numRuns: runs(500) },
    )
  })

  it('keep the main path straight at the left', () => {
    fc.assert(
      fc.property(anyDag, (parents) => {
        const main = parents.length - 1
        const path = new Set<number>()
        for (let node: number | undefined = main; node !== undefined; node = parents[node]?.[0])
          path.add(node)
        const { lines, order } = draw(together(parents), String(main))
        const rows = lines.filter((line) => line.includes('○'))
        for (const [i, node] of order.entries()) if (path.has(node)) expect(rows[i]?.[0]).toBe('○')
      }),
    )
  })

  it('show forks, merges, crossings and several roots', () => {
    expect(shown([['d', 'b'], ['c', 'b'], ['b', 'a'], ['a']])).toMatchInlineSnapshot(`
      "
      ○
      │ ○
      ├─╯
      ○
      ○
      "
    `)
    expect(shown([['m', 'c', 'b'], ['c', 'a'], ['b', 'a'], ['a']])).toMatchInlineSnapshot(`
      "
      ○
      ├─╮
      ○ │
      │ ○
      ├─╯
      ○
      "
    `)
    expect(shown([['e', 'a'], ['d', 'b'], ['c', 'a'], ['b'], ['a']])).toMatchInlineSnapshot(`
      "
      ○
      │ ○
      │ │ ○
      ├─┼─╯
      │ ○
      ○
      "
    `)
    expect(shown([['b'], ['a']])).toMatchInlineSnapshot(`
      "
      ○

      ○
      "
    `)
    expect(shown([['m', 'a', 'main'], ['main', 'a'], ['a']], 'main')).toMatchInlineSnapshot(`
      "
        ○
      ╭─┤
      ○ │
      ├─╯
      ○
      "
    `)
  })
})
