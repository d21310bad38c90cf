import { createHash } from 'node:crypto'
import { appendFileSync, createReadStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newStore } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

const MIB = 2 ** 20

async function digest(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

const user = (uuid: string, parentUuid: string | null, content: string): string =>
  `${JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: 's', message: { role: 'user', content } })}\n`

it.each([
  ['100 MiB of spaces', 100, ' ', '', 2],
  ['one string of 100 MiB', 100, 'é', user('big', 'u', '<>'), 2],
  ['one string of 30 MiB, which is read', 30, 'é', user('big', 'u', '<>'), 3],
] as const)('a line of %s comes back as it was', async (_, count, text, around, entries) => {
  const path = join(newFolder(), 's.jsonl')
  const [before = '', after = ''] = around.split('<>')
  writeFileSync(path, user('u', null, 'first') + before)
  for (let i = 0; i < count; i++) appendFileSync(path, Buffer.alloc(MIB, text))
  appendFileSync(path, `${after}\n${user('v', 'u', 'last')}`)
  const store = await newStore()
  const { files } = await store.import(path)
  expect(files).toMatchObject([{ format: 'claude-code', session: 's', entries }])
  expect(await digest(store.export('s'))).toBe(await digest(createReadStream(path)))
  const { findings, checked } = await store.fsck()
  expect([findings, checked.entries]).toEqual([[], entries])
})
