import { expect, it } from 'vitest'
import { todosIn } from '../../src/model/todos.ts'

it('gives the lists of what is to do that agents write', () => {
  const todos = [
    { content: 'Read', status: 'completed' },
    { content: 'Write\nmore', status: 'in_progress' },
    { content: 'Test', status: 'pending' },
  ]
  expect(todosIn('TodoWrite', { todos })).toEqual(['- [x] Read', '- [~] Write more', '- [ ] Test'])
  expect(todosIn('update_plan', { plan: [{ step: 'Read', status: 'completed' }] })).toEqual(['- [x] Read'])
  expect(todosIn('TodoWrite', { todos: '1. [completed] Read\n2. [pending] Write\n\n- Test' })).toEqual([
    '- [x] Read',
    '- [ ] Write',
    '- [ ] - Test',
  ])
})

it('gives none of other tools, and an empty list where all is done away with', () => {
  expect(todosIn('Read', { todos: [] })).toBeUndefined()
  expect(todosIn('TodoWrite', { todos: [] })).toEqual([])
  expect(todosIn('TodoWrite', { todos: [7, { status: 'x' }] })).toEqual([])
})
