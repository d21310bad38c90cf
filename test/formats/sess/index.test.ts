import { describe, expect, it } from 'vitest'
import type { Reading } from '../../../src/formats/core/format.ts'
import { native } from '../../../src/formats/sess.ts'
import { hasVerbatim, type Json } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64)) as [string, string, string, string]
const line = (more: object): Json => ({
  type: 'sess/message',
  body: { role: 'user', content: 'hi' },
  ...more,
})

function read(values: readonly (Json | undefined)[]) {
  const reader = native.reader('x.jsonl')
  const readings: Reading[] = values.map((value, i) => {
    const unit = { line: i + 1, bytes: new Uint8Array(), lead: 0, salvaged: false }
    return reader.read(value === undefined ? unit : { ...unit, value })
  })
  return { reader, readings }
}

describe('the native format', () => {
  it('takes lines with an oid, a type and a body', () => {
    const takes = (...lines: Json[]): boolean =>
      native.detect({ name: 'x', head: new Uint8Array(), lines, whole: true })
    expect(takes(line({ oid: A, parents: [] }))).toBe(true)
    expect(takes(line({}))).toBe(false)
    expect(takes(line({ oid: 'abc' }))).toBe(false)
    expect(takes({ oid: A, type: 'sess/message' })).toBe(false)
    expect(takes({ oid: A, type: 'message', body: 1 })).toBe(false)
    expect(takes()).toBe(false)
  })

  it('makes each line an entry of its own type and body', () => {
    const first = line({
      oid: A,
      parents: [],
      time: '1970-01-01T00:00:01.000Z',
      session: 's',
      title: 't',
      cwd: '/w',
    })
    const { reader, readings } = read([
      first,
      { oid: B, parents: [A], type: 'claude/assistant', body: [1], time: null },
    ])
    expect(readings).toEqual([
      {
        entry: {
          type: 'sess/message',
          body: { role: 'user', content: 'hi' },
          bodyPath: ['body'],
          parent: null,
        },
        time: 1000,
        native: A,
      },
      { entry: { type: 'claude/assistant', body: [1], bodyPath: ['body'], parent: 0 }, native: B },
    ])
    expect(readings[0]?.entry?.body).toBe((first as { body: Json }).body)
    expect(reader.active()).toBe(1)
    expect(reader.facts()).toEqual({ id: 's', title: 't', cwd: '/w', created: 1000 })
  })

  it('follows the line before where a line names no parents', () => {
    const { readings } = read([line({}), undefined, line({}), line({ parents: [] })])
    expect(readings.map(({ entry }) => entry?.parent)).toEqual([null, undefined, 0, null])
  })

  it('reads forks, merges and links', () => {
    const { readings } = read([
      line({ oid: A, parents: [] }),
      line({ oid: B, parents: [A] }),
      line({ oid: C, parents: [A] }),
      line({ oid: D, parents: [B, C], links: { firstKept: A, kept: [A, B], target: C } }),
    ])
    expect(readings.map(({ entry }) => entry?.parent)).toEqual([null, 0, 0, 1])
    expect(readings[3]?.entry).toMatchObject({
      otherParents: [2],
      links: { firstKept: 0, kept: [0, 1], target: 2 },
    })
    expect(readings[1]?.entry).not.toHaveProperty('otherParents')
    expect(readings[1]?.entry).not.toHaveProperty('links')
  })

  it('is on the entry whose line is marked as the head', () => {
    expect(read([line({ oid: A }), line({ oid: B, head: true }), line({ oid: C })]).reader.active()).toBe(1)
    expect(read([line({ oid: A, head: 'yes' }), line({ oid: B, head: false })]).reader.active()).toBe(1)
  })

  it('counts the levels of a body from the body', () => {
    const body = `${'['.repeat(256)}${']'.repeat(256)}`
    const inLine = parseJson(`{"oid":"${A}","type":"x/y","body":${body}}`)?.value
    expect([hasVerbatim(inLine as Json), hasVerbatim(parseJson(body)?.value as Json)]).toEqual([true, false])
    expect(read([inLine]).readings[0]?.entry?.body).toEqual(parseJson(body)?.value)
    const deeper = parseJson(`[${body}]`)?.value as Json
    const other = parseJson(`{"oid":"${A}","type":"x/y","body":[${body}]}`)?.value
    expect(read([other]).readings[0]?.entry?.body).toEqual(deeper)
  })

  it('reports oids that no earlier line has', () => {
    const { readings } = read([line({ oid: A, parents: [B], links: { target: C, kept: [] } })])
    expect(readings[0]?.entry).toMatchObject({ parent: null, links: { kept: [] } })
    expect(readings[0]?.warnings?.map(({ code, message }) => [code, message])).toEqual([
      ['unknown-oid', `no earlier line has the oid '${B}'`],
      ['unknown-oid', `no earlier line has the oid '${C}'`],
    ])
  })

  it('takes no other line for an entry', () => {
    const { reader, readings } = read([
      { session: 's' },
      { type: 'sess/message' },
      [1],
      { type: 'x', body: 1 },
    ])
    expect(readings).toEqual([{}, {}, {}, {}])
    expect([reader.active(), reader.facts()]).toEqual([null, { id: 's' }])
  })

  it('shows messages with text or blocks', () => {
    expect(native.view('message', { role: 'user', content: 'hi' })).toEqual({
      role: 'user',
      blocks: [{ kind: 'text', text: 'hi' }],
    })
    const content = [
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'b' },
      { type: 'toolCall', id: 't', name: 'Read', arguments: { p: 1 } },
      { type: 'toolResult', toolCallId: 't', name: 'Read', content: 'c', isError: true },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'unknown' },
    ]
    expect(native.view('message', { role: 'assistant', content })).toEqual({
      role: 'assistant',
      blocks: [
        { kind: 'text', text: 'a' },
        { kind: 'thinking', text: 'b' },
        { kind: 'toolCall', id: 't', name: 'Read', input: { p: 1 } },
        { kind: 'toolResult', id: 't', name: 'Read', text: 'c', error: true },
        { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' },
      ],
    })
  })

  it('understands what changes what the model sees', () => {
    const none = { role: null, blocks: [] }
    const text = [{ kind: 'text', text: 'a' }]
    expect(native.view('custom_message', { content: 'a' })).toEqual({ role: 'user', blocks: text })
    expect(native.view('compaction', { summary: 'a' })).toEqual({
      ...none,
      effect: { kind: 'compaction', summary: 'a' },
    })
    expect(native.view('branch_summary', { summary: 'a' })).toEqual({
      ...none,
      effect: { kind: 'summary', text: 'a' },
    })
    expect(native.view('edit', { replacement: null })).toEqual({
      ...none,
      effect: { kind: 'edit', replacement: null },
    })
    expect(native.view('edit', { replacement: 'a' })).toEqual({
      ...none,
      effect: { kind: 'edit', replacement: text },
    })
    expect(native.view('model_change', { provider: 'p', model: 'm' })).toEqual({
      ...none,
      sets: { model: { provider: 'p', id: 'm' } },
    })
    expect(native.view('thinking_level_change', { level: 'high' })).toEqual({
      ...none,
      sets: { thinking: 'high' },
    })
    expect(native.view('mode_change', { mode: 'plan' })).toEqual({ ...none, sets: { mode: 'plan' } })
    for (const kind of [
      'compaction2',
      'branch_summary',
      'edit',
      'model_change',
      'thinking_level_change',
      'mode_change',
    ])
      expect(native.view(kind, {})).toEqual(none)
  })

  it('shows nothing of other kinds and of what is no message', () => {
    const nothing = { role: null, blocks: [] }
    expect(native.view('summary', { role: 'user', content: 'hi' })).toEqual(nothing)
    expect([native.view('message', null), native.view('message', { role: 'wizard' })]).toEqual([
      nothing,
      nothing,
    ])
  })
})
