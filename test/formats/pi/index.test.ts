import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { pi } from '../../../src/formats/pi/index.ts'
import { short } from '../../../src/model/encoding/oid.ts'
import { isObject } from '../../../src/model/json.ts'
import { codes, entryAt, oidsOf, piContextOf, readText } from './session.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/pi/${name}`, import.meta.url), 'utf8')
const vector = (name: string): readonly (string | undefined)[] => {
  const session = readText(fixture(name))
  return oidsOf(session).map((oid, at) => oid && `${entryAt(session, at).type} ${short(oid)}`)
}
const seen = async (name: string) =>
  (await piContextOf(readText(fixture(name)))).messages.map((message) => JSON.stringify(message))

describe('pi', () => {
  it('names itself', () => {
    expect([pi.name, pi.dialect, pi.reading, pi.conversational]).toEqual(['pi', 'pi', 1, true])
  })

  it.each(['v1.jsonl', 'v3.jsonl'])('recognises %s', (name) => {
    const head = new TextEncoder().encode(fixture(name))
    const lines = readText(fixture(name)).units.flatMap(({ value }) => (isObject(value) ? [value] : []))
    expect(pi.detect({ name, head, lines, whole: true })).toBe(true)
  })

  it('returns the oids of version 1 that reading 1 has for ever', () => {
    expect(vector('v1.jsonl')).toMatchInlineSnapshot(`
      [
        undefined,
        "pi/message a0177cadf9",
        "pi/message cca2ea90f7",
        "pi/message 35f6af6a1d",
        "pi/message d9ca9c2e2a",
        "pi/thinking_level_change 660fa9cfeb",
        "pi/message 5268c344af",
        "pi/model_change 568caa8093",
        "pi/compaction f88eded126",
        "pi/message f0798e33af",
      ]
    `)
  })

  it('returns the oids of version 3 that reading 1 has for ever', () => {
    expect(vector('v3.jsonl')).toMatchInlineSnapshot(`
      [
        undefined,
        "pi/model_change d991934b3b",
        "pi/thinking_level_change 8690b2e50e",
        "pi/message 8d3962291a",
        "pi/message 6629529427",
        "pi/message f19c65133a",
        undefined,
        "pi/message 62c8ae9a9f",
        undefined,
        "pi/message 0dee738cf2",
        "pi/message 5a70160871",
        "pi/custom_message 761c075217",
        "pi/branch_summary 14bc7736ab",
        "pi/message 8c91d0aa40",
        "pi/compaction 05da1afdeb",
        "pi/context_edit 4081773a49",
        undefined,
        "pi/message 8c973bcc55",
        undefined,
      ]
    `)
  })

  it('returns the context of version 1', async () => {
    expect(await seen('v1.jsonl')).toMatchInlineSnapshot(`
      [
        "{"role":"compactionSummary","summary":"Seven files were counted.","tokensBefore":1234,"timestamp":1772359208000}",
        "{"role":"user","content":[{"type":"text","text":"and the folders?"}],"timestamp":1772359206000}",
        "{"role":"assistant","content":[{"type":"text","text":"Three — with ünïcode."}],"api":"anthropic-messages","provider":"anthropic","model":"claude-x","usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{"input":0.001,"output":0.002,"cacheRead":0,"cacheWrite":0,"total":0.003}},"stopReason":"stop","timestamp":1772359209000}",
      ]
    `)
  })

  it('returns the context of version 3', async () => {
    expect(await seen('v3.jsonl')).toMatchInlineSnapshot(`
      [
        "{"role":"compactionSummary","summary":"Seven files, three folders.","tokensBefore":4321,"timestamp":1772359214000}",
        "{"role":"assistant","content":[{"type":"text","text":"Seven."}],"api":"anthropic-messages","provider":"anthropic","model":"claude-x","usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{"input":0.001,"output":0.002,"cacheRead":0,"cacheWrite":0,"total":0.003}},"stopReason":"stop","timestamp":1772359207000}",
        "{"role":"branchSummary","summary":"The folders were counted: three.","fromId":"a000000b","timestamp":1772359212000}",
        "{"role":"bashExecution","command":"date","output":"Sun Mar  1","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1772359213000}",
        "{"role":"user","content":[{"type":"text","text":"thanks"}],"timestamp":1772359217000}",
      ]
    `)
  })

  it('reads the facts', () => {
    const session = readText(fixture('v3.jsonl'))
    expect(session.reader.facts()).toEqual({
      id: '01957f00-0000-7000-8000-000000000001',
      title: 'Counting files',
      cwd: '/home/ada/engine',
      parent: 'old',
      created: 1772359200000,
      labels: new Map([
        ['start', 3],
        ['end', 17],
      ]),
    })
    expect(session.reader.active()).toBe(17)
    expect(codes(session)).toEqual([])
  })
})
