import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { codexDocument } from '../../../src/formats/codex/index.ts'
import { entriesAsText, readText, takes } from '../read.ts'

const name = 'rollout-2025-04-20-019a0000-0000-4000-8000-000000000042.json'
const text = readFileSync(new URL(`../../fixtures/codex/${name}`, import.meta.url), 'utf8')

describe('a rollout of Codex in one document', () => {
  it.each([
    ['its beginning', text, true],
    ['its beginning on one line', JSON.stringify(JSON.parse(text)), true],
    ['a session without an id', '{"session":{"name":"x"},"items":[]}', false],
    ['a session alone', '{"session":{"id":"x"}}', false],
  ])('is detected by %s', (_, file, is) => {
    expect(takes(codexDocument, 'x.json', file)).toBe(is)
  })

  it('is one chain of its items', () => {
    const read = readText(codexDocument, text, name)
    expect(entriesAsText(codexDocument, read)).toMatchInlineSnapshot(`
      "->0 user [text When is high water?]
      0>1 assistant
      1>2 assistant [call call_1 shell {"command":["tide"]}]
      2>3 tool [result call_1 17:20
      ]
      3>4 assistant [text At 17:20.]"
    `)
    expect(read.reader.active()).toBe(4)
    expect(read.reader.facts()).toEqual({
      id: '019a0000-0000-4000-8000-000000000042',
      created: Date.parse('2025-04-20T10:00:00Z'),
    })
    expect(read.readings.map(({ entry }) => entry?.type)).toEqual([
      'codex-json/message',
      'codex-json/reasoning',
      'codex-json/function_call',
      'codex-json/function_call_output',
      'codex-json/message',
    ])
  })
})
