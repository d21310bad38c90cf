import { expect, it } from 'vitest'
import { attachmentBlocks } from '../../../src/formats/claude-code/view.ts'
import type { Json } from '../../../src/model/json.ts'

const shown: readonly (readonly [Json, string])[] = [
  [{ type: 'queued_command', prompt: 'And then?', commandMode: 'prompt' }, 'And then?'],
  [{ type: 'hook_additional_context', hookName: 'h', content: ['one', 'two'] }, 'one\ntwo'],
  [{ type: 'hook_success', hookEvent: 'SessionStart', content: 'Welcome', stdout: 'raw' }, 'Welcome'],
  [{ type: 'hook_blocking_error', blockingError: { blockingError: 'No', command: 'c' } }, 'No'],
  [
    { type: 'file', filename: 'a', content: { type: 'text', file: { filePath: 'a', content: 'inside' } } },
    'inside',
  ],
  [{ type: 'nested_memory', path: 'p', content: { path: 'p', content: 'Remember' } }, 'Remember'],
  [
    { type: 'deferred_tools_delta', addedNames: ['a'], addedLines: ['a: does', 'b: undoes'] },
    'a: does\nb: undoes',
  ],
  [{ type: 'invoked_skills', skills: [{ name: 'n', path: 'p', content: 'How to' }] }, 'How to'],
  [
    {
      type: 'task_reminder',
      content: [
        { id: '1', subject: 'First' },
        { id: '2', subject: 'Then' },
      ],
    },
    'First\nThen',
  ],
  [{ type: 'date_change', newDate: '2026-03-02' }, '2026-03-02'],
  [{ type: 'brand_new', text: 'Something' }, 'Something'],
]

it.each(shown)('%j shows the model %j', (attachment, text) => {
  expect(attachmentBlocks(attachment)).toEqual([{ kind: 'text', text }])
})

it('a queued command may hold images', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  expect(
    attachmentBlocks({ type: 'queued_command', prompt: [image, { type: 'text', text: 'This' }] }),
  ).toEqual([
    { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' },
    { kind: 'text', text: 'This' },
  ])
})

const hidden: readonly Json[] = [
  { type: 'hook_success', hookEvent: 'PostToolUse', content: 'formatted' },
  { type: 'hook_success', hookEvent: 'SessionStart', content: '' },
  { type: 'hook_non_blocking_error', content: 'failed' },
  { type: 'hook_system_message', content: 'for the user' },
  { type: 'command_permissions', allowedTools: ['Bash'] },
  { type: 'todo_reminder', content: [] },
  { type: 'auto_mode' },
  'text',
  null,
]

it.each(hidden.map((attachment) => [attachment]))(
  '%j shows the model nothing that is written in it',
  (attachment) => {
    expect(attachmentBlocks(attachment)).toEqual([])
  },
)
