import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../support/amount.ts'
import { exported, newStore } from '../../support/corpus.ts'
import { newFolder } from '../../support/folder.ts'

const record = (type: string, uuid: string, parentUuid: string | null, message: object): string =>
  `${JSON.stringify({ type, uuid, parentUuid, sessionId: 's', timestamp: '2026-01-02T03:04:05.000Z', message })}\n`
const block = (uuid: string, parentUuid: string): string =>
  record('assistant', uuid, parentUuid, {
    id: 'm',
    role: 'assistant',
    content: [{ type: 'text', text: uuid }],
  })

const first = record('user', 'u1', null, { role: 'user', content: 'go' })
const blocks = [block('a1', 'u1'), block('a2', 'a1')]
const last = record('user', 'u2', 'a2', { role: 'user', content: 'on' })

it('shares all entries with a copy that lacks the damaged line, also when the file was imported before it grew', async () => {
  const store = await newStore()
  const folder = newFolder()
  const [damaged, copy] = [join(folder, 'damaged.jsonl'), join(folder, 'copy.jsonl')]
  const damage = `{"parentUuid":"u1","cut o${blocks[1]}`
  writeFileSync(damaged, first + damage)
  const { files } = await store.import(damaged)
  const id = files[0]?.session as string
  expect(files[0]).toMatchObject({ entries: 2, salvaged: 1 })
  appendFileSync(damaged, blocks.join('') + last)
  await store.import(damaged)
  writeFileSync(copy, (first + blocks.join('') + last).replaceAll('"s"', '"t"'))
  const copied = (await store.import(copy)).files[0]
  expect(copied).toMatchObject({ entries: 4, newEntries: 0 })
  const paths: string[][] = []
  for (const session of [id, copied?.session as string]) {
    const path: string[] = []
    for await (const { oid } of store.log(session)) path.push(oid)
    paths.push(path)
  }
  expect(paths[0]).toEqual(paths[1])
  expect((await exported(store, id)).toString()).toBe(first + damage + blocks.join('') + last)
})

it('gives a line back whose strings hold both raw control characters and bytes that are no UTF-8', async () => {
  const store = await newStore()
  const folder = newFolder()
  let number = 0
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(bytes, bytes, async (some, more) => {
      const path = join(folder, `${number++}.jsonl`)
      const [begin = '', middle = '', end = ''] = record('user', `u${number}`, null, {
        role: 'user',
        content: 'say @ and @ again',
      }).split('@')
      const line = Buffer.concat([Buffer.from(begin), some, Buffer.from(middle), more, Buffer.from(end)])
      const file = Buffer.concat([line, Buffer.from(last)])
      writeFileSync(path, file)
      const [imported] = (await store.import(path)).files
      expect(await exported(store, imported?.session as string, file.length)).toEqual(file)
    }),
    { numRuns: runs(200), examples: [[Uint8Array.of(0x10), Uint8Array.of(0xf1)]] },
  )
  expect((await store.fsck()).findings).toEqual([])
})
