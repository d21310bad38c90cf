import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Repo } from '../../src/repo/repo.ts'
import { STORE_FORMAT } from '../../src/storage/folder.ts'
import { expectFailure } from '../support/errors.ts'
import { tally } from '../support/faults.ts'
import { smallStore } from '../support/smallstore.ts'

it('class 17: a store of a newer format is refused with what to do, and not changed', async () => {
  const { dir } = await smallStore()
  const path = join(dir, 'sess.json')
  const identity = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  const newer = JSON.stringify({ ...identity, format: STORE_FORMAT + 1 })
  writeFileSync(path, newer)
  const { message, hint } = await expectFailure('newer-store', () => Repo.open(dir, { create: true }))
  expect([message, hint]).toEqual([
    `the store '${dir}' was written by a newer sess (format ${STORE_FORMAT + 1})`,
    'install the newest sess; nothing was changed',
  ])
  expect(readFileSync(path, 'utf8')).toBe(newer)
  tally(17, 'a newer format refused', 1)
})
