import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contextOf } from '../../src/graph/context.ts'
import type { ContextAccess, ContextItem, ContextLinks } from '../../src/graph/contextwalk.ts'
import { type Block, type Setting, textOf, traitsOf, type View } from '../../src/model/view.ts'

interface Node {
  readonly view: View
  readonly links?: ContextLinks<number>
  readonly parent?: number
}

/** Provides access to nodes by their place; each continues the one before it unless it names its parent. */
const access = (nodes: readonly Node[]): ContextAccess<number> => ({
  parent: (at) => nodes[at]?.parent ?? (at === 0 ? undefined : at - 1),
  traits: (at) => traitsOf((nodes[at] as Node).view),
  view: (at) => (nodes[at] as Node).view,
  links: (at) => nodes[at]?.links ?? {},
})
const says = (role: View['role'], text: string): Node => ({
  view: { role, blocks: [{ kind: 'text', text }] },
})
const user = (text: string) => says('user', text)
const assistant = (text: string) => says('assistant', text)
const compaction = (links: ContextLinks<number>, summary?: string, replacement?: readonly View[]): Node => ({
  view: {
    role: null,
    blocks: [],
    effect: {
      kind: 'compaction',
      ...(summary !== undefined && { summary }),
      ...(replacement && { replacement }),
    },
  },
  links,
})
const branchSummary = (text: string): Node => ({
  view: { role: null, blocks: [], effect: { kind: 'summary', text } },
})
const edit = (target: number, replacement: readonly Block[] | null): Node => ({
  view: { role: null, blocks: [], effect: { kind: 'edit', replacement } },
  links: { target },
})
const rollback = (turns: number): Node => ({
  view: { role: null, blocks: [], effect: { kind: 'rollback', turns } },
})
const sets = (setting: Setting): Node => ({ view: { role: null, blocks: [], sets: setting } })
const words = (text: string): Block => ({ kind: 'text', text })
const calls = (...ids: readonly string[]): Node => ({
  view: {
    role: 'assistant',
    blocks: ids.map((id) => ({ kind: 'toolCall', id, name: `tool ${id}`, input: null })),
  },
})
const result = (id: string): Block => ({ kind: 'toolResult', id, text: `result ${id}`, error: false })
const answers = (...ids: readonly string[]): Node => ({ view: { role: 'tool', blocks: ids.map(result) } })

/** Spells an item: its part where it is no message, and what it says. */
function spell({ part, view }: ContextItem<number>): string {
  const { effect } = view
  const said =
    effect?.kind === 'compaction' ? effect.summary : effect?.kind === 'summary' ? effect.text : textOf(view)
  const ids = view.blocks.flatMap((b) => (b.kind === 'toolCall' ? [`call ${b.id}`] : []))
  const results = view.blocks.flatMap((b) => (b.kind === 'toolResult' ? [b.text] : []))
  return [
    ...(part === 'message' ? [] : [`${part}:`]),
    ...(said === null ? [] : [said]),
    ...ids,
    ...results,
  ].join(' ')
}
const spelled = async (
  nodes: readonly Node[],
  options = {},
  tip = nodes.length - 1,
): Promise<readonly string[]> => (await contextOf(tip, access(nodes), options)).items.map(spell)

describe('contextOf', () => {
  it('returns the path from the root, and no other branch', async () => {
    const nodes = [user('a'), assistant('b'), user('side'), { ...user('c'), parent: 1 }]
    expect(await spelled(nodes)).toEqual(['a', 'b', 'c'])
    expect(await spelled(nodes, {}, 2)).toEqual(['a', 'b', 'side'])
  })

  it('C3: returns the summary of the latest compaction, what it keeps from the first kept entry, and what followed', async () => {
    const nodes = [user('a'), assistant('b'), user('c'), compaction({ firstKept: 1 }, 'S'), user('d')]
    expect(await spelled(nodes)).toEqual(['compaction-summary: S', 'kept: b', 'kept: c', 'd'])
    expect(await spelled(nodes, {}, 2)).toEqual(['a', 'b', 'c'])
  })

  it('C4: keeps nothing without a first kept entry, or with one that is not on the path', async () => {
    expect(await spelled([user('a'), compaction({}, 'S'), user('b')])).toEqual(['compaction-summary: S', 'b'])
    expect(await spelled([user('a'), compaction({ firstKept: 9 }, 'S'), user('b')])).toEqual([
      'compaction-summary: S',
      'b',
    ])
  })

  it('C5: ignores an older compaction, also where it is kept or the first kept entry', async () => {
    const older = [user('a'), compaction({ firstKept: 0 }, 'S1'), user('b')]
    expect(await spelled([...older, compaction({ firstKept: 0 }, 'S2'), user('c')])).toEqual([
      'compaction-summary: S2',
      'kept: a',
      'kept: b',
      'c',
    ])
    expect(await spelled([...older, compaction({ firstKept: 1 }, 'S2')])).toEqual([
      'compaction-summary: S2',
      'kept: b',
    ])
    expect(await spelled([...older, compaction({ kept: [0, 1, 2] }, 'S2')])).toEqual([
      'compaction-summary: S2',
      'kept: a',
      'kept: b',
    ])
  })

  it('keeps the entries that are listed', async () => {
    const nodes = [user('a'), user('b'), user('c'), compaction({ kept: [0, 2] }, 'S'), user('d')]
    expect(await spelled(nodes)).toEqual(['compaction-summary: S', 'kept: a', 'kept: c', 'd'])
    expect(await spelled([user('a'), compaction({ kept: [] }, 'S')])).toEqual(['compaction-summary: S'])
  })

  it('C9: the system prompt of a compaction replaces those that it keeps', async () => {
    const system = says('system', 'C').view
    const cut = (prompt: View | null): Node => ({
      view: { role: null, blocks: [], effect: { kind: 'compaction', summary: 'S', system: prompt } },
      links: { firstKept: 0 },
    })
    const before = [says('system', 'A'), user('a')]
    expect(await spelled([...before, cut(system), says('system', 'B')])).toEqual([
      'checkpoint: C',
      'compaction-summary: S',
      'kept: a',
      'B',
    ])
    expect(await spelled([...before, cut(null)])).toEqual(['compaction-summary: S', 'kept: a'])
    const older = ['compaction-summary: S', 'kept: A', 'kept: a']
    expect(await spelled([...before, cut(system)], { checkpoints: false })).toEqual(older)
    expect(await spelled([...before, compaction({ firstKept: 0 }, 'S')])).toEqual(older)
  })

  it('C14: a compaction on a branch from the root hides what it replaces, one within the path cuts it', async () => {
    const branch = [user('root'), user('a'), user('b'), { ...compaction({}, 'S'), parent: 0 }, user('c')]
    expect(await spelled(branch)).toEqual(['compaction-summary: S', 'c'])
    const inline = [user('root'), user('a'), user('b'), compaction({ firstKept: 2 }, 'S'), user('c')]
    expect(await spelled(inline)).toEqual(['compaction-summary: S', 'kept: b', 'c'])
  })

  it('C13: returns the messages that a compaction carries', async () => {
    const replacement = [user('x').view, assistant('y').view]
    const nodes = [user('a'), compaction({ firstKept: 0 }, 'S', replacement), user('b')]
    const { items } = await contextOf(2, access(nodes))
    expect(items.map(spell)).toEqual(['compaction-summary: S', 'replacement: x', 'replacement: y', 'b'])
    expect(items.map((item) => item.index)).toEqual([undefined, 0, 1, undefined])
    expect(await spelled([user('a'), compaction({}, undefined, replacement), user('b')])).toEqual([
      'replacement: x',
      'replacement: y',
      'b',
    ])
  })

  it('cuts at a compaction whose summary is the next entry, which then precedes what is kept', async () => {
    expect(await spelled([user('a'), compaction({}), user('the summary'), user('b')])).toEqual([
      'the summary',
      'b',
    ])
    expect(await spelled([user('a'), compaction({ firstKept: 0 }), user('the summary'), user('b')])).toEqual([
      'the summary',
      'kept: a',
      'b',
    ])
    expect(await spelled([user('a'), compaction({ firstKept: 0 })])).toEqual(['kept: a'])
  })

  it('C6: returns branch summaries, and nothing for entries without content', async () => {
    const nodes = [
      user('a'),
      branchSummary('B'),
      sets({ mode: 'plan' }),
      says('user', ''),
      { view: user('').view },
    ]
    expect(await spelled(nodes)).toEqual(['a', 'branch-summary: B', '', ''])
    const empty: Node = { view: { role: 'assistant', blocks: [] } }
    expect((await contextOf(0, access([empty]))).items).toEqual([
      { node: 0, part: 'message', view: empty.view },
    ])
  })

  it('returns hidden commands of the user, without a role', async () => {
    expect((await contextOf(0, access([says(null, 'ran')]))).items[0]?.view.role).toBeNull()
  })
})

describe('edits', () => {
  it('are not applied where they are switched off', async () => {
    expect(await spelled([user('a'), edit(0, null), user('b')], { edits: false })).toEqual(['a', 'b'])
  })

  it('C8: the latest edit on the path counts; null hides', async () => {
    const nodes = [user('a'), user('b'), edit(0, null), edit(1, [words('B')]), edit(0, [words('A')])]
    expect(await spelled(nodes)).toEqual(['A', 'B'])
    expect(await spelled(nodes, {}, 3)).toEqual(['B'])
    expect(await spelled(nodes, {}, 2)).toEqual(['b'])
    expect((await contextOf(4, access(nodes))).items.map((item) => item.edit)).toEqual([4, 3])
  })

  it('reach what a compaction keeps, and its summary', async () => {
    const nodes = [user('a'), edit(0, [words('A')]), user('b'), compaction({ firstKept: 0 }, 'S')]
    expect(await spelled(nodes)).toEqual(['compaction-summary: S', 'kept: A', 'kept: b'])
    expect(await spelled([...nodes.slice(0, 3), compaction({ kept: [0] }, 'S')])).toEqual([
      'compaction-summary: S',
      'kept: A',
    ])
    expect(await spelled([...nodes, edit(3, null), edit(2, null)])).toEqual(['kept: A'])
  })

  it('keep a result with its call', async () => {
    const nodes = [
      calls('x'),
      answers('x'),
      edit(1, [words('cleared'), { kind: 'image', mediaType: 'i', bytes: 1 }]),
    ]
    const { items } = await contextOf(2, access(nodes))
    expect(items[1]?.view.blocks).toEqual([
      { kind: 'toolResult', id: 'x', text: 'cleared', error: false },
      { kind: 'image', mediaType: 'i', bytes: 1 },
    ])
    const whole = [calls('x'), answers('x'), edit(1, [{ ...result('x'), text: 'new' } as Block])]
    expect(await spelled(whole)).toEqual(['call x', 'new'])
  })
})

describe('rollbacks', () => {
  it('hide the last turns of the user with all that followed them', async () => {
    const nodes = [user('a'), assistant('b'), user('c'), assistant('d'), rollback(1), user('e')]
    expect(await spelled(nodes)).toEqual(['a', 'b', 'e'])
    expect(await spelled([...nodes, rollback(2), user('f')])).toEqual(['f'])
    expect(await spelled([...nodes, rollback(99)])).toEqual([])
    expect(await spelled([...nodes, rollback(-1)])).toEqual(['a', 'b', 'e'])
  })

  it('count only turns that earlier ones left', async () => {
    const nodes = [user('a'), user('b'), rollback(1), user('c'), rollback(2), user('d')]
    expect(await spelled(nodes)).toEqual(['d'])
    expect(await spelled([user('z'), ...nodes])).toEqual(['z', 'd'])
  })

  it('revert a compaction and edits of the hidden turns', async () => {
    const nodes = [user('a'), user('b'), compaction({}, 'S'), edit(0, null), rollback(1), user('c')]
    expect(await spelled(nodes)).toEqual(['a', 'c'])
  })

  it('revert a compaction that followed the turns, and reach into what one keeps', async () => {
    const nodes = [user('a'), user('b'), user('c'), compaction({ firstKept: 1 }, 'S'), rollback(1), user('d')]
    expect(await spelled(nodes)).toEqual(['a', 'b', 'd'])
    const before = [user('a'), user('b'), rollback(1), compaction({ firstKept: 0 }, 'S'), user('d')]
    expect(await spelled(before)).toEqual(['compaction-summary: S', 'kept: a', 'd'])
  })
})

describe('settings', () => {
  const nodes = [
    sets({ model: { id: 'm1' }, mode: 'plan' }),
    sets({ thinking: 'high' }),
    sets({ model: { provider: 'p', id: 'm2' } }),
    user('a'),
    compaction({}, 'S'),
    user('b'),
  ]

  it('C2: come from the nearest entries that set them, before a compaction too', async () => {
    expect(await contextOf(5, access(nodes))).toMatchObject({
      model: { provider: 'p', id: 'm2' },
      thinking: 'high',
      mode: 'plan',
    })
    expect(Object.keys(await contextOf(0, access([user('a')])))).toEqual(['items', 'repairs'])
  })

  it('are the same with jumps', async () => {
    const plain = access(nodes)
    const asked: [number, number][] = []
    const jumping: ContextAccess<number> = {
      ...plain,
      setter: (at, bit) => {
        asked.push([at, bit])
        return nodes.findLastIndex((node, i) => i <= at && (traitsOf(node.view) & bit) !== 0)
      },
    }
    expect(await contextOf(5, jumping)).toEqual(await contextOf(5, plain))
    expect(asked).toEqual([
      [4, 32],
      [4, 64],
      [4, 128],
    ])
  })
})

describe('reads', () => {
  it('C15: are limited to the returned entries', async () => {
    const nodes = [
      ...Array.from({ length: 50 }, (_, i) => user(`u${i}`)),
      compaction({ firstKept: 45 }, 'S'),
      user('z'),
    ]
    const met = new Set<number>()
    const base = access(nodes)
    const counting: ContextAccess<number> = {
      ...base,
      traits: (at) => {
        met.add(at)
        return base.traits(at)
      },
      view: (at) => {
        met.add(at)
        return base.view(at)
      },
      setter: () => undefined,
    }
    const { items } = await contextOf(51, counting)
    expect(items.map(spell)).toEqual([
      'compaction-summary: S',
      ...[45, 46, 47, 48, 49].map((i) => `kept: u${i}`),
      'z',
    ])
    expect([...met].sort((a, b) => a - b)).toEqual([45, 46, 47, 48, 49, 50, 51])
  })

  it('may be promises', async () => {
    const nodes = [
      sets({ thinking: 'low' }),
      user('a'),
      compaction({ firstKept: 1 }, 'S'),
      edit(1, [words('A')]),
    ]
    const base = access(nodes)
    const promised: ContextAccess<number> = {
      parent: async (at) => base.parent(at),
      traits: async (at) => base.traits(at),
      view: async (at) => base.view(at),
      links: async (at) => base.links(at),
    }
    expect(await contextOf(3, promised)).toEqual(await contextOf(3, base))
  })

  it('may cover a path of 300,000 entries', async () => {
    const view = user('x').view
    const long: ContextAccess<number> = {
      parent: (at) => (at === 0 ? undefined : at - 1),
      traits: () => 1,
      view: () => view,
      links: () => ({}),
    }
    expect((await contextOf(299_999, long, { valid: true })).items).toHaveLength(300_000)
  })
})

describe('valid', () => {
  const valid = { valid: true }

  it('drops results without a call, and messages without other content', async () => {
    const nodes = [
      answers('x'),
      { view: { role: 'user', blocks: [result('y'), words('and')] } } satisfies Node,
    ]
    const context = await contextOf(1, access(nodes), valid)
    expect(context.items.map(spell)).toEqual(['and'])
    expect(context.repairs).toEqual([
      { kind: 'dropped-result', node: 0, call: 'x' },
      { kind: 'dropped-result', node: 1, call: 'y' },
    ])
    expect(await spelled(nodes)).toEqual(['result x', 'and result y'])
  })

  it('drops other content of a dropped result', async () => {
    const blocks: Block[] = [result('x'), { kind: 'image', mediaType: 'i', bytes: 1 }]
    expect(await spelled([{ view: { role: 'tool', blocks } }], valid)).toEqual([])
  })

  it('C12: adds a result right after calls without one', async () => {
    const context = await contextOf(2, access([calls('x', 'y'), answers('x'), user('go on')]), valid)
    expect(context.items.map(spell)).toEqual([
      'call x call y',
      'closing: no result was recorded',
      'result x',
      'go on',
    ])
    expect(context.items[1]).toEqual({
      node: 0,
      part: 'closing',
      view: {
        role: 'tool',
        blocks: [
          { kind: 'toolResult', id: 'y', name: 'tool y', text: 'no result was recorded', error: true },
        ],
      },
    })
    expect(context.repairs).toEqual([{ kind: 'closed-call', node: 0, call: 'y' }])
  })

  it('accepts later results in any order', async () => {
    const nodes = [calls('x'), calls('y'), answers('x'), answers('y')]
    expect(await spelled(nodes, valid)).toEqual(['call x', 'call y', 'result x', 'result y'])
  })

  it('leaves neither a call nor a result alone where a compaction cuts between them', async () => {
    const nodes = [calls('x'), answers('x'), user('a'), compaction({ firstKept: 1 }, 'S')]
    expect(await spelled(nodes, valid)).toEqual(['compaction-summary: S', 'kept: a'])
  })

  it('drops the result of a call that an edit hides', async () => {
    expect(await spelled([calls('x'), answers('x'), edit(0, null)], valid)).toEqual([])
  })

  it('counts each result once', async () => {
    const context = await contextOf(
      3,
      access([calls('x'), calls('x'), answers('x'), answers('x', 'x')]),
      valid,
    )
    expect(context.items.map(spell)).toEqual(['call x', 'call x', 'result x', 'result x'])
    expect(context.repairs).toEqual([{ kind: 'dropped-result', node: 3, call: 'x' }])
  })

  it('is valid for any path', async () => {
    const ids = fc.constantFrom('x', 'y', 'z')
    const node = fc.oneof(
      fc.array(ids, { minLength: 1, maxLength: 3 }).map((list) => calls(...list)),
      fc.array(ids, { minLength: 1, maxLength: 3 }).map((list) => answers(...list)),
      fc.constantFrom(user('u'), rollback(1), compaction({}, 'S')),
      fc.nat({ max: 10 }).map((at) => compaction({ firstKept: at }, 'S')),
      fc.nat({ max: 10 }).map((at) => edit(at, null)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 30 }), async (nodes) => {
        const { items } = await contextOf(nodes.length - 1, access(nodes), valid)
        const open = new Map<string, number>()
        for (const block of items.flatMap((item) => item.view.blocks)) {
          if (block.kind === 'toolCall') open.set(block.id, (open.get(block.id) ?? 0) + 1)
          if (block.kind !== 'toolResult') continue
          expect(open.get(block.id) ?? 0).toBeGreaterThan(0)
          open.set(block.id, (open.get(block.id) as number) - 1)
        }
        expect([...open.values()].filter((count) => count > 0)).toEqual([])
      }),
    )
  })

  it('uses the item of a node instead of its view, unless it is edited or there is none', async () => {
    const viewed: number[] = []
    const nodes = [user('a'), user('b'), user('c'), user('d'), edit(1, [words('B')])]
    const { items } = await contextOf(4, {
      ...access(nodes),
      view: (at) => {
        viewed.push(at)
        return (nodes[at] as Node).view
      },
      itemOf: (node, part) =>
        node === 2 ? undefined : Promise.resolve({ node, part, view: user(`told ${node}`).view }),
    })
    expect(items.map(spell)).toEqual(['told 0', 'B', 'c', 'told 3'])
    expect(viewed).toEqual([4, 2, 1])
  })

  it('marks such an item where it carries the summary of the compaction before it', async () => {
    const nodes = [user('a'), compaction({}), user('b'), user('c')]
    const { items } = await contextOf(3, {
      ...access(nodes),
      itemOf: (node, part) => ({ node, part, view: user(`told ${node}`).view }),
    })
    expect(items.map(({ node, summary }) => [node, summary])).toEqual([
      [2, true],
      [3, undefined],
    ])
  })
})
