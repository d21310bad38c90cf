import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinedTotals, NO_TOTALS, usedTokens, withView } from '../../src/model/logtotals.ts'
import { promptIn } from '../../src/model/prompt.ts'
import type { Usage, View } from '../../src/model/view.ts'

const says = (text: string, role: View['role'] = 'user'): View => ({ role, blocks: [{ kind: 'text', text }] })
const used = (usage: Usage): View => ({ role: 'assistant', blocks: [], usage })
const summaryOf = (views: readonly View[]) => views.reduce(withView, NO_TOTALS)

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
    expect(last).toEqual({ call, input: 8, output: 753, cacheRead: 100 })
    expect(withView({ ...sums, ...(last && { last }) }, used({ call: 'msg-2', output: 7 }))).toEqual({
      input: 8,
      output: 760,
      cacheRead: 100,
      last: { call: 'msg-2', output: 7 },
    })
  })

  it('keeps no name of a model that is longer than a line, and no count below zero', () => {
    const view = { ...used({ input: -5 }), sets: { model: { id: 'm'.repeat(5000) } } }
    expect(summaryOf([view])).toEqual({ model: 'm'.repeat(120) })
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
    expect(usedTokens({ prompts: 3 })).toBeUndefined()
    expect(usedTokens({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 9 })).toBe(10)
  })
})
