import { expect, it } from 'vitest'
import { Passages } from '../../src/model/passages.ts'

const found = (goal: string, ...says: string[]): string => {
  const passages = new Passages(goal)
  for (const text of says) passages.add({ role: 'assistant', blocks: [{ kind: 'text', text }] })
  return passages.text()
}

it('finds the paragraphs that have most words in common with a goal, in the order in which they were said', () => {
  const said = ['The clock.\n\nThe OFFSET of the clock.', 'Lunch.', 'An offset.']
  expect(found('fix the clock offset', ...said)).toBe(
    'The agent:\n\n> The clock.\n\nThe agent:\n\n> The OFFSET of the clock.\n\nThe agent:\n\n> An offset.',
  )
  expect(found('fix the clock offset of format code', ...said)).toBe(
    'The agent:\n\n> The OFFSET of the clock.',
  )
})

it('keeps few, the newest of equals, none twice, each cut', () => {
  const many = Array.from({ length: 300 }, (_, i) => `clock ${i}`)
  const text = found('clock', ...many, 'clock 299', `clock ${'x'.repeat(9000)}`)
  expect(text.match(/clock \d+/g)).toEqual(['clock 295', 'clock 296', 'clock 297', 'clock 298', 'clock 299'])
  expect(text.length).toBeLessThan(1000)
})

it('finds nothing for a goal that says nothing', () => {
  expect(found('please go on with this', 'please go on with this')).toBe('')
  expect(found('', 'clock')).toBe('')
})
