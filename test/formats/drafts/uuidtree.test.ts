import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { FormatWriter } from '../../../src/formats/core/writer.ts'
import { uuidTree } from '../../../src/formats/drafts.ts'
import { pi } from '../../../src/formats/pi/index.ts'
import { drafted, writtenBy } from '../../support/draft.ts'
import { chain, readText, takes, warnings } from '../read.ts'

const text = readFileSync(new URL('../../fixtures/drafts/uuid-tree.jsonl', import.meta.url), 'utf8')
const own = (kind: string, body: object) => ({ type: `draft/${kind}`, body: body as never })

describe('the draft of a tree by uuid', () => {
  it('F14: is detected by the uuid of its header', () => {
    expect([uuidTree, pi].map((format) => takes(format, 'x.jsonl', text))).toEqual([true, false])
    expect(takes(uuidTree, 'x.jsonl', '{"type":"message","uuid":"a"}\n')).toBe(false)
  })

  it('F14: reads the tree, of which what hangs on the header are the roots', () => {
    const session = readText(uuidTree, text)
    expect(chain(session)).toEqual([
      [1, 'draft/message', null],
      [2, 'draft/message', 1],
      [3, 'draft/message', 2],
      [4, 'draft/message', 3],
      [5, 'draft/branch_summary', 2],
      [6, 'draft/message', 5],
      [7, 'draft/message', 6],
      [8, 'draft/compaction', 7],
      [9, 'draft/message', 8],
      [10, 'draft/stack_summary', 8],
      [11, 'draft/message', 10],
    ])
    expect(warnings(session)).toEqual([])
    expect(session.reader.active()).toBe(11)
    expect(session.reader.facts()).toMatchObject({ id: 'abc', cwd: '/project' })
  })

  it('C14: keeps the entries from firstKeptEntryUuid on', () => {
    expect(readText(uuidTree, text).readings[8]?.entry).toMatchObject({ links: { firstKept: 6 } })
  })

  it('is written below a header with a uuid', async () => {
    const inputs = [
      own('message', { message: { role: 'user', content: 'a' } }),
      own('stack_summary', { summary: 's' }),
      own('compaction', { summary: 'all' }),
      { ...own('compaction', { summary: 'some' }), links: { firstKept: 1 } },
    ]
    const { text: written, losses } = await writtenBy(uuidTree.writer as FormatWriter, drafted(inputs))
    expect(losses).toEqual([])
    const lines = written
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    for (const line of lines) delete line.timestamp
    expect(lines).toMatchInlineSnapshot(`
      [
        {
          "cwd": "/home/ada",
          "id": "00000000-0000-8000-8000-000000000000",
          "parentUuid": null,
          "type": "session",
          "uuid": "bdedb83e-bb19-8010-9bcf-f5d6ad43078b",
          "version": 2,
        },
        {
          "message": {
            "content": "a",
            "role": "user",
            "timestamp": 1767225600000,
          },
          "parentUuid": "bdedb83e-bb19-8010-9bcf-f5d6ad43078b",
          "type": "message",
          "uuid": "5b735af1",
        },
        {
          "parentUuid": "5b735af1",
          "summary": "s",
          "type": "stack_summary",
          "uuid": "307d3e10",
        },
        {
          "firstKeptEntryUuid": "9504e763",
          "parentUuid": "307d3e10",
          "summary": "all",
          "type": "compaction",
          "uuid": "9504e763",
        },
        {
          "firstKeptEntryUuid": "307d3e10",
          "parentUuid": "9504e763",
          "summary": "some",
          "type": "compaction",
          "uuid": "e43c6a12",
        },
      ]
    `)
    expect(chain(readText(uuidTree, written)).map(([, type, parent]) => [type.slice(6), parent])).toEqual([
      ['message', null],
      ['stack_summary', 1],
      ['compaction', 2],
      ['compaction', 3],
    ])
  })
})
