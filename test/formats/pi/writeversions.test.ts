import { describe, expect, it } from 'vitest'
import type { FormatWriter } from '../../../src/formats/core/writer.ts'
import { itemsOf, v3 as v3ToV4 } from '../../../src/formats/migrate/pi.ts'
import { writer as v3 } from '../../../src/formats/pi/write.ts'
import { v1, v2, v4 } from '../../../src/formats/pi/writeversions.ts'
import { type JsonObject, jsonText, without } from '../../../src/model/json.ts'
import { type DraftInput, drafted, writtenBy } from '../../support/draft.ts'
import { parents, readText } from './session.ts'

const user = (content: string): DraftInput => ({ role: 'user', content })
const own = (type: string, fields: JsonObject): DraftInput => ({
  type: `pi/${type}`,
  body: { type, ...fields },
})

async function written(
  writer: FormatWriter,
  ...[inputs, about]: Parameters<typeof drafted>
): Promise<{ readonly lines: JsonObject[]; readonly text: string; readonly losses: string[] }> {
  const { text, losses } = await writtenBy(writer, drafted(inputs, about))
  const lines = text.trimEnd().split('\n')
  return {
    lines: lines.map((line) => JSON.parse(line) as JsonObject),
    text,
    losses: losses.map((l) => l.code),
  }
}

const COMPACTED: DraftInput[] = [
  user('one'),
  user('two'),
  { type: 'sess/compaction', body: { summary: 'both' }, links: { firstKept: 1 } },
  { type: 'sess/compaction', body: { summary: 'all' } },
]

describe('version 1', () => {
  it('F1: is a line of records without ids, and names places by their numbers, the header being 0', async () => {
    const { lines, losses } = await written(v1, COMPACTED)
    expect(lines.map((line) => without(line, 'message', 'timestamp'))).toEqual([
      { type: 'session', id: '00000000-0000-8000-8000-000000000000', cwd: '/home/ada' },
      { type: 'message' },
      { type: 'message' },
      { type: 'compaction', summary: 'both', firstKeptEntryIndex: 2, tokensBefore: 0 },
      { type: 'compaction', summary: 'all', firstKeptEntryIndex: 4, tokensBefore: 0 },
    ])
    expect(losses).toEqual([])
  })

  it('is read again with what its compactions keep', async () => {
    const { text } = await written(v1, COMPACTED)
    const session = readText(text)
    expect(parents(session)).toEqual([undefined, null, 1, 2, 3])
    expect(session.readings.map(({ entry }) => entry?.links?.firstKept)).toEqual([
      ...[undefined, undefined, undefined, 2, undefined],
    ])
  })

  it('writes as prompts what it has no record for, and reports what it cannot carry', async () => {
    const inputs = [
      own('message', { message: { role: 'system', content: 'be brief' } }),
      own('message', { message: { role: 'custom', customType: 'x', content: 'hooked' } }),
      own('custom_message', { customType: 'x', content: 'told', display: true }),
      own('branch_summary', { summary: 'tried' }),
      own('active_tools_change', { activeToolNames: ['read'] }),
      { type: 'pi/context_edit', body: { replacement: null }, links: { target: 1 } },
    ]
    const { lines, losses } = await written(v1, inputs, { title: 'Tides', labels: new Map([['here', 0]]) })
    const contents = lines.slice(1).map(({ message }) => (message as JsonObject).content)
    expect(contents).toEqual(['be brief', 'hooked', 'told', 'tried'].map((text) => [{ type: 'text', text }]))
    expect(losses).toEqual(['role', 'summary', 'setting', 'edit', 'label', 'title'])
  })
})

describe('version 2', () => {
  it('F3: names its version and messages of hooks, and has a tree and labels', async () => {
    const inputs = [user('one'), own('message', { message: { role: 'custom', content: 'hooked' } })]
    const { lines, losses } = await written(v2, inputs, { title: 'Tides', labels: new Map([['here', 0]]) })
    expect(lines.map(({ type, version }) => [type, version])).toEqual([
      ...[
        ['session', 2],
        ['message', undefined],
        ['message', undefined],
        ['label', undefined],
      ],
    ])
    expect(lines[2]?.message).toMatchObject({ role: 'hookMessage', content: 'hooked' })
    expect([lines[2]?.parentId, losses]).toEqual([lines[1]?.id, ['title']])
  })

  it('keeps nothing with a compaction that carries what it keeps', async () => {
    const inputs = [user('one'), own('compaction', { summary: 's', retainedTail: [], systemMessage: {} })]
    const { lines, losses } = await written(v2, inputs)
    expect(lines[2]).toMatchObject({ type: 'compaction', summary: 's', firstKeptEntryId: lines[2]?.id })
    expect([Object.hasOwn(lines[2] as JsonObject, 'retainedTail'), losses]).toEqual([false, ['compaction']])
  })
})

describe('version 4', () => {
  it('F7: numbers its lines, moves its lane where a branch begins, and names branches by lanes', async () => {
    const fork = { type: 'sess/message', body: { role: 'user', content: 'other' }, parents: [0] }
    const { lines, text, losses } = await written(v4, [user('one'), user('two'), fork], {
      branches: new Map(Object.entries({ main: 2, try: 1 })),
      labels: new Map([['here', 0]]),
      title: 'Tides',
      tip: 2,
    })
    const [one, two] = [lines[1]?.id, lines[2]?.id]
    expect(lines.map(({ kind, seq, leafId, targetId }) => [kind, seq, leafId ?? targetId])).toEqual([
      ['header', undefined, undefined],
      ['entry', 1, undefined],
      ['entry', 2, undefined],
      ['lane', 3, one],
      ['entry', 4, undefined],
      ['lane', 5, two],
      ['fact', 6, one],
      ['fact', 7, undefined],
    ])
    const { reader } = readText(text)
    expect([reader.active(), reader.facts().title, losses]).toEqual([4, 'Tides', []])
    expect(reader.facts().branches).toEqual(new Map([['try', 2]]))
  })

  it('is where the session is, before the end', async () => {
    const { lines } = await written(v4, [user('one'), user('two')], { tip: 0 })
    expect(lines.at(-1)).toEqual({ kind: 'lane', seq: 3, lane: 'main', leafId: lines[1]?.id })
  })

  it('is what migration makes of version 3', async () => {
    const three = await written(v3, COMPACTED)
    const four = await written(v4, COMPACTED)
    expect([...v3ToV4.migrate(itemsOf(three.lines))].map((line) => `${jsonText(line)}\n`).join('')).toBe(
      four.text,
    )
    expect(four.lines[3]?.retainedTail).toMatchObject([{ content: [{ text: 'two' }] }])
  })
})

describe('version 3 of what came as version 4', () => {
  it('has none of its words', async () => {
    const value = {
      ...{ kind: 'entry', lane: 'main', seq: 1, id: 'a0000001', type: 'message', parentId: null },
      ...{ timestamp: 1_767_225_600_000, message: { role: 'user', content: 'Hi', timestamp: 1 } },
    }
    const inputs = {
      type: 'pi/message',
      body: { message: { role: 'user', content: 'Hi' } },
      value,
      native: 'a0000001',
    }
    const header = {
      kind: 'header',
      version: 4,
      id: 'x',
      createdAt: 1,
      legacyParentSessionPath: '/p_1.jsonl',
    }
    const { lines } = await written(v3, [inputs], { header })
    expect(lines).toEqual([
      {
        ...{ type: 'session', version: 3, id: '00000000-0000-8000-8000-000000000000' },
        ...{ timestamp: '2026-01-01T00:00:00.000Z', cwd: '/home/ada', parentSession: '/p_1.jsonl' },
      },
      {
        ...{ type: 'message', id: 'a0000001', parentId: null, timestamp: '2026-01-01T00:00:00.000Z' },
        message: { role: 'user', content: 'Hi', timestamp: 1 },
      },
    ])
  })
})
