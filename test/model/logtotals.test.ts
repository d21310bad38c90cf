import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  joinedTotals,
  type LogTotals,
  sumsOf,
  TotalsBuilder,
  withPlainEntry,
  withWhole,
} from '../../src/model/logtotals.ts'
import { promptIn } from '../../src/model/prompt.ts'
import { weightOf } from '../../src/model/tokens.ts'
import { priceSums, usedTokens } from '../../src/model/usage.ts'
import type { Usage, View } from '../../src/model/view.ts'

const says = (text: string, role: View['role'] = 'user'): View => ({ role, blocks: [{ kind: 'text', text }] })
const used = (usage: Usage): View => ({ role: 'assistant', blocks: [], usage })

const withoutSpending = (totals: LogTotals): LogTotals =>
  Object.fromEntries(Object.entries(totals).filter(([name]) => name !== 'spending'))

function summaryOf(views: readonly View[], before?: LogTotals): LogTotals {
  const builder = new TotalsBuilder(before)
  for (const view of views) builder.add(view)
  return withoutSpending(builder.totals)
}

describe('promptIn', () => {
  it('gives the words of the user, white space single', () => {
    expect(promptIn(says('  Fix\n\tthe   build \n'))).toBe('Fix the build')
  })

  it('looks behind what an editor says before them', () => {
    const text =
      '# Context from my IDE setup:\n\n## Open tabs:\n- a.md\n\n## My request for Codex:\nFix the build'
    expect(promptIn(says(text))).toBe('Fix the build')
    expect(promptIn(says('# Context from my IDE setup: none'))).toBe('# Context from my IDE setup: none')
  })

  it.each<[string, readonly string[], string | undefined]>([
    ['an editor', ['<ide_opened_file>a.ts</ide_opened_file>', 'Fix it'], 'Fix it'],
    ['an image', ['<image name=[Image #1]>', '</image>', 'What is on [Image #1]?'], 'What is on [Image #1]?'],
    ['nothing, before a file', ['Read @a', '--- Content from referenced files ---'], 'Read @a'],
    ['a time', ['<timestamp>Monday</timestamp>\n<user_query>\nFix it\n</user_query>'], 'Fix it'],
    ['the user', ['<USER_REQUEST>\nFix it\n</USER_REQUEST>\n<NOTE>x</NOTE>'], 'Fix it'],
    ['a tag that nothing ends', ['<user_query>\nFix it'], undefined],
    [
      'a command',
      [
        '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>it</command-args>',
      ],
      '/review it',
    ],
    [
      'a command without arguments',
      ['<command-message>x</command-message><command-name>/x</command-name>'],
      '/x',
    ],
    [
      'what is done at once',
      ['<command-name>/clear</command-name>\n<command-message>clear</command-message>'],
      undefined,
    ],
  ])('looks for words of the user behind those of %s', (_, texts, words) => {
    const blocks = texts.map((text) => ({ kind: 'text', text }) as const)
    expect(promptIn({ role: 'user', blocks })).toBe(words)
  })

  it('keeps at most 120 units, in whole characters', () => {
    expect(promptIn(says('a'.repeat(120)))).toBe('a'.repeat(120))
    expect(promptIn(says('a'.repeat(121)))).toBe(`${'a'.repeat(119)}…`)
    expect(promptIn(says(`${'a'.repeat(118)}😀b`))).toBe(`${'a'.repeat(118)}\ufffd…`)
    expect(promptIn(says(`${'\n'.repeat(5000)}deep`))).toBe('deep')
  })

  it.each([
    says('Hello', 'assistant'),
    says(' \n '),
    { role: 'user', blocks: [{ kind: 'image', mediaType: 'image/png', bytes: 1 }] } as const,
    says('<system-reminder>be kind</system-reminder>'),
    says('# AGENTS.md instructions'),
    says('Caveat: the messages below'),
    says('[Request interrupted by user for tool use]'),
    { ...says('A hook said so'), aside: true } as const,
    says('This session is being continued from a previous conversation'),
  ])('takes nothing else for a prompt', (view) => expect(promptIn(view)).toBeUndefined())
})

describe('a summary', () => {
  it('counts prompts, tool calls, tokens and cost, and names the last model', () => {
    const call = { kind: 'toolCall', id: '1', name: 'read', input: null } as const
    expect(
      summaryOf([
        says('Hi'),
        { role: null, blocks: [], sets: { model: { id: 'one' } } },
        { ...used({ input: 10, output: 2, cost: 0.5 }), blocks: [call, call] },
        says('<nothing>'),
        { ...used({ input: 1, cacheRead: 7, cacheWrite: 3, cost: 0.25 }), sets: { model: { id: 'two' } } },
        says('More'),
      ]),
    ).toEqual({
      prompts: 2,
      calls: 2,
      input: 11,
      output: 2,
      cacheRead: 7,
      cacheWrite: 3,
      cost: 0.75,
      model: 'two',
    })
  })

  it('counts a call once, by the largest of what its entries say', () => {
    const call = 'msg-1'
    const { last, ...sums } = summaryOf([
      used({ call, input: 8, output: 1, cacheRead: 100 }),
      says('a result', 'tool'),
      used({ call, input: 8, output: 753, cacheRead: 100 }),
      used({ call, input: 8, output: 753 }),
    ])
    expect(sums).toEqual({ input: 8, output: 753, cacheRead: 100 })
    expect(last).toEqual([{ call, input: 8, output: 753, cacheRead: 100 }])
    const [first] = last ?? []
    expect(summaryOf([used({ call: 'msg-2', output: 7 })], { ...sums, ...(last && { last }) })).toEqual({
      input: 8,
      output: 760,
      cacheRead: 100,
      last: [first, { call: 'msg-2', output: 7 }],
    })
  })

  it('counts a call once, also where entries of others come between, and in parts', () => {
    const calls = ['a', 'b', 'c', 'a', 'b', 'c', 'a'].map((call, i) => used({ call, output: i + 1 }))
    const whole = summaryOf(calls)
    expect(whole.output).toBe(7 + 5 + 6)
    const inParts = calls.reduce<LogTotals>((before, view) => summaryOf([view], before), {})
    expect(inParts).toEqual(whole)
  })

  it('keeps apart what has another price: models, lengths of input, costs that are known', () => {
    const by = (id: string, usage: Usage): View => ({ ...used(usage), sets: { model: { id } } })
    const totals = summaryOf([
      by('one', { input: 10 }),
      by('two', { input: 300_000 }),
      by('two', { input: 20 }),
      by('one', { input: 5, cost: 0.5 }),
    ])
    expect(totals).toEqual({
      ...{ model: 'one', input: 300_035, cost: 0.5 },
      parts: [
        { model: 'one', input: 10 },
        { model: 'two', over: 272_000, input: 300_000 },
        { model: 'two', input: 20 },
      ],
    })
    const price = {
      input: 1e6,
      cached: 0,
      output: 0,
      long: { over: 272_000, input: 2e6, cached: 0, output: 0 },
    }
    expect(priceSums(sumsOf(totals), (model) => (model === 'two' ? price : undefined))).toMatchObject({
      ...{ cost: 600_020.5, computed: 600_020, unpriced: 10 },
    })
  })

  it('moves a call whose input becomes long to the sums of its price', () => {
    const totals = summaryOf([used({ call: 'a', input: 10 }), used({ call: 'a', input: 110_000 })])
    expect(totals).toMatchObject({ input: 110_000, parts: [{ over: 100_000, input: 110_000 }] })
    expect(totals.parts).toHaveLength(1)
  })

  it('takes back an entry, and adds what records report', () => {
    const builder = new TotalsBuilder()
    builder.add({ ...says('Hi'), usage: { input: 5 } }, 'one')
    builder.addUsage({ input: 7 }, 'one')
    builder.remove({ ...says('Hi'), usage: { input: 5 } }, 'one')
    expect(withoutSpending(builder.totals)).toEqual({ input: 7, parts: [{ model: 'one', input: 7 }] })
  })

  it('takes what a source states of all calls only where no entry has usage', () => {
    expect(withWhole({ prompts: 1 }, { input: 5 }, 900_000)).toEqual({
      ...{ prompts: 1, input: 5 },
      spending: { models: [''], rows: [[1, 0, 0, 0, 5]] },
    })
    expect(withWhole({ prompts: 1, output: 2 }, { input: 5 }, 0)).toEqual({ prompts: 1, output: 2 })
  })

  it('keeps no name of a model that is longer than a line, and no count below zero', () => {
    const view = { ...used({ input: -5 }), sets: { model: { id: 'm'.repeat(5000) } } }
    expect(summaryOf([view])).toEqual({ model: 'm'.repeat(120) })
  })

  it('is the same whether an entry without usage is counted by its weight or by a builder', () => {
    const call: View = {
      role: 'assistant',
      blocks: [{ kind: 'toolCall', id: 'c', name: 'Bash', input: {} }],
    }
    const priced = { ...used({ input: 3, output: 4, call: 'x' }), sets: { model: { id: 'm' } } }
    for (const before of [[], [says('hi')], [priced, call, used({ cost: 2 })]])
      for (const plain of [says('hi'), says('yes', 'assistant'), call]) {
        const builder = new TotalsBuilder()
        for (const view of before) builder.add(view)
        const known = builder.totals
        builder.add(plain)
        // The order of keys counts too: a ref is compared by its bytes.
        expect(JSON.stringify(withPlainEntry(known, weightOf(plain)))).toBe(JSON.stringify(builder.totals))
      }
  })

  it('of two logs is that of one log with the entries of both', () => {
    const views = fc.array(
      fc
        .record({ input: fc.nat(99), output: fc.nat(99), text: fc.constantFrom('', 'Hi') })
        .map(({ text, ...usage }): View => ({ ...says(text), usage })),
    )
    fc.assert(
      fc.property(views, views, (older, newer) => {
        const both = joinedTotals(summaryOf(newer), summaryOf(older))
        expect(both).toEqual(summaryOf([...older, ...newer]))
      }),
    )
    expect(joinedTotals({ model: 'new' }, { model: 'old', calls: 1 })).toEqual({ model: 'new', calls: 1 })
    expect(joinedTotals()).toEqual({})
  })

  it('knows its tokens where any are known', () => {
    expect(usedTokens({})).toBeUndefined()
    expect(usedTokens({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 9 })).toBe(10)
  })
})
