import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Format } from '../../../src/formats/core/format.ts'
import type { FormatWriter } from '../../../src/formats/core/writer.ts'
import { indexTree, uuidTree } from '../../../src/formats/drafts.ts'
import { pi } from '../../../src/formats/pi/index.ts'
import { drafted, writtenBy } from '../../support/draft.ts'
import { chain, readText, takes, warnings } from '../read.ts'

const text = readFileSync(new URL('../../fixtures/drafts/index-tree.jsonl', import.meta.url), 'utf8')
const writer = indexTree.writer as FormatWriter
const own = (kind: string, body: object) => ({ type: `draft/${kind}`, body: body as never })

describe('the draft of a tree by index', () => {
  it('F13: is detected by the number of the parent in its header', () => {
    expect([indexTree, uuidTree, pi].map((format) => takes(format, 'x.jsonl', text))).toEqual([
      true,
      false,
      false,
    ])
    expect(takes(indexTree, 'x.jsonl', '{"type":"message","parent":-1}\n')).toBe(false)
  })

  it('F13: reads the tree that lines name by their numbers', () => {
    const session = readText(indexTree, text)
    expect(chain(session)).toEqual([
      [1, 'draft/message', null],
      [2, 'draft/message', 1],
      [3, 'draft/message', 2],
      [4, 'draft/message', 3],
      [6, 'draft/branch_summary', 2],
      [7, 'draft/message', 6],
      [8, 'draft/message', 7],
      [9, 'draft/compaction', 8],
      [10, 'draft/message', 9],
      [11, 'draft/message', 10],
      [12, 'draft/stack_summary', 10],
      [13, 'draft/message', 12],
      [14, 'draft/stack_pop', 10],
    ])
    expect(warnings(session)).toEqual([])
    expect(session.reader.active()).toBe(14)
    expect(session.reader.facts()).toEqual({
      id: 'abc',
      cwd: '/project',
      created: Date.parse('2025-12-20T10:00:00.000Z'),
      labels: new Map(),
      branches: new Map([['node', 4]]),
    })
    expect(session.readings[9]?.entry).toEqual({
      type: 'draft/compaction',
      body: { summary: 'A CLI in Rust.', tokensBefore: 100 },
      parent: 8,
    })
  })

  it('F13: the last line is the leaf where no head follows, and what hangs on a head continues its entry', () => {
    const lines = text.split('\n')
    expect(readText(indexTree, lines.slice(0, 14).join('\n')).reader.active()).toBe(13)
    const more = '{"type":"message","parent":15,"message":{"role":"user","content":"x"}}'
    expect(chain(readText(indexTree, text + more)).at(-1)).toEqual([16, 'draft/message', 14])
  })

  it('C14: shows what was popped as a summary of the path that was left', () => {
    expect(indexTree.view('stack_pop', { summary: 's', prePopSummary: 'p' }).effect).toEqual({
      kind: 'summary',
      text: 'p\n\ns',
    })
    expect(indexTree.view('stack_summary', { summary: 's' }).effect).toEqual({ kind: 'summary', text: 's' })
  })

  it('reads lines that name nothing, or nothing before them, as roots', () => {
    const header = '{"type":"session","id":"s","parent":-1}'
    const bad = [
      '{"type":"message","parent":9,"message":{"role":"user","content":"x"}}',
      '{"type":"message","parent":2,"message":{"role":"user","content":"y"}}',
      '{"type":"compaction","parent":0,"summary":"z","summarizedPath":["?"]}',
    ]
    const session = readText(indexTree, [header, ...bad].join('\n'))
    expect(chain(session).map(([, , parent]) => parent)).toEqual([null, null, null])
    expect(warnings(session)).toEqual(['dangling-parent', 'dangling-parent'])
  })

  it('reads the beginning of a file as it reads it within the whole', () => {
    const whole = readText(indexTree, text).readings
    const lines = text.split('\n')
    for (let end = 1; end < lines.length; end++) {
      const { readings } = readText(indexTree, lines.slice(0, end).join('\n'))
      expect(readings).toEqual(whole.slice(0, readings.length))
    }
  })

  it('is written with numbers, heads for branches, and a compaction that keeps nothing below the header', async () => {
    const inputs = [
      own('message', { message: { role: 'user', content: 'a' } }),
      own('message', { message: { role: 'user', content: 'b' } }),
      { ...own('stack_pop', { summary: 's' }), parents: [0] },
      own('compaction', { summary: 'all' }),
      { ...own('compaction', { summary: 'some' }), links: { firstKept: 2 } },
    ]
    const about = { branches: new Map([['try', 1]]), labels: new Map([['here', 1]]), title: 'T' }
    const { text: written, losses } = await writtenBy(writer, drafted(inputs, about))
    const lines = written
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    for (const line of lines) delete line.timestamp
    expect(lines).toEqual([
      { type: 'session', id: '00000000-0000-8000-8000-000000000000', cwd: '/home/ada', parent: -1 },
      { type: 'message', parent: 0, message: { role: 'user', content: 'a', timestamp: 1767225600000 } },
      { type: 'message', parent: 1, message: { role: 'user', content: 'b', timestamp: 1767225660000 } },
      { type: 'stack_pop', parent: 1, summary: 's', backToIndex: 1 },
      { type: 'compaction', parent: 0, summary: 'all', summarizedPath: [1, 3] },
      { type: 'compaction', parent: 4, summary: 'some', firstKeptEntryIndex: 3 },
      { type: 'head', parent: 2, name: 'try' },
      { type: 'head', parent: 5, name: 'main' },
    ])
    expect(losses).toEqual([
      { code: 'label', subject: 'here' },
      { code: 'title', subject: 'T' },
    ])
    expect(chain(readText(indexTree, written)).map(([, , parent]) => parent)).toEqual([null, 1, 1, 3, 4])
  })
})

it('shares its entries with the same conversation in the uuid tree', () => {
  const message = (role: string, content: string) => ({ type: 'message', message: { role, content } })
  const [a, b, c] = [message('user', 'Build a CLI'), message('assistant', 'Done'), message('user', 'In Rust')]
  const summary = { type: 'branch_summary', summary: 'Tried a CLI' }
  const indexed = [
    { type: 'session', id: 'x', parent: -1 },
    { ...a, parent: 0 },
    { ...b, parent: 1 },
    { ...summary, parent: 1 },
    { ...c, parent: 3 },
  ]
  const named = [
    { type: 'session', version: 2, id: 'x', uuid: 'r', parentUuid: null },
    { ...a, uuid: 'a', parentUuid: 'r' },
    { ...b, uuid: 'b', parentUuid: 'a' },
    { ...summary, uuid: 's', parentUuid: 'a' },
    { ...c, uuid: 'c', parentUuid: 's' },
  ]
  const lines = (values: readonly object[]): string =>
    values.map((one) => `${JSON.stringify(one)}\n`).join('')
  const entries = (format: Format, values: readonly object[]) =>
    readText(format, lines(values)).readings.map(({ entry }) => entry)
  expect(entries(indexTree, indexed)).toEqual(entries(uuidTree, named))
  expect(entries(uuidTree, named).map((entry) => entry?.parent)).toEqual([undefined, null, 1, 1, 3])
})
