import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { cursorChat } from '../../../src/formats/cursor.ts'
import { expectStable } from '../prefix.ts'
import { chain, entriesAsText, readText, takes } from '../read.ts'

const text = readFileSync(new URL('../../fixtures/cursor-chat/rows.jsonl', import.meta.url), 'utf8')
const lines = text.split('\n')

/** Returns the ids of blobs, by what their lines hold. */
const idOf = (part: string): string => {
  const line = lines.find((one) => one.includes(part)) ?? ''
  return (JSON.parse(line) as { row: { id: string } }).row.id
}
const state = (id: string, ...messages: readonly string[]): string => {
  const bytes = Buffer.concat(
    messages.map((name) => Buffer.concat([Buffer.from([0x0a, 32]), Buffer.from(name, 'hex')])),
  )
  return JSON.stringify({ table: 'blobs', row: { id, data: { $blob: bytes.toString('base64') } } })
}

it('reads messages in the order of the states that list them, and what a rewind left as a branch', () => {
  const read = readText(cursorChat, text)
  expect(entriesAsText(cursorChat, read)).toMatchInlineSnapshot(`
    "->1 system [text You help.]
    1>2 user [text list the files]
    2>3 assistant [thinking ls will do] [call t1 Shell {"command":"ls"}]
    3>4 tool [result t1 a.txt]
    4>5 assistant [text One: a.txt]
    5>7 user [text delete it]
    7>8 assistant [text Gone.]
    8>10 user [text keep it]
    10>11 assistant [text Kept.]"
  `)
  expect(chain(read).map(([at, , parent]) => [at, parent])).toEqual([
    [1, null],
    [2, 1],
    [3, 2],
    [4, 3],
    [5, 4],
    [7, 5],
    [8, 7],
    [10, 8],
    [11, 10],
  ])
  // Messages after the rewind were read as a continuation of the abandoned path until the state came.
  expect(read.readings[12]).toMatchObject({
    rechained: [
      { original: 10, parent: 5 },
      { original: 11, parent: 13 },
    ],
    superseded: [11, 10],
  })
  expect(read.reader.active()).toBe(14)
  expect(read.reader.facts()).toEqual({
    id: '0f6a1c52-3c1b-4f0e-9a53-7d1f0a2b3c4d',
    title: 'Files',
    created: 1_760_000_000_000,
  })
  expectStable(cursorChat, text)
})

it('keeps ids of messages and provider options out of the body', () => {
  expect(readText(cursorChat, text).readings[3]?.entry?.body).toEqual({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'ls will do', signature: 'sig' },
      { type: 'tool-call', toolCallId: 't1', toolName: 'Shell', args: { command: 'ls' } },
    ],
  })
})

it('goes back to where the newest state ends, and takes a part of what is there for nothing', () => {
  const [system, user, answer] = [idOf('You help'), idOf('list the files'), idOf('ls will do')]
  const meta = (latest: string): string =>
    JSON.stringify({ table: 'meta', row: { key: '0', value: JSON.stringify({ latestRootBlobId: latest }) } })
  const messages = lines.slice(1, 4)
  const part = readText(cursorChat, [meta('b'), ...messages, state('b', system, user)].join('\n'))
  expect(part.reader.active()).toBe(3)
  const back = [meta('b'), ...messages, state('a', system, user, answer), state('b', system)].join('\n')
  expect(readText(cursorChat, back).reader.active()).toBe(1)
})

it('chains what a state lists twice twice, and reads without states, ids and whole blobs', () => {
  const [system, user] = [idOf('You help'), idOf('list the files')]
  const twice = readText(cursorChat, [...lines.slice(1, 3), state('a', system, user, user)].join('\n'))
  expect(twice.readings[2]?.rechained).toEqual([{ original: 1, parent: 1, native: user }])
  expect(twice.reader.active()).toBe(3)
  const torn = Buffer.from([0x0a, 32, 1]).toString('base64')
  const odd = [{ id: 'a', data: { $blob: torn } }, { id: 5, data: null }, { id: 'c' }].map((row) =>
    JSON.stringify({ table: 'blobs', row }),
  )
  const { readings, reader } = readText(cursorChat, [...lines.slice(1, 3), ...odd].join('\n'))
  expect(readings.slice(2)).toEqual([{}, {}, {}])
  expect(reader.active()).toBe(1)
  expect(reader.facts()).toEqual({})
})

it('knows its rows', () => {
  expect(takes(cursorChat, 'store.db', text)).toBe(true)
  expect(takes(cursorChat, 'x.jsonl', '{"table":"meta","row":{"key":"0"}}')).toBe(false)
})
