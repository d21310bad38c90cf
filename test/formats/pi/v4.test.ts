import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sampleOf } from '../../../src/formats/core/sample.ts'
import { pi } from '../../../src/formats/pi/index.ts'
import { detectFormat } from '../../../src/formats/registry.ts'
import { chain, readText, takes, warnings } from '../read.ts'
import { oidsOf, piContextOf, readText as readSession } from './session.ts'

const text = readFileSync(new URL('../../fixtures/pi/v4.jsonl', import.meta.url), 'utf8')

describe('version 4 of pi', () => {
  it('F7: is detected by its header', () => {
    expect(takes(pi, 'x.jsonl', text)).toBe(true)
    expect(takes(pi, 'x.jsonl', text.replace('"version":4', '"version":5'))).toBe(false)
  })

  it('F8: leaves the transactions of the version after it to the reader of any lines, which keeps every byte', () => {
    const next = [
      { v: 4, kind: 'header', storageVersion: 1, id: 's' },
      [
        { kind: 'entry', id: 'a', type: 'message' },
        { kind: 'register', name: 'lane.leaf', value: 'a' },
      ],
    ]
    const lines = next.map((line) => `${JSON.stringify(line)}\n`).join('')
    const sample = sampleOf('x.jsonl', new TextEncoder().encode(lines), lines.length)
    expect(detectFormat(sample).name).toBe('jsonl')
    const splitter = detectFormat(sample).splitter()
    const units = [...splitter.push(sample.head), ...splitter.end().units]
    expect(Buffer.concat(units.map(({ bytes }) => bytes)).toString()).toBe(lines.trimEnd())
  })

  it('F7: reads entries as a tree, lanes as branches, facts as title and labels', () => {
    const session = readText(pi, text)
    expect(chain(session)).toEqual([
      [1, 'pi/model_change', null],
      [2, 'pi/message', 1],
      [4, 'pi/message', 2],
      [6, 'pi/message', 2],
      [9, 'pi/compaction', 4],
      [10, 'pi/active_tools_change', 9],
      [12, 'pi/message', 10],
      [13, 'pi/message', 12],
    ])
    expect(warnings(session)).toEqual([])
    expect(session.reader.facts()).toEqual({
      id: '01957f00-0000-7000-8000-0000000004a4',
      title: 'Nested tides',
      cwd: '/home/ada/tides',
      created: 1786000000000,
      labels: new Map([['nested', 4]]),
      branches: new Map([['other', 6]]),
    })
  })

  it('F7: is where the lane main is', () => {
    const lines = text.trimEnd().split('\n')
    const activeAfter = (count: number) => readText(pi, lines.slice(0, count).join('\n')).reader.active()
    expect([1, 2, 7, 9, 14, 15].map(activeAfter)).toEqual([null, 1, 4, 4, 13, 12])
  })

  it('has the entries of version 3, so that both share them', () => {
    const v3 = [
      { type: 'session', version: 3, id: 's' },
      { type: 'model_change', id: 'x', parentId: null, provider: 'anthropic', modelId: 'claude-x' },
      { type: 'message', id: 'y', parentId: 'x', message: { role: 'user', content: 'Nest the tables.' } },
    ]
    const oids = oidsOf(readSession(v3.map((line) => JSON.stringify(line)).join('\n')))
    expect(oidsOf(readSession(text)).slice(1, 3)).toEqual(oids.slice(1))
  })

  it('C13: a compaction carries what it keeps', async () => {
    const { messages } = await piContextOf(readSession(text))
    expect(messages.map((message) => (message as { role: string }).role)).toEqual([
      'compactionSummary',
      'user',
      'assistant',
      'user',
    ])
  })

  it('F6: moves the leaf durably in the variant of the harness of version 3', () => {
    const lines = [
      { type: 'session', version: 3, id: 's', metadata: { client: 'x' } },
      { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'a' } },
      { type: 'active_tools_change', id: 'b', parentId: 'a', activeToolNames: ['read'] },
      { type: 'compaction', id: 'c', parentId: 'b', summary: 's', tokensBefore: 1, retainedTail: [] },
      { type: 'leaf', id: 'd', parentId: 'c', targetId: 'a' },
    ].map((line) => JSON.stringify(line))
    const session = readText(pi, lines.join('\n'))
    expect(chain(session)).toEqual([
      [1, 'pi/message', null],
      [2, 'pi/active_tools_change', 1],
      [3, 'pi/compaction', 2],
    ])
    expect(session.reader.active()).toBe(1)
    expect(warnings(session)).toEqual([])
    const before = JSON.stringify({ type: 'leaf', id: 'e', parentId: 'd', targetId: null })
    expect(readText(pi, [...lines, before].join('\n')).reader.active()).toBeNull()
  })
})
