import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { kimi, kimiState } from '../../src/formats/kimi.ts'
import { entriesAsText, readText, takes, warnings } from './read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/kimi/${name}`, import.meta.url), 'utf8')

describe('the format kimi', () => {
  it('names itself', () => {
    expect([kimi.name, kimi.dialect, kimi.reading, kimi.conversational]).toEqual(['kimi', 'kimi', 1, true])
  })

  it.each([
    ['a log of Kimi Code', 'wire.jsonl', fixture('wire.jsonl'), true],
    ['a context of Kimi CLI', 'context.jsonl', fixture('context.jsonl'), true],
    ['a log of Kimi CLI', 'old-wire.jsonl', fixture('old-wire.jsonl'), true],
    ['messages of a chat', 'x.jsonl', '{"role":"user","content":"a"}\n', false],
    [
      'records of Claude Code',
      'wire.jsonl',
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a"}}\n',
      false,
    ],
    ['nothing', 'wire.jsonl', '', false],
  ])('detects whether %s is one', (_, name, text, is) => {
    expect(takes(kimi, name, text)).toBe(is)
  })

  it('keeps of a compaction no prompt in a record of a type that is not known', () => {
    const line = (text: string, type = 'context.append_message'): string =>
      `{"type":"${type}","message":{"role":"user","content":"${text}","origin":{"kind":"user"}}}`
    const compaction = '{"type":"context.apply_compaction","summary":"s","keptUserMessageCount":2}'
    const { readings } = readText(kimi, [line('a'), line('b', 'x'), line('c'), compaction].join('\n'))
    expect(readings.map(({ entry }) => entry?.links)).toEqual([
      undefined,
      undefined,
      undefined,
      { kept: [0, 2] },
    ])
    expect(readings[1]?.entry).toBeUndefined()
  })

  it('reads a log of Kimi Code', () => {
    const session = readText(kimi, fixture('wire.jsonl'), 'wire.jsonl')
    expect(entriesAsText(kimi, session)).toMatchInlineSnapshot(`
      "->1 - {"sets":{"model":{"provider":"moonshot","id":"kimi-k2"},"thinking":"on"}}
      1>4 user [text How long?]
      4>5 user [text <system-reminder>]
      5>7 assistant [thinking I look.]
      7>8 assistant [call Read_0 Read {"path":"k"}]
      8>9 tool [error Read_0 no]
      9>10 - {"usage":{"input":10,"output":2,"cacheRead":3,"cacheWrite":0}}
      10>12 - {"sets":{"mode":"plan"}}
      12>13 - {"sets":{"mode":"default"}}
      13>14 - {"effect":{"kind":"compaction","summary":"so far"}}
      14>15 assistant [text Three.]"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        15,
        {
          "created": 1780000000000,
          "cwd": "/home/ada/kite",
        },
        [],
      ]
    `)
  })

  it('keeps the last message of the user after a compaction, and leaves out what is for display', () => {
    const { readings } = readText(kimi, fixture('wire.jsonl'), 'wire.jsonl')
    expect(readings[14]?.entry?.links).toEqual({ kept: [4] })
    expect(readings[8]?.entry).toMatchObject({
      bodyPath: ['event'],
      body: { type: 'tool.call', toolCallId: 'Read_0', name: 'Read', args: { path: 'k' } },
    })
    expect(readings[9]?.entry?.body).toEqual({
      type: 'tool.result',
      toolCallId: 'Read_0',
      result: { output: 'no', isError: true },
    })
  })

  it('reads a context of Kimi CLI', () => {
    const session = readText(kimi, fixture('context.jsonl'), 'context.jsonl')
    expect(entriesAsText(kimi, session)).toMatchInlineSnapshot(`
      "->0 system [text You are Kimi.]
      0>2 user [text Hi]
      2>3 assistant [thinking hm] [text I look.] [call c1 Shell {"c":1}]
      3>4 tool [result c1 done]"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        4,
        {},
        [],
      ]
    `)
  })

  it('reads a log of Kimi CLI', () => {
    const session = readText(kimi, fixture('old-wire.jsonl'), 'old-wire.jsonl')
    expect(entriesAsText(kimi, session)).toMatchInlineSnapshot(`
      "->1 user [text Hi]
      1>3 assistant [text Hello.]
      3>4 assistant [call c1 Shell {}]
      4>5 tool [result c1 ok]"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        5,
        {},
        [],
      ]
    `)
  })

  it('knows the sidecar files of a session, which hold no conversation', () => {
    expect(
      takes(kimiState, 'x.json', '{"title":"x","agents":{"main":{"homedir":"/h"}},"workDir":"/w"}'),
    ).toBe(true)
    expect(takes(kimiState, 'x.json', '{"session_id":"s"}')).toBe(false)
    expect(kimiState.conversational).toBe(false)
  })

  it('shows nothing of kinds that it does not know', () => {
    expect(kimi.view('novel', {}).blocks).toEqual([])
  })
})
