import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { grown } from '../support/grown.ts'

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))
const FILES = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.jsonl'))
  .sort()

async function expectSame(name: string, source: Buffer, lengths: readonly number[]): Promise<void> {
  const once = await grown(name, source)
  expect(once).toMatchObject({ sessions: 1, wrong: [], findings: [] })
  expect(await grown(name, source, lengths)).toEqual(once)
}

/** The ends of lines, and places within the next one: behind its first byte, in its middle, before its newline. */
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
  await expectSame(`${file.split('/')[0]}-session.jsonl`, source, lineSteps(source))
})

const user = (uuid: string, parentUuid: string | null, more: string): string =>
  `{"type":"user","uuid":"${uuid}","parentUuid":${JSON.stringify(parentUuid)},"sessionId":"s",${more}}`

it.each([
  [
    'lines',
    'it.jsonl',
    [
      user('u', null, '"message":{"role":"user","content":"Grüße 😀"}'),
      `${user('a', 'u', '"message":[]')}{"a":1}`,
      'no "JSON" \u0000{',
      user('v', 'u', '"message":{"content":"\\ud83d"},"n":7.0'),
    ].join('\r\n'),
  ],
  ['a list', 'it.json', '[\n{"role":"user","content":"ü"},\n {"role":"assistant","content":"b"}\n]\n'],
  ['a document', 'it.json', '\ufeff{"id":"x","messages":[{"role":"user","content":"a"}, {"b":1}],"n":1}'],
  ['a document among lines', 'it.jsonl', '{"messages":[{"role":"user"}]}\n'],
  ['text', 'it.md', 'Grüße\n\u0000\n{}'],
])('%s read byte by byte are the same as at once', async (_, name, text) => {
  const source = Buffer.from(text)
  await expectSame(
    name,
    source,
    Array.from({ length: source.length }, (_byte, i) => i),
  )
})
