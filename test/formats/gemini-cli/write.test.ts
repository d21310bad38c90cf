import { describe, expect, it } from 'vitest'
import type { FormatWriter } from '../../../src/formats/core/writer.ts'
import { gemini } from '../../../src/formats/gemini-cli/index.ts'
import { type DraftInput, drafted, writtenBy } from '../../support/draft.ts'
import { readBack } from '../../support/readback.ts'

const writer = gemini.writer as FormatWriter
const written = (...inputs: DraftInput[]) => writtenBy(writer, drafted(inputs))
const user = (content: string): DraftInput => ({ role: 'user', content })
const call = (id: string, name = 'read'): DraftInput => ({ type: 'toolCall', id, name, arguments: { p: id } })
const result = (id: string, content: string, isError = false): DraftInput => ({
  role: 'tool',
  content: [{ type: 'toolResult', toolCallId: id, content, isError }],
})

describe('a session written for Gemini CLI', () => {
  it('is where Gemini keeps those of a folder, under a name that ends in its id', () => {
    const id = 'abcdef01-0000-8000-8000-000000000000'
    expect(writer.place({ id, cwd: '/home/ada', created: Date.UTC(2026, 0, 2, 3, 4) })).toEqual([
      'tmp',
      'cf2d5242845737c7baf21fcbb18c924462c5894c93bb12440a9d68ac15586a6c',
      'chats',
      'session-2026-01-02T03-04-abcdef01.jsonl',
    ])
    const machine = {
      home: '/home',
      temporary: '/tmp',
      real: (path: string) => path.replace('/link', ''),
      geminiProject: (folder: string) => (folder === '/home/ada' ? 'ada-1' : undefined),
    }
    const folder = (cwd: string) => writer.place({ id, cwd, created: 0 }, machine)[1]
    expect(folder('/home/ada')).toBe('ada-1')
    expect(folder('/link/home/ada')).toBe('cf2d5242845737c7baf21fcbb18c924462c5894c93bb12440a9d68ac15586a6c')
    expect([writer.takesId?.(id), writer.takesId?.('kite')]).toEqual([true, false])
  })

  it('puts results into the answer that called, thoughts before texts, and is read again as the same', async () => {
    const inputs = [
      user('hi'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'I look.' },
          call('a'),
          call('b'),
        ],
      },
      result('a', 'fine'),
      result('b', 'bad', true),
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ] as DraftInput[]
    const { text, entries, losses } = await written(...inputs)
    expect([losses, entries]).toEqual([[], [undefined, 0, 3, 4]])
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines[0]).toMatchObject({ kind: 'main', directories: ['/home/ada'] })
    expect(lines[2]?.toolCalls).toMatchObject([
      {
        id: 'a',
        status: 'success',
        result: [{ functionResponse: { id: 'a', response: { output: 'fine' } } }],
      },
      { id: 'b', status: 'error', result: [{ functionResponse: { id: 'b', response: { error: 'bad' } } }] },
    ])
    expect(
      readBack(gemini, text).map(({ role, blocks }) => [role, ...blocks.map(({ kind }) => kind)]),
    ).toEqual([
      ['user', 'text'],
      ['assistant', 'thinking', 'text', 'toolCall', 'toolCall', 'toolResult', 'toolResult'],
      ['assistant', 'text'],
    ])
  })

  it('replaces the list by the summary of a compaction and what it keeps, and names what that takes away', async () => {
    const { text, losses } = await written(
      user('one'),
      { role: 'assistant', content: [call('a')] } as DraftInput,
      result('a', 'fine'),
      { type: 'sess/compaction', body: { summary: 'so far' }, links: { firstKept: 1 } },
      user('two'),
    )
    expect(losses.map(({ code }) => code)).toEqual(['compaction', 'text', 'call', 'result'])
    const views = readBack(gemini, text)
    expect(views.map(({ blocks }) => blocks.map((b) => ('text' in b ? b.text : b.kind)))).toEqual([
      ['so far'],
      ['toolCall', 'fine'],
      ['two'],
    ])
  })

  it('writes its own messages as they were, under their own ids', async () => {
    const value = {
      id: 'm1',
      timestamp: '2026-02-01T10:00:00.000Z',
      type: 'user',
      content: 'hi',
      displayContent: 'HI',
    }
    const { text } = await written({
      type: 'gemini/user',
      body: { type: 'user', content: 'hi' },
      native: 'm1',
      value,
    })
    expect(JSON.parse(text.split('\n')[1] as string)).toEqual(value)
  })

  it('names settings and labels', async () => {
    const draft = drafted([{ type: 'sess/model_change', body: { provider: 'google', model: 'g' } }], {
      labels: new Map([['best', 0]]),
      title: 'Kites',
    })
    const { text, losses } = await writtenBy(writer, draft)
    expect(losses.map(({ code }) => code)).toEqual(['setting', 'label'])
    expect(JSON.parse(text)).toMatchObject({ summary: 'Kites' })
  })
})
