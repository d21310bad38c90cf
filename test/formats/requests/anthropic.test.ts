import { describe, expect, it } from 'vitest'
import { view as piView } from '../../../src/formats/pi/entries.ts'
import { anthropicRequest } from '../../../src/formats/requests/anthropic.ts'
import type { Block, View } from '../../../src/model/view.ts'
import { FINDINGS } from '../../support/requests.ts'

const viewOf = (role: View['role'], ...blocks: readonly (Block | string)[]): View => ({
  role,
  blocks: blocks.map((block) => (typeof block === 'string' ? { kind: 'text', text: block } : block)),
})
const call = (id: string, name = 'bash'): Block => ({ kind: 'toolCall', id, name, input: {} })
const result = (id: string, text = 'done', error = false): Block => ({ kind: 'toolResult', id, text, error })
const image: Block = { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' }

const write = (...views: readonly View[]) =>
  anthropicRequest(views.map((view, node) => ({ node, part: 'message', view })))
const messages = (...views: readonly View[]) => write(...views).value.messages
const text = (words: string) => ({ type: 'text', text: words })
const used = (id: string, name = 'bash') => ({ type: 'tool_use', id, name, input: {} })
const shown = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }

describe('the request to the Messages API', () => {
  it('puts consecutive blocks of one side into one message, and leaves out blank ones', () => {
    expect(
      messages(
        viewOf('user', 'a'),
        viewOf('user', ' ', 'b'),
        viewOf('assistant'),
        viewOf(null, 'unseen'),
        viewOf('user', 'c'),
      ),
    ).toEqual([{ role: 'user', content: [text('a'), text('b'), text('c')] }])
  })

  it('answers parallel calls in one message, results first, in the order of the calls', () => {
    expect(
      messages(
        viewOf('user', 'go'),
        viewOf('assistant', 'so', call('x')),
        viewOf('assistant', call('y')),
        viewOf('user', 'and'),
        viewOf('tool', result('y')),
        viewOf('tool', result('x', ''), image),
      ),
    ).toEqual([
      { role: 'user', content: [text('go')] },
      { role: 'assistant', content: [text('so'), used('x'), used('y')] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'x', content: [shown] },
          { type: 'tool_result', tool_use_id: 'y', content: [text('done')] },
          text('and'),
        ],
      },
    ])
  })

  it('puts a late result after its call, and reports the repair', () => {
    const { value, repairs } = write(
      viewOf('user', 'go'),
      viewOf('assistant', call('x')),
      viewOf('assistant', 'meanwhile'),
      viewOf('tool', result('x')),
    )
    expect(value.messages).toEqual([
      { role: 'user', content: [text('go')] },
      { role: 'assistant', content: [used('x')] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: [text('done')] }] },
      { role: 'assistant', content: [text('meanwhile')] },
    ])
    expect(repairs).toEqual([{ kind: 'moved-result', node: 3, call: 'x' }])
  })

  it('assigns ids and names that the API accepts, and another id to a repeated one', () => {
    const turn = (id: string, name?: string) => [
      viewOf('assistant', call(id, name)),
      viewOf('tool', result(id)),
    ]
    const { value, repairs } = write(
      viewOf('user', 'go'),
      ...turn('x'),
      ...turn('x'),
      ...turn('a|b', 'mcp.docs/find'),
    )
    const content = (
      value.messages as readonly { content: readonly { id?: string; name?: string }[] }[]
    ).flatMap((message) => message.content.flatMap(({ id, name }) => (id === undefined ? [] : [[id, name]])))
    expect(content).toEqual([
      ['x', 'bash'],
      ['x_2', 'bash'],
      ['a_b', 'mcp_docs_find'],
    ])
    expect(repairs).toEqual([
      { kind: 'renamed-call', node: 3, call: 'x', as: 'x_2' },
      { kind: 'renamed-call', node: 5, call: 'a|b', as: 'a_b' },
      { kind: 'renamed-tool', node: 5, call: 'a|b', as: 'mcp_docs_find' },
    ])
  })

  it('keeps thoughts with their signatures, others not, nor one that nothing follows', () => {
    const thought = (value?: string, more = {}): Block => ({
      kind: 'thinking',
      text: 'hm',
      ...(value && { seal: { api: 'anthropic', value, ...more } }),
    })
    const openai: Block = { kind: 'thinking', text: 'hm', seal: { api: 'openai', value: 'e' } }
    const { value, repairs } = write(
      viewOf('user', 'go'),
      viewOf('assistant', thought('s'), thought('r', { redacted: true }), 'so'),
      viewOf('assistant', thought(), openai),
      viewOf('assistant', thought('t')),
    )
    expect(value.messages).toEqual([
      { role: 'user', content: [text('go')] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'redacted_thinking', data: 'r' },
          text('so'),
        ],
      },
    ])
    expect(repairs.map(({ kind, node }) => [kind, node])).toEqual([
      ['dropped-thinking', 2],
      ['dropped-thinking', 1],
    ])
  })

  it('lets the user begin, and puts system prompts where the API has them', () => {
    const { value, repairs } = write(viewOf('system', 'S'), viewOf('assistant', 'hi'), viewOf('system', 'T'))
    expect(value).toEqual({
      system: [text('S')],
      messages: [
        { role: 'user', content: [text('(the conversation begins with the words of the model)')] },
        { role: 'assistant', content: [text('hi')] },
        { role: 'user', content: [text('<system>\nT\n</system>')] },
      ],
    })
    expect(repairs).toEqual([{ kind: 'added-start', node: 1 }])
    expect(write(viewOf('system', 'S')).value).toEqual({ system: [text('S')], messages: [] })
  })

  it('describes images that it cannot show in words, and shows those of a failure after it', () => {
    const { value, repairs } = write(
      viewOf(
        'user',
        { ...image, mediaType: 'image/bmp' },
        { kind: 'image', mediaType: 'image/gif', bytes: 7 },
      ),
      viewOf('assistant', call('x')),
      viewOf('tool', result('x', 'no', true), image),
    )
    expect(value.messages).toEqual([
      { role: 'user', content: [text('[image: image/bmp, 3 bytes]'), text('[image: image/gif, 7 bytes]')] },
      { role: 'assistant', content: [used('x')] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'x', content: [text('no')], is_error: true }, shown],
      },
    ])
    expect(repairs.map(({ kind }) => kind)).toEqual(['dropped-image', 'dropped-image'])
  })

  it("C10: writes summaries in pi's words", () => {
    const compaction: View = { role: null, blocks: [], effect: { kind: 'compaction', summary: 'S' } }
    const branch: View = { role: null, blocks: [], effect: { kind: 'summary', text: 'B' } }
    expect(messages(compaction, branch)).toEqual([
      {
        role: 'user',
        content: [
          text(
            'The conversation history before this point was compacted into the following summary:\n\n' +
              '<summary>\nS\n</summary>',
          ),
          text(
            'The following is a summary of a branch that this conversation came back from:\n\n<summary>\nB</summary>',
          ),
        ],
      },
    ])
  })

  it('C11: shows the commands of the user, unless they are excluded', () => {
    const ran = (more = {}) =>
      piView('message', {
        message: { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 1, ...more },
      })
    expect(messages(ran(), ran({ excludeFromContext: true }))).toEqual([
      { role: 'user', content: [text('Ran `ls`\n```\na\n```\n\nCommand exited with code 1')] },
    ])
  })
})

describe('the check of requests', () => {
  const user = { role: 'user', content: [text('a')] }
  it.each([
    ['the model begins', [{ role: 'assistant', content: [text('a')] }]],
    ['a role twice', [user, user]],
    ['a blank text', [{ role: 'user', content: [text(' ')] }]],
    ['no blocks', [{ role: 'user', content: [] }]],
    ['an open call', [user, { role: 'assistant', content: [used('x')] }]],
    ['a result without a call', [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }]],
    ['an id twice', [user, { role: 'assistant', content: [used('x'), used('x')] }]],
    ['half a surrogate pair', [{ role: 'user', content: [text('\ud800')] }]],
  ])('finds %s', (_, wrong) => {
    expect(FINDINGS.anthropic({ messages: wrong })).not.toEqual([])
    expect(FINDINGS.anthropic({ messages: [user] })).toEqual([])
  })
})
