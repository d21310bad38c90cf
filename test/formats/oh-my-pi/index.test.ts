import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ohMyPi } from '../../../src/formats/oh-my-pi.ts'
import { pi } from '../../../src/formats/pi/index.ts'
import { chain, readText, takes, warnings } from '../read.ts'

const text = readFileSync(new URL('../../fixtures/oh-my-pi/session.jsonl', import.meta.url), 'utf8')
const header = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}'
const record = (type: string, more = '') => `${header}\n{"type":"${type}","id":"a","parentId":null${more}}\n`

describe('the format of oh-my-pi', () => {
  it('names itself', () => {
    const { name, dialect, reading, conversational } = ohMyPi
    expect([name, dialect, reading, conversational]).toEqual(['oh-my-pi', 'omp', 1, true])
  })

  it.each([
    ['F9: a title line before the header', text, true],
    ['a title line before nothing', '{"type":"title","v":1}\n{"type":"message"}\n', false],
    ['a header with a title', header.replace('"cwd"', '"title":"T","cwd"'), true],
    ['a model that is one name', record('model_change', ',"model":"a/b"'), true],
    ['a model of pi', record('model_change', ',"provider":"a","modelId":"b"'), false],
    ['a compaction by an extension', record('compaction', ',"fromExtension":true'), true],
    ['a compaction of pi', record('compaction', ',"fromHook":true'), false],
    ['a change of mode', record('mode_change', ',"mode":"plan"'), true],
    ['a header alone', `${header}\n`, false],
    ['a header of Dash', header.replace('"version":3', '"version":1,"title":"T"'), false],
  ])('detects a file by %s', (_, file, is) => {
    expect(takes(ohMyPi, 'x.jsonl', file)).toBe(is)
  })

  it('F10: reads messages; all else is a record whose children continue the entry before', () => {
    const session = readText(ohMyPi, text)
    expect(chain(session)).toEqual([
      [3, 'omp/model_change', null],
      [4, 'omp/model_change', 3],
      [5, 'omp/thinking_level_change', 4],
      [6, 'omp/mode_change', 5],
      [7, 'omp/message', 6],
      [8, 'omp/message', 7],
      [12, 'omp/message', 8],
      [13, 'omp/message', 12],
      [14, 'omp/message', 13],
      [15, 'omp/branch_summary', 8],
      [17, 'omp/compaction', 15],
      [19, 'omp/reset_boundary', 17],
      [20, 'omp/message', 19],
    ])
    expect(warnings(session)).toEqual(['dangling-target'])
    expect(session.reader.active()).toBe(20)
    expect(session.reader.facts()).toEqual({
      id: '01957f00-0000-7000-8000-00000000abcd',
      title: 'Nested tides',
      cwd: '/home/ada/tides',
      created: Date.parse('2026-03-04T10:00:00.000Z'),
      labels: new Map([['nested', 8]]),
    })
  })

  it('leaves usage and cost to the record, which copies count again', () => {
    expect(readText(ohMyPi, text).readings[8]?.entry?.body).toEqual({
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'Nested.' }],
        api: 'anthropic-messages',
        provider: 'anthropic',
        model: 'claude-x',
        stopReason: 'stop',
      },
    })
  })

  it('reads the beginning of a file as it reads it within the whole', () => {
    const whole = readText(ohMyPi, text).readings
    const lines = text.split('\n')
    for (let end = 1; end < lines.length; end++) {
      const { readings } = readText(ohMyPi, lines.slice(0, end).join('\n'))
      expect(readings).toEqual(whole.slice(0, readings.length))
    }
  })

  it('C12: shows models by role, modes, resets and roles of its own', () => {
    const state = { role: null, blocks: [] }
    const view = (kind: string, body: object) => ohMyPi.view(kind, body as Parameters<typeof ohMyPi.view>[1])
    expect(view('model_change', { model: 'anthropic/claude-x' })).toEqual({
      ...state,
      sets: { model: { provider: 'anthropic', id: 'claude-x' } },
    })
    expect(view('model_change', { model: 'local', role: 'default' })).toEqual({
      ...state,
      sets: { model: { id: 'local' } },
    })
    expect(view('model_change', { model: 'a/b', role: 'smol' })).toEqual(state)
    expect(view('thinking_level_change', { thinkingLevel: null })).toEqual({
      ...state,
      sets: { thinking: 'off' },
    })
    expect(view('mode_change', { mode: 'plan' })).toEqual({ ...state, sets: { mode: 'plan' } })
    expect(view('mode_change', {})).toEqual(state)
    expect(view('reset_boundary', {})).toEqual({ ...state, effect: { kind: 'compaction', replacement: [] } })
    const shown = (message: object) => view('message', { message })
    expect(shown({ role: 'developer', content: 'x' })).toEqual({
      role: 'system',
      blocks: [{ kind: 'text', text: 'x' }],
    })
    expect(shown({ role: 'pythonExecution', code: '1+1', output: '2' })).toEqual({
      role: 'user',
      blocks: [{ kind: 'text', text: 'Ran Python:\n```python\n1+1\n```\n2' }],
    })
    expect(shown({ role: 'pythonExecution', code: 'x', excludeFromContext: true }).role).toBeNull()
    expect(shown({ role: 'fileMention', files: [{ path: 'a', content: 'A' }, { path: 'b' }] })).toEqual({
      role: 'user',
      blocks: [
        { kind: 'text', text: 'a\nA' },
        { kind: 'text', text: 'b' },
      ],
    })
    const plain = { message: { role: 'user', content: 'x' } }
    expect(view('message', plain)).toEqual(pi.view('message', plain))
    expect(view('branch_summary', { summary: 's' })).toEqual(pi.view('branch_summary', { summary: 's' }))
  })

  it('shows of an image whose bytes lie elsewhere what it is, and takes nothing else for such', () => {
    const image = (data: string) => ({
      message: { role: 'user', content: [{ type: 'image', mimeType: 'image/png', data }] },
    })
    const blob = `blob:sha256:${'ab'.repeat(32)}`
    expect(ohMyPi.view('message', image(blob)).blocks).toEqual([
      { kind: 'image', mediaType: 'image/png', bytes: 0, blob: 'ab'.repeat(32) },
    ])
    expect(ohMyPi.view('message', image('AAAA')).blocks).toEqual([
      { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' },
    ])
  })
})
