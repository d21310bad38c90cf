import { describe, expect, it } from 'vitest'
import type { Draft, FormatWriter } from '../../../src/formats/core/writer.ts'
import { dash } from '../../../src/formats/dash.ts'
import { type DraftInput, drafted, valuesIn, writtenBy } from '../../support/draft.ts'
import { readText } from '../read.ts'

const writer = dash.writer as FormatWriter
const user = (content: string): DraftInput => ({ role: 'user', content })
const assistant = (...content: readonly object[]): DraftInput =>
  ({ role: 'assistant', content }) as DraftInput

async function written(inputs: readonly DraftInput[], more: Partial<Draft> = {}) {
  const { text, losses } = await writtenBy(writer, drafted(inputs, { id: 'sess_0a1b2c3d', ...more }))
  const [header, ...records] = valuesIn(text) as Record<string, unknown>[]
  return { text, header, records, losses: losses.map(({ code }) => code) }
}

describe('a session written for Dash', () => {
  it('has an id as Dash makes them, and is named by its time', () => {
    const id = writer.idOf?.('0a1b2c3d-0000-8000-8000-000000000000', 0) ?? ''
    expect([id, writer.takesId?.(id), writer.takesId?.('kite')]).toEqual(['sess_0a1b2c3d', true, false])
    expect(writer.place({ id, created: Date.UTC(2026, 0, 2) })).toEqual([
      'sessions',
      '2026-01-02T00-00-00-000Z_sess_0a1b2c3d.jsonl',
    ])
  })

  it('writes messages as texts, with their model and usage', async () => {
    const { header, records, losses } = await written(
      [
        user('hi'),
        {
          role: 'assistant',
          content: 'yes',
          usage: { input: 3, output: 2, cost: 0.5 },
          model: 'm',
          provider: 'p',
        },
      ],
      { title: 'Kites' },
    )
    expect(header).toEqual({
      type: 'session',
      version: 1,
      id: 'sess_0a1b2c3d',
      timestamp: '2026-01-01T00:00:00.000Z',
      cwd: '/home/ada',
      name: 'Kites',
    })
    expect(losses).toEqual([])
    expect(records.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'hi'],
      ['assistant', 'yes'],
      [undefined, undefined],
    ])
    expect(records[1]?.metadata).toMatchObject({ cost: 0.5, tokens: 5 })
    expect(records[1]?.parentId).toBe(records[0]?.id)
  })

  it('writes calls and results as texts, and reports them', async () => {
    const { records, losses } = await written([
      assistant({ type: 'thinking', thinking: 'hm' }),
      assistant({ type: 'toolCall', id: 'a', name: 'read', arguments: { path: 'x' } }),
      { role: 'tool', content: [{ type: 'toolResult', toolCallId: 'a', content: 'bad', isError: true }] },
    ])
    expect(records.slice(0, 2).map(({ role, content }) => [role, content])).toEqual([
      ['assistant', '[read] path: x'],
      ['tool', '[failed] bad'],
    ])
    expect(losses).toEqual(['thinking', 'text', 'call', 'text', 'result'])
  })

  it('keeps a compaction with its summary and what it keeps, and writes the summary of a path as text', async () => {
    const { records, losses, text } = await written([
      user('one'),
      user('two'),
      { type: 'sess/compaction', body: { summary: 'so far' }, links: { firstKept: 1 } },
      { type: 'sess/branch_summary', body: { summary: 'tried that' } },
      { type: 'sess/model_change', body: { provider: 'p', model: 'm' } },
    ])
    expect(losses).toEqual(['summary', 'setting'])
    expect(records[2]).toMatchObject({
      type: 'compaction',
      summary: 'so far',
      firstKeptEntryId: records[1]?.id,
    })
    expect(records[3]).toMatchObject({ type: 'message', role: 'user', content: 'tried that' })
    const { readings } = readText(dash, text)
    expect(readings[3]?.entry?.links).toEqual({ firstKept: 2 })
  })

  it('has all branches by their names, labels, and continues where the session is', async () => {
    const { text, losses } = await written(
      [
        user('one'),
        user('two'),
        { type: 'sess/message', body: { role: 'user', content: 'other' }, parents: [0] },
      ],
      {
        tip: 1,
        branches: new Map([
          ['main', 1],
          ['try', 2],
        ]),
        labels: new Map([['best', 0]]),
      },
    )
    expect(losses).toEqual([])
    const { reader } = readText(dash, text)
    const { branches, labels } = reader.facts()
    expect([reader.active(), branches?.get('try'), labels?.get('best')]).toEqual([2, 3, 1])
  })
})
