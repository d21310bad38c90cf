import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { field } from '../../../src/model/json.ts'
import { newStore } from '../../support/corpus.ts'
import { newFolder } from '../../support/folder.ts'

// A new format is one file and a line in the list of formats: here it takes the place and the name of another.
vi.mock('../../../src/formats/vibe.ts', async () => {
  const { all, defineFormat, fields } = await import('../../../src/formats/core/define.ts')
  const { blocksOf } = await import('../../../src/formats/core/views.ts')
  return {
    vibe: defineFormat({
      name: 'vibe',
      detect: ({ lines: [first] }) => field(first, 'parrot') === 1,
      record: (name) => ({
        id: 'key',
        time: 'at',
        facts: ({ parrot, title }) => (parrot === 1 && typeof title === 'string' ? { title } : {}),
        known: { id: name.replace(/\.jsonl$/, '') },
      }),
      entries: {
        heard: {
          body: all('type', 'words'),
          view: (body) => ({ role: 'user', blocks: blocksOf(field(body, 'words')) }),
        },
        said: {
          body: { ...all('type', 'words'), by: fields(all('model')) },
          view: (body) => ({ role: 'assistant', blocks: blocksOf(field(body, 'words')) }),
        },
      },
    }),
  }
})

const lines = [
  { parrot: 1, title: 'Pieces of eight' },
  { type: 'heard', key: 'a', at: '2026-01-02T03:04:05.000Z', words: 'Hello' },
  { type: 'note', key: 'n', mood: 'good' },
  {
    type: 'said',
    key: 'b',
    at: '2026-01-02T03:04:06.000Z',
    words: 'Hello!',
    by: { model: 'm', took: 7 },
  },
  { type: 'said', key: 'c', words: 'Good day!', by: { model: 'm' } },
]

it('makes a format of JSON lines from one declaration: detected, imported, viewed and exported', async () => {
  const store = await newStore()
  const folder = newFolder()
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(join(folder, 'polly.jsonl'), text)
  const { files } = await store.import(join(folder, 'polly.jsonl'))
  expect(files[0]).toMatchObject({ format: 'vibe', session: 'polly', entries: 3, records: 5 })
  const seen: unknown[] = []
  for await (const { native, type, role, text: shown, time } of store.log('polly'))
    seen.push([native, type, role, shown, time])
  expect(seen).toEqual([
    ['c', 'vibe/said', 'assistant', 'Good day!', null],
    ['b', 'vibe/said', 'assistant', 'Hello!', '2026-01-02T03:04:06.000Z'],
    ['a', 'vibe/heard', 'user', 'Hello', '2026-01-02T03:04:05.000Z'],
  ])
  expect((await store.show('polly:b')).body).toEqual({ type: 'said', words: 'Hello!', by: { model: 'm' } })
  const chunks: Uint8Array[] = []
  for await (const chunk of store.export('polly')) chunks.push(chunk)
  expect(Buffer.concat(chunks).toString()).toBe(text)
})

it('lists the fields of each kind of entry for the docs', async () => {
  const { vibe } = await import('../../../src/formats/vibe.ts')
  expect(vibe.fields).toEqual(
    new Map([
      ['heard', ['type', 'words']],
      ['said', ['type', 'words', 'by.model']],
    ]),
  )
})
