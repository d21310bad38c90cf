import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../src/formats/core/format.ts'
import { gemini } from '../../../src/formats/gemini-cli/index.ts'
import { chain, readText, takes, warnings } from '../read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/gemini/${name}`, import.meta.url), 'utf8')

const at = (native: string, text: string): string => `{"id":"${native}","type":"user","content":"${text}"}\n`

describe('the format of Gemini CLI', () => {
  it('names itself', () => {
    expect([gemini.name, gemini.dialect, gemini.reading, gemini.conversational]).toEqual([
      'gemini-cli',
      'gemini',
      1,
      true,
    ])
  })

  it.each([
    ['a log', 'x.jsonl', fixture('log.jsonl'), true],
    ['a damaged log', 'x.jsonl', fixture('damaged.jsonl'), true],
    ['a session spread over lines', 'x.json', fixture('old.json'), true],
    ['a session on one line', 'x.json', JSON.stringify(JSON.parse(fixture('old.json'))), true],
    ['a checkpoint', 'x.json', fixture('checkpoint-kite.json'), true],
    ['a log without its header', 'x.jsonl', '{"id":"a","type":"gemini","content":""}\n', true],
    ['messages of another', 'x.json', '{\n"messages": [{"role":"user","content":"a"}]}', false],
    ['lines of another', 'x.jsonl', '{"type":"user","message":{"content":"a"}}\n', false],
    ['nothing', 'x.json', '', false],
  ])('detects whether %s is one', (_, name, text, is) => {
    expect(takes(gemini, name, text)).toBe(is)
  })

  it('reads a log: a repeated message replaces the former, later ones are chained again, a rewind leaves a branch', () => {
    const session = readText(gemini, fixture('log.jsonl'))
    expect(chain(session)).toEqual([
      [1, 'gemini/user', null],
      [3, 'gemini/gemini', 1],
      [4, 'gemini/gemini', 1],
      [6, 'gemini/gemini', 4],
      [7, 'gemini/user', 6],
      [8, 'gemini/gemini', 7],
      [10, 'gemini/user', 6],
      [11, 'gemini/gemini', 10],
      [12, 'gemini/gemini', 4],
    ])
    expect(session.readings.flatMap(({ superseded }) => superseded ?? [])).toEqual([3, 6, 10, 11])
    expect(session.readings[12]?.rechained).toEqual([
      { original: 10, parent: 12, native: 'u3', time: Date.UTC(2026, 1, 1, 10, 7) },
      { original: 11, parent: 13, native: 'g4', time: Date.UTC(2026, 1, 1, 10, 8) },
    ])
    expect(session.reader.active()).toBe(14)
    expect(session.reader.facts()).toEqual({
      id: '5e551011-0000-4000-8000-000000000001',
      title: 'The tail of a kite',
      cwd: '/home/ada/kite',
      created: Date.UTC(2026, 1, 1, 10),
    })
  })

  it('salvages the whole messages of a document that was cut off, and its facts about the session', () => {
    const whole = readText(gemini, fixture('old.json'), 'x.json')
    const text = fixture('old.json')
    const torn = readText(gemini, text.slice(0, text.lastIndexOf('"id"')), 'x.json')
    expect(chain(torn)).toEqual(chain(whole).slice(0, chain(torn).length))
    expect(chain(torn).length).toBeGreaterThan(0)
    expect(torn.reader.facts().id).toBe(whole.reader.facts().id)
    const checkpoint = '[\n{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"te'
    expect(chain(readText(gemini, checkpoint, 'checkpoint.json'))).toEqual([[0, 'gemini/user', null]])
  })

  it('chains messages again a bounded number of times, and keeps the others as records', () => {
    const ids = Array.from({ length: 1500 }, (_, i) => `m${i}`)
    const first = ids.map((id) => at(id, 'first')).join('')
    const { readings } = readText(gemini, first + ids.map((_, i) => at('m0', `again ${i}`)).join(''))
    const again = readings.reduce((sum, { rechained = [] }) => sum + rechained.length, 0)
    expect(again).toBeGreaterThan(ids.length)
    expect(again).toBeLessThan(150 * ids.length)
    expect(readings.at(-1)?.warnings).toMatchObject([{ code: 'duplicate-id' }])
  })

  it('continues at the handles after those of rechained messages', () => {
    const text = `${at('a', '1')}${at('b', '2')}${at('a', '3')}${at('c', '4')}${at('b', '5')}`
    const { readings } = readText(gemini, text)
    expect(readings.map(({ entry }) => entry?.parent)).toEqual([null, 0, null, 3, 2])
    expect(readings.map(({ rechained: again }) => again)).toEqual([
      undefined,
      undefined,
      [{ original: 1, parent: 2, native: 'b' }],
      undefined,
      [{ original: 4, parent: 5, native: 'c' }],
    ])
  })

  it('lets what is only shown stand between, and takes it back', () => {
    const text = `${at('a', '1')}{"id":"i","type":"info","content":"x"}\n${at('b', '2')}{"$rewindTo":"i"}\n${at('c', '3')}`
    expect(chain(readText(gemini, text))).toEqual([
      [0, 'gemini/user', null],
      [2, 'gemini/user', 0],
      [4, 'gemini/user', 0],
    ])
  })

  it('replaces the list by that of a checkpoint, and clears it for an id that nobody has', () => {
    const session = readText(gemini, fixture('compressed.jsonl'))
    expect(chain(session).slice(4)).toEqual([
      [5, 'gemini/user', null],
      [6, 'gemini/user', 5],
      [7, 'gemini/gemini', 6],
      [9, 'gemini/user', 7],
      [11, 'gemini/user', null],
      [13, 'gemini/user', null],
    ])
    expect(session.readings[5]?.superseded).toEqual([1, 2, 3, 4])
    expect(session.readings[10]?.superseded).toEqual([5, 6, 7, 9])
    expect(session.readings[12]?.superseded).toBeUndefined()
    expect(session.reader.active()).toBe(13)
  })

  it('reads the old sessions, spread over lines or on one', () => {
    const session = readText(gemini, fixture('old.json'))
    expect(chain(session)).toEqual([
      [0, 'gemini/user', null],
      [1, 'gemini/gemini', 0],
      [4, 'gemini/gemini', 1],
    ])
    expect(warnings(session)).toEqual([])
    const facts = {
      id: '5e551011-0000-4000-8000-000000000003',
      title: 'A picture of a kite',
      created: Date.UTC(2026, 1, 1, 10),
    }
    expect(session.reader.facts()).toEqual(facts)
    const short = readText(gemini, JSON.stringify(JSON.parse(fixture('old.json'))))
    expect([chain(short), short.reader.facts()]).toEqual([chain(session), facts])
  })

  it('reads what is left of a damaged log', () => {
    const session = readText(gemini, fixture('damaged.jsonl'))
    expect(chain(session).map(([, type, parent]) => [type, parent])).toEqual([
      ['gemini/user', null],
      ['gemini/gemini', 1],
      ['gemini/gemini', 1],
    ])
    expect(session.readings.at(-1)?.superseded).toEqual([2])
  })

  it('keeps ids, times and what is for display out of bodies', () => {
    const { readings } = readText(gemini, fixture('log.jsonl'))
    expect(readings[4]?.entry?.body).toEqual({
      type: 'gemini',
      content: '',
      thoughts: [{ subject: 'Measuring', description: 'I look it up.' }],
      model: 'gemini-3-pro',
      tokens: { input: 100, output: 10, cached: 40, thoughts: 5, tool: 0, total: 115 },
      toolCalls: [
        {
          id: 'c1',
          name: 'read_file',
          args: { path: 'kite.txt' },
          result: [{ functionResponse: { id: 'c1', name: 'read_file', response: { output: '3 m' } } }],
          status: 'success',
        },
      ],
    })
  })
})

describe('the file of a sub-agent', () => {
  const header = { projectHash: 'f', startTime: '2026-02-01T10:00:00.000Z', kind: 'subagent' }
  const facts = (lines: readonly object[], name: string, folder: string, above: readonly string[]): Facts => {
    const splitter = gemini.splitter()
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const units = [...splitter.push(new TextEncoder().encode(text)), ...splitter.end().units]
    const reader = gemini.reader(name, folder, above)
    for (const unit of units) reader.read(unit)
    return reader.facts()
  }

  it('in a folder of its caller has its own id', () => {
    expect(facts([{ ...header, sessionId: 'own' }], 'own.jsonl', 'caller', ['chats', 'lamp'])).toMatchObject({
      ...{ id: 'own', parent: 'caller', subagent: true },
    })
    expect(
      facts([header, { $set: { memoryScratchpad: {} } }], 'own.jsonl', 'caller', ['chats']),
    ).toMatchObject({
      ...{ id: 'own', parent: 'caller' },
    })
    expect(facts([header, { $set: { sessionId: 'set' } }], 'own.jsonl', 'caller', ['chats']).id).toBe('set')
  })

  it('names no folder that somebody copied it to', () => {
    expect(facts([{ ...header, sessionId: 'own-1' }], 'own-1.jsonl', 'backup', ['home'])).toMatchObject({
      ...{ id: 'own-1', parent: 'own-1' },
    })
    expect(facts([{ ...header, sessionId: 'own-1' }], 'own-1.jsonl', 'caller-1', ['home']).parent).toBe(
      'caller-1',
    )
    expect(facts([{ ...header, sessionId: 'own-1' }], 'session-1.jsonl', 'caller-1', ['home']).parent).toBe(
      'own-1',
    )
  })

  it('beside the file of its caller has the id of that', () => {
    expect(
      facts([{ ...header, sessionId: 'one' }], 'session-1.jsonl', 'chats', ['lamp', 'tmp']),
    ).toMatchObject({
      ...{ id: 'one', parent: 'one', subagent: true },
    })
    expect(
      facts([{ ...header, sessionId: 'one', kind: 'main' }], 's.jsonl', 'caller', ['chats']),
    ).not.toHaveProperty('parent')
  })
})
