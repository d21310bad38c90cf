import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { view } from '../../../src/formats/pi/entries.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json, JsonObject } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'
import { COMPACTS, EDITS, OPAQUE, SETS_MODEL, SETS_THINKING, traitsOf } from '../../../src/model/view.ts'
import { runs } from '../../support/amount.ts'

const message = (value: Json) => view('message', { message: value })
const text = (value: string) => ({ kind: 'text', text: value })

describe('view of a message', () => {
  it('of the user, with text and images', () => {
    expect(message({ role: 'user', content: 'hi' })).toEqual({ role: 'user', blocks: [text('hi')] })
    const content = [
      { type: 'text', text: 'see' },
      { type: 'image', data: 'AAAAAA==', mimeType: 'image/png' },
      { type: 'video', url: 'u' },
    ]
    expect(message({ role: 'user', content })).toEqual({
      role: 'user',
      blocks: [text('see'), { kind: 'image', mediaType: 'image/png', bytes: 4, data: 'AAAAAA==' }],
    })
  })

  it('of the assistant, with its model and usage', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', thinkingSignature: 's' },
      { type: 'text', text: 'so' },
      { type: 'toolCall', id: 'c', name: 'ls', arguments: { path: '/' } },
    ]
    const usage = {
      input: 1,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      totalTokens: 10,
      cost: { input: 1, total: 0.5 },
    }
    expect(message({ role: 'assistant', content, provider: 'p', model: 'm', usage })).toEqual({
      role: 'assistant',
      blocks: [
        { kind: 'thinking', text: 'hm' },
        text('so'),
        { kind: 'toolCall', id: 'c', name: 'ls', input: { path: '/' } },
      ],
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 },
      sets: { model: { provider: 'p', id: 'm' } },
    })
    expect(message({ role: 'assistant', content: [], model: 'm' }).sets).toEqual({ model: { id: 'm' } })
    expect(message({ role: 'assistant', content: [] })).toEqual({ role: 'assistant', blocks: [] })
  })

  it('of an assistant whose thoughts are sealed', () => {
    const thinking = (thinkingSignature: string, more: JsonObject = {}): JsonObject => ({
      type: 'thinking',
      thinking: 'hm',
      thinkingSignature,
      ...more,
    })
    const content = [thinking('s'), thinking('r', { redacted: true })]
    const seals = (api: string, thoughts: readonly JsonObject[]) =>
      message({ role: 'assistant', api, content: thoughts }).blocks.map(
        (block) => 'seal' in block && block.seal,
      )
    expect(seals('anthropic-messages', content)).toEqual([
      { api: 'anthropic', value: 's' },
      { api: 'anthropic', value: 'r', redacted: true },
    ])
    const item = JSON.stringify({ type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'e' })
    expect(seals('openai-responses', [thinking(item), thinking('{}'), thinking('no JSON')])).toEqual([
      { api: 'openai', value: 'e' },
      false,
      false,
    ])
    expect(seals('google-generative-ai', content)).toEqual([false, false])
  })

  it('of a tool', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image', data: '', mimeType: 'image/gif' },
      { type: 'text', text: 'b' },
    ]
    expect(message({ role: 'toolResult', toolCallId: 'c', toolName: 'ls', content, isError: true })).toEqual({
      role: 'tool',
      blocks: [
        { kind: 'toolResult', id: 'c', name: 'ls', text: 'a\nb', error: true },
        { kind: 'image', mediaType: 'image/gif', bytes: 0 },
      ],
    })
    expect(message({ role: 'toolResult', toolCallId: 'c', content: 'plain' }).blocks).toEqual([
      { kind: 'toolResult', id: 'c', text: 'plain', error: false },
    ])
  })

  it('F3: of a hook is that of an extension', () => {
    const custom = { role: 'custom', customType: 'x', content: 'told', display: true }
    expect(message({ ...custom, role: 'hookMessage' })).toEqual(message(custom))
    expect(message(custom)).toEqual({ role: 'user', blocks: [text('told')] })
  })

  it.each([
    [{ output: 'a\nb', exitCode: 0 }, 'Ran `ls`\n```\na\nb\n```'],
    [{ output: '', exitCode: 1 }, 'Ran `ls`\n(no output)\n\nCommand exited with code 1'],
    [{ output: 'x', cancelled: true, exitCode: 2 }, 'Ran `ls`\n```\nx\n```\n\n(command cancelled)'],
    [
      { output: 'x', truncated: true, fullOutputPath: '/o' },
      'Ran `ls`\n```\nx\n```\n\n[Output truncated. Full output: /o]',
    ],
    [{ output: 'x', truncated: true, exitCode: null }, 'Ran `ls`\n```\nx\n```'],
  ])('C11: of a command %j is the text that the model reads', (ran, words) => {
    const bash = { role: 'bashExecution', command: 'ls', ...ran }
    expect(message(bash)).toEqual({ role: 'user', blocks: [text(words)] })
    expect(message({ ...bash, excludeFromContext: true })).toEqual({ role: null, blocks: [text(words)] })
  })

  it('F5: of the system has its sections', () => {
    expect(message({ role: 'system', content: 'be', sections: { a: 'kind', b: null } })).toEqual({
      role: 'system',
      blocks: [text('be'), text('kind')],
    })
  })

  it('C7: without content shows nothing', () => {
    for (const role of ['user', 'assistant', 'system'])
      for (const content of [null, {}, 5, [null, 5, {}]])
        expect(message({ role, content }).blocks).toEqual([])
  })

  it('reads what is kept verbatim', () => {
    const kept = parseJson(
      '{"role":"user","content":[{"type":"text","type":"text","text":"x\\ud800"}]}',
    )?.value
    expect(message(kept as Json)).toEqual({ role: 'user', blocks: [text('x\ud800')] })
    expect(message(new Verbatim('{"role":"user","role":"user","content":"x"}')).blocks).toEqual([text('x')])
  })
})

describe('view of other entries', () => {
  it.each([
    ['custom_message', { customType: 'x', content: 'c' }, { role: 'user', blocks: [text('c')] }],
    [
      'thinking_level_change',
      { thinkingLevel: 'high' },
      { role: null, blocks: [], sets: { thinking: 'high' } },
    ],
    [
      'model_change',
      { provider: 'p', modelId: 'm' },
      { role: null, blocks: [], sets: { model: { provider: 'p', id: 'm' } } },
    ],
    [
      'compaction',
      { summary: 'S' },
      { role: null, blocks: [], effect: { kind: 'compaction', summary: 'S', system: null } },
    ],
    [
      'compaction',
      { summary: 'S', systemMessage: { role: 'system', content: 'C' } },
      {
        role: null,
        blocks: [],
        effect: { kind: 'compaction', summary: 'S', system: { role: 'system', blocks: [text('C')] } },
      },
    ],
    ['compaction', {}, { role: null, blocks: [], effect: { kind: 'compaction', summary: '', system: null } }],
    [
      'compaction',
      { summary: 'S', usage: { input: 3 }, retainedTail: [{ role: 'user', content: 'q' }] },
      {
        role: null,
        blocks: [],
        usage: { input: 3 },
        effect: {
          kind: 'compaction',
          summary: 'S',
          replacement: [{ role: 'user', blocks: [text('q')] }],
          system: null,
        },
      },
    ],
    ['branch_summary', { summary: 'B' }, { role: null, blocks: [], effect: { kind: 'summary', text: 'B' } }],
    ['branch_summary', { summary: '' }, { role: null, blocks: [] }],
    [
      'context_edit',
      { replacement: null },
      { role: null, blocks: [], effect: { kind: 'edit', replacement: null } },
    ],
    [
      'context_edit',
      { replacement: { content: 'x' } },
      { role: null, blocks: [], effect: { kind: 'edit', replacement: [text('x')] } },
    ],
    ['context_edit', {}, OPAQUE],
    ['active_tools_change', { activeToolNames: ['x'] }, OPAQUE],
    ['novel', { content: 'x' }, OPAQUE],
  ] as const)('%s %j', (kind, body, expected) => {
    expect(view(kind, body)).toEqual(expected)
  })

  it('has the traits that graph code asks for', () => {
    expect(traitsOf(view('compaction', { summary: '' }))).toBe(COMPACTS)
    expect(traitsOf(view('context_edit', { replacement: null }))).toBe(EDITS)
    expect(traitsOf(view('model_change', { modelId: 'm' }))).toBe(SETS_MODEL)
    expect(traitsOf(view('thinking_level_change', { thinkingLevel: '' }))).toBe(SETS_THINKING)
  })

  it('never throws', () => {
    const kinds = fc.constantFrom(
      'message',
      'compaction',
      'branch_summary',
      'custom_message',
      'thinking_level_change',
      'model_change',
      'context_edit',
      'constructor',
    )
    const keys = fc.constantFrom(
      'message',
      'role',
      'content',
      'summary',
      'retainedTail',
      'replacement',
      'usage',
      '__proto__',
    )
    const role = fc.constantFrom('user', 'assistant', 'toolResult', 'bashExecution', 'system', 'custom')
    const json = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Json>(
          null,
          true,
          7,
          '',
          new Verbatim('{"role":"user","role":"x"}'),
          new Verbatim('-0'),
        ),
        role,
        fc.array(tie('value')),
        fc.dictionary(keys, tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(kinds, json, (kind, body) => {
        expect(Array.isArray(view(kind, body).blocks)).toBe(true)
      }),
      { numRuns: runs(2000) },
    )
  })
})
