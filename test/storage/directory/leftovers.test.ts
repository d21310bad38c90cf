import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isBeingRewritten } from '../../../src/storage/directory/leftovers.ts'
import { processName } from '../../../src/storage/directory/processname.ts'
import { isHeld, newLevel } from '../../../src/storage/leveldb/database.ts'
import { newFolder } from '../../support/folder.ts'

const MINUTE = 60_000

/** The name of a process that runs, other than this one, in the names of files. */
const otherProcess = processName().replace(/^\d+/, `${process.ppid}`)

it('takes a store for being rewritten by a running process that holds the new database or changed it lately', async () => {
  const dir = newFolder()
  const made = join(dir, `db.2.${otherProcess}.abcdef`)
  mkdirSync(made)
  const now = Date.now()
  expect(await isBeingRewritten(dir, () => Promise.resolve(false), now)).toBe(true)
  expect(await isBeingRewritten(dir, () => Promise.resolve(true), now + 2 * MINUTE)).toBe(true)
  expect(await isBeingRewritten(dir, () => Promise.resolve(false), now + 2 * MINUTE)).toBe(false)
})

it('does not wait for a killed rewrite whose process number another process has', async () => {
  const dir = newFolder()
  const made = join(dir, `db.2.${otherProcess}.abcdef`)
  const level = newLevel(made, true)
  await level.open()
  const past = Date.now() / 1000 - 3600
  for (const name of ['.', ...readdirSync(made)]) utimesSync(join(made, name), past, past)
  expect(await isBeingRewritten(dir, isHeld, Date.now())).toBe(true)
  await level.close()
  for (const name of ['.', ...readdirSync(made)]) utimesSync(join(made, name), past, past)
  expect(await isBeingRewritten(dir, isHeld, Date.now())).toBe(false)
  rmSync(made, { recursive: true })
  expect(await isBeingRewritten(dir, isHeld, Date.now())).toBe(false)
  expect(readdirSync(dir)).toEqual([])
})
