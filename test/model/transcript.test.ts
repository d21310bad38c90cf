import { expect, it } from 'vitest'
import { partOf } from '../../src/model/transcript.ts'

it('gives what an entry says, each part below its kind', () => {
  expect(
    partOf({
      role: 'assistant',
      blocks: [
        { kind: 'thinking', text: 'hm' },
        { kind: 'text', text: 'I look.' },
        { kind: 'toolCall', id: '1', name: 'Read', input: { path: 'a' } },
        { kind: 'image', mediaType: 'image/png', bytes: 9 },
      ],
    }),
  ).toBe('[Thinking]\nhm\n\n[Assistant]\nI look.\n\n[Call of Read]\npath: a\n\n[Image image/png]\n\n')
})

it('cuts results, tells summaries, and says nothing of what says nothing', () => {
  const result = { kind: 'toolResult', id: '1', text: 'x'.repeat(3000), error: true } as const
  expect(partOf({ role: 'tool', blocks: [result] })).toBe(`[Error]\n${'x'.repeat(1999)}…\n\n`)
  const effect = { kind: 'compaction', summary: 'Before.' } as const
  expect(partOf({ role: null, blocks: [], effect })).toBe('[Summary of what came before]\nBefore.\n\n')
  expect(partOf({ role: null, blocks: [], effect: { kind: 'summary', text: 'Tried.' } })).toBe(
    '[Summary of a branch that was left]\nTried.\n\n',
  )
  expect(partOf({ role: null, blocks: [], effect: { kind: 'compaction' } })).toBe('')
})
