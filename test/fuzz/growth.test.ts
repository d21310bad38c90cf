import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { exported, newStore } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'
import { type Outcome, outcomeOf } from '../support/heads.ts'

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))
const FILES = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.jsonl'))
  .sort()

/** Imports a source after each of some lengths, checking what comes back, and gives what it became. */
async function grown(name: string, source: Buffer, lengths: readonly number[]): Promise<Outcome> {
  const folder = newFolder()
  const store = await newStore(join(folder, 'store'))
  const path = join(folder, name)
  writeFileSync(path, '')
  let session = ''
  let entries = 0
  let at = 0
  for (const length of lengths) {
    appendFileSync(path, source.subarray(at, length))
    at = length
    const [file] = (await store.import(path)).files
    expect([length, file?.bytes, file?.contained]).toEqual([length, length, false])
    session = file?.session ?? ''
    entries += file?.newEntries ?? 0
    expect((await exported(store, session)).equals(source.subarray(0, length))).toBe(true)
  }
  expect(await store.sessions()).toHaveLength(1)
  expect((await store.fsck()).findings).toEqual([])
  const stats = await store.stats()
  await store.close()
  const outcome = await outcomeOf(join(folder, 'store'), session)
  expect([stats.records, stats.entries, entries]).toEqual([outcome.count, outcome.entries, outcome.entries])
  return outcome
}

/** The ends of lines, and places within the next one: torn before its newline, in its middle, behind its first byte. */
function lineSteps(source: Buffer): number[] {
  const steps = new Set<number>()
  for (let at = 0; at < source.length; ) {
    const end = source.indexOf(10, at)
    const next = end < 0 ? source.length : end + 1
    for (const step of [at + 1, Math.floor((at + next) / 2), next - 1, next]) steps.add(step)
    at = next
  }
  return [...steps].sort((a, b) => a - b)
}

it.each(FILES)('%s is the same read line by line, torn and whole, as at once', async (file) => {
  const source = readFileSync(join(fixtures, file))
  const name = `${file.split('/')[0]}-session.jsonl`
  const steps = lineSteps(source)
  expect(await grown(name, source, steps)).toEqual(await grown(name, source, [source.length]))
})

const LINES = [
  '{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"Grüße 😀"}}',
  '{"type":"assistant","uuid":"a","parentUuid":"u","sessionId":"s","message":{"id":"m","content":[]}}{"a":1}',
  'no "JSON" \u0000{',
  '{"type":"user","uuid":"v","parentUuid":"u","sessionId":"s","message":{"content":"\\ud83d"},"n":7.0}',
]

it.each([
  ['lines', LINES.join('\r\n')],
  ['a list', `[\n{"role":"user","content":"ü"},\n {"role":"assistant","content":"b"}\n]\n`],
  [
    'a document',
    '\ufeff{"id":"x","messages":[{"role":"user","content":"a"}, {"role":"ai","content":"b"}],"n":1}',
  ],
  ['text', 'Grüße\n\u0000\n{}'],
])('%s read byte by byte are the same as at once', async (_, text) => {
  const source = Buffer.from(text)
  const steps = Array.from({ length: source.length }, (_byte, i) => i + 1)
  expect(await grown('it.jsonl', source, steps)).toEqual(await grown('it.jsonl', source, [source.length]))
  expect(await grown('it.json', source, steps)).toEqual(await grown('it.json', source, [source.length]))
})
