import { expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import type { View } from '../../src/model/view.ts'
import { summaryOf } from '../../src/text/entry.ts'

const says = (...texts: readonly string[]): View => ({
  role: 'user',
  blocks: texts.map((text) => ({ kind: 'text', text })),
})

it.each<[string, View, string]>([
  ['what the user says', says('\nFix it\nnow', 'and this'), 'Fix it'],
  [
    'what the user says behind an editor',
    says('<ide_opened_file>a</ide_opened_file>', 'Fix it\nnow'),
    'Fix it',
  ],
  [
    'a request behind its surroundings',
    says('# Context from my IDE setup:\n\n## Active file: a.ts\n\n## My request for Codex:\nFix it\n'),
    'Fix it',
  ],
  ['a command', says('<command-message>x</command-message>\n<command-name>/x</command-name>'), '/x'],
  [
    'what an agent says alone',
    says('<environment_context>\na</environment_context>'),
    '<environment_context>',
  ],
  ['what a hook says', { ...says('Be brief'), aside: true }, 'Be brief'],
  ['what a model says', { ...says('<b>\nBold'), role: 'assistant' }, '<b>'],
])('an entry is summed up by %s', (_, view, line) => {
  expect(summaryOf(view, 'claude/user')).toBe(line)
})

const calls = (name: string, input: Json): View => ({
  role: 'assistant',
  blocks: [{ kind: 'toolCall', id: 'c', name, input }],
})

it.each<[string, View, string]>([
  ['shell', calls('shell', { command: ['bash', '-lc', 'ls -a\nls'], workdir: '/a' }), '→ shell ls -a'],
  ['local shell', calls('local_shell', { type: 'exec', command: ['git', 'log'] }), '→ local_shell git log'],
  ['container', calls('container.exec', { cmd: ['zsh', '-c', 'ls'] }), '→ container.exec ls'],
  ['shell of Windows', calls('shell', { command: ['pwsh.exe', '-Command', 'dir'] }), '→ shell dir'],
  ['command tool', calls('exec_command', { cmd: 'ls', workdir: '/a' }), '→ exec_command ls /a'],
  ['freeform tool', calls('exec', 'await run()\n'), '→ exec await run()'],
])('a call of a %s is summed up by its command', (_, view, line) => {
  expect(summaryOf(view, 'codex/function_call')).toBe(line)
})

it('names the file of a call that follows text', () => {
  const { blocks } = calls('Read', { file_path: 'src/tide.js', offset: 3 })
  const view: View = { role: 'assistant', blocks: [{ kind: 'text', text: 'I look.' }, ...blocks] }
  expect(summaryOf(view, 'claude/assistant')).toBe('I look.  → Read src/tide.js')
})

it('shows the first line of a file that was read, not its line number', () => {
  const result = (text: string): View => ({
    role: 'tool',
    blocks: [{ kind: 'toolResult', id: 'c', text, error: false }],
  })
  expect(summaryOf(result('     1→\n     2→import fs'), 'claude/user')).toBe('← import fs')
  expect(summaryOf(result('\n  12 passed\n'), 'claude/user')).toBe('← 12 passed')
})
