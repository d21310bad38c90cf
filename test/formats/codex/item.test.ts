import { expect, test } from 'vitest'
import { isBareItem, kindOf, partOf } from '../../../src/formats/codex/fields.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'

const text = (role: string, ...texts: string[]) => ({
  type: 'message',
  role,
  content: texts.map((t) => ({ type: 'input_text', text: t })),
})

test.each([
  [text('user', 'do it'), 'prompt'],
  [text('user', '# Context from my IDE setup:\n\n## My request for Codex:\ndo it'), 'prompt'],
  [text('user', 'what does <environment_context>x</environment_context> mean?'), 'prompt'],
  [text('user', '<environment_context> is what I ask about'), 'prompt'],
  [{ type: 'message', role: 'user', content: 'do it' }, 'prompt'],
  [{ role: 'user', message: 'do it' }, 'prompt'],
  [{ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'data:,' }] }, 'prompt'],
  [text('user', '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>'), 'update'],
  [text('user', '  <USER_INSTRUCTIONS>\n\nbe kind\n\n</USER_INSTRUCTIONS>\n'), 'update'],
  [text('user', '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>', 'more'), 'update'],
  [text('user', '<turn_aborted>\nThe user interrupted.\n</turn_aborted>'), 'update'],
  [text('user', '<user_shell_command>\nls\n</user_shell_command>'), 'update'],
  [{ type: 'message', role: 'user', content: '<user_instructions>x</user_instructions>' }, 'update'],
  [text('developer', '<permissions instructions>'), 'update'],
  [text('assistant', 'done'), 'other'],
  [{ type: 'function_call', role: 'user', content: 'x' }, 'other'],
])('%j is a %s', (item, part) => expect(partOf(item)).toBe(part))

test.each([
  [{ type: 'reasoning' }, 'reasoning'],
  [{ role: 'assistant', content: [] }, 'message'],
  [{ type: 'a/b c' }, 'item'],
  [{ type: 7 }, 'item'],
  [{ content: [] }, 'item'],
  [{ type: new Verbatim('"\\ud800"'), role: 'user' }, 'item'],
])('the kind of %j is %s', (item, kind) => expect(kindOf(item)).toBe(kind))

test.each([
  [{ type: 'message', role: 'user' }, true],
  [{ role: 'user', content: 'hi' }, true],
  [{ record_type: 'state' }, false],
  [{ type: 'world_state', role: 'user' }, false],
  [{ id: 'a', timestamp: 't', instructions: null }, false],
])('%j is a bare item: %s', (line, expected) => expect(isBareItem(line)).toBe(expected))
