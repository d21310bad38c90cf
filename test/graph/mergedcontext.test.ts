import { describe, expect, it } from 'vitest'
import { contextOf } from '../../src/graph/context.ts'
import type { ContextAccess } from '../../src/graph/contextwalk.ts'
import { textOf, traitsOf, type View } from '../../src/model/view.ts'

interface Node {
  readonly view: View
  readonly parents: readonly number[]
  readonly target?: number
}

const access = (nodes: readonly Node[]): ContextAccess<number> => ({
  parent: (at) => nodes[at]?.parents[0],
  otherParents: (at) => (nodes[at] as Node).parents.slice(1),
  traits: (at) => traitsOf((nodes[at] as Node).view),
  view: (at) => (nodes[at] as Node).view,
  links: (at) => {
    const target = nodes[at]?.target
    return target === undefined ? {} : { target }
  },
})
const says = (text: string, ...parents: readonly number[]): Node => ({
  view: { role: 'user', blocks: [{ kind: 'text', text }] },
  parents,
})
const merge = (from: string, parents: readonly number[], target?: number, summary?: string): Node => ({
  view: {
    role: null,
    blocks: [],
    effect: { kind: 'merge', from, ...(summary !== undefined && { summary }) },
  },
  parents,
  ...(target !== undefined && { target }),
})
const texts = async (nodes: readonly Node[]): Promise<(string | null)[]> =>
  (await contextOf(nodes.length - 1, access(nodes), { valid: true })).items.map(({ view }) => textOf(view))

const mark = (from: string): string => `[What follows was said on '${from}' and is merged here.]`

describe('a merge in a context', () => {
  it('adds the entries of the other path after the target', async () => {
    const nodes = [says('a'), says('b', 0), says('c', 0), merge('try', [1, 2], 0), says('d', 3)]
    expect(await texts(nodes)).toEqual(['a', 'b', mark('try'), 'c', 'd'])
  })

  it('adds nothing without other parents, and nothing that is there already', async () => {
    const nodes = [says('a'), says('b', 0), merge('self', [1, 1])]
    expect(await texts(nodes)).toEqual(['a', 'b', mark('self')])
    const told = access([says('a'), says('b'), merge('b', [0, 1])])
    const { items } = await contextOf(2, { ...told, otherParents: () => [] })
    expect(items.map(({ view }) => textOf(view))).toEqual(['a', mark('b')])
  })

  it('is replaced by a summary, without reading the other path', async () => {
    const nodes = [says('a'), merge('gone', [0, 99], undefined, 'S')]
    const { items } = await contextOf(1, access(nodes))
    expect(items[1]).toMatchObject({ part: 'branch-summary', view: { effect: { text: "From 'gone':\nS" } } })
  })

  it('may be nested 20,000 deep', async () => {
    const nodes: Node[] = [says('0')]
    for (let i = 1; i <= 20_000; i++) {
      const last = nodes.length - 1
      nodes.push(says(`${i}`))
      nodes.push(merge(`${i}`, [nodes.length - 1, last]))
    }
    const said = await texts(nodes)
    expect(said.length).toBe(40_001)
    expect([said[0], said[1], said.at(-2), said.at(-1)]).toEqual(['20000', mark('20000'), mark('1'), '0'])
  })

  it('may occur 20,000 times on a path', async () => {
    const nodes: Node[] = [says('root')]
    let tip = 0
    for (let i = 1; i <= 20_000; i++) {
      nodes.push(says(`${i}`, 0))
      nodes.push(merge(`${i}`, [tip, nodes.length - 1], 0))
      tip = nodes.length - 1
    }
    const said = await texts(nodes)
    expect(said.length).toBe(40_001)
    expect([said[1], said[2], said.at(-1)]).toEqual([mark('1'), '1', '20000'])
  })
})
