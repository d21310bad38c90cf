import { expect, it } from 'vitest'
import { lineText } from '../../src/text/text.ts'
import { toolLine } from '../../src/text/toolline.ts'
import { widthOf } from '../../src/text/width.ts'
import type { ToolPart } from '../../src/verbs/types.ts'

const oid = 'f'.repeat(64) as ToolPart['oid']
const part = (
  name: string | null,
  input: ToolPart['input'],
  text?: string,
  error = false,
  lines = 1,
): ToolPart => ({
  ...{ kind: 'tool', oid, name, input, agents: [] },
  result: text === undefined ? null : { oid, error, text, lines },
})
const shown = (one: ToolPart, columns = 60): string =>
  lineText(toolLine(one, { columns, folder: '/w/tides' }))

it('shows a call by its file, its command or its words, and the first line of its result', () => {
  expect(shown(part('Read', { file_path: '/w/tides/src/a.js' }, 'const a = 1', false, 7))).toBe(
    '→ Read src/a.js ← const a = 1 (7 lines)',
  )
  expect(shown(part('bash', { command: 'npm test\nnpm run lint' }, '1 failed', true))).toBe(
    '→ bash npm test … ✗ 1 failed',
  )
  expect(shown(part('Grep', { pattern: 'OFFSET', path: '/w/tides/src' }, ''))).toBe(
    '→ Grep OFFSET src ← nothing',
  )
  expect(
    shown(part('Edit', { file_path: '/w/b', old_string: 'a', new_string: 'b' }, 'The file /w/b …')),
  ).toBe('→ Edit /w/b ← done')
  const todos = [
    { content: 'Look', status: 'completed' },
    { content: 'Fix it', status: 'in_progress' },
  ]
  expect(shown(part('TodoWrite', { todos }))).toBe('→ TodoWrite 1 of 2 done: Fix it')
  expect(shown(part(null, null, 'late'))).toBe(' ← late')
})

it('fits into the columns, with room for both sides', () => {
  const long = part('Bash', { command: 'one '.repeat(40) }, '二 '.repeat(60), false, 3)
  for (const columns of [40, 80, 100, 200]) {
    const line = shown(long, columns)
    expect(widthOf(line)).toBeLessThanOrEqual(columns)
    expect(line.indexOf(' ← ')).toBeLessThanOrEqual(columns / 2 + 1)
    expect(line).toContain('二')
  }
  expect(shown(part('Bash', { command: 'one '.repeat(40) }, 'ok'), 40)).toMatch(
    /^→ Bash (?:one ){5,8}.*… ← ok$/,
  )
})
