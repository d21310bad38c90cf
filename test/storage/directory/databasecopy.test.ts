import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import { expect, it } from 'vitest'
import { copyDatabase } from '../../../src/storage/directory/databasecopy.ts'
import { newLevel } from '../../../src/storage/leveldb/database.ts'
import { ALL } from '../../support/amount.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns how many pairs a database holds whose keys are numbers from 0 on, or -1 where one is missing. */
async function countIn(folder: string): Promise<number> {
  const level = newLevel(folder, false)
  await level.open()
  try {
    let count = 0
    for await (const key of level.keys()) if (Number(Buffer.from(key).toString()) !== count++) return -1
    return count
  } finally {
    await level.close()
  }
}

/** Enough for several copies and tables while it is written. */
const PUTS = ALL ? 600 : 200

it('takes all that was acknowledged before, while the database is written, again and again', async () => {
  const [from, copies] = [newFolder(), newFolder()]
  const level = new Level<Uint8Array, Uint8Array>(from, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    writeBufferSize: 1 << 16,
  })
  await level.open()
  let written = 0
  const writer = { done: false }
  const writing = (async () => {
    for (; written < PUTS; written++)
      await level.put(bytes(String(written).padStart(8, '0')), bytes(`${written}`.padEnd(4000)), {
        sync: true,
      })
    writer.done = true
  })()
  const seen: number[] = []
  for (let i = 0; !writer.done; i++) {
    const acknowledged = written
    const copy = join(copies, `${i}`)
    copyDatabase(from, copy)
    const count = await countIn(copy)
    expect(count).toBeGreaterThanOrEqual(acknowledged)
    seen.push(count)
    rmSync(copy, { recursive: true })
  }
  await writing
  await level.close()
  expect(seen.length).toBeGreaterThan(3)
  expect(await countIn(from)).toBe(PUTS)
})

it('says what a database lacks', async () => {
  const [from, to] = [newFolder(), newFolder()]
  const level = newLevel(from, true)
  await level.open()
  for (let i = 0; i < 40; i++) await level.put(bytes(`${i}`), new Uint8Array(100_000).fill(i))
  await level.close()
  // A database writes its tables when it is opened again, if closing left no time.
  await level.open()
  await level.close()
  for (const name of readdirSync(from)) if (name.endsWith('.ldb')) rmSync(join(from, name))
  const { message } = await expectFailure('corrupt', () => copyDatabase(from, join(to, 'copy')))
  expect(message).toMatch(/lacks the table \d+$/)
})

it('says which file a damaged database lacks, or what its CURRENT names', async () => {
  const from = newFolder()
  const level = newLevel(from, true)
  await level.open()
  await level.close()
  const copied = (): Promise<Error> =>
    expectFailure('corrupt', () =>
      Promise.resolve().then(() => copyDatabase(from, join(newFolder(), 'copy'))),
    )
  for (const name of [
    '',
    'MANIFEST-',
    `MANIFEST-${'1'.repeat(300)}`,
    `MANIFEST-000002\nmore`,
    '../MANIFEST-1',
  ]) {
    writeFileSync(join(from, 'CURRENT'), `${name}\n`)
    expect((await copied()).message).toContain('it names no manifest')
  }
  writeFileSync(join(from, 'CURRENT'), 'MANIFEST-999999\n')
  expect((await copied()).message).toContain(`'${from}' lacks MANIFEST-999999`)
  rmSync(join(from, 'CURRENT'))
  expect((await copied()).message).toContain(`'${from}' lacks CURRENT`)
})
