import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { processName } from '../../../src/storage/directory/processname.ts'
import { claim, isClaimed, release } from '../../../src/storage/leveldb/claim.ts'
import { newFolder } from '../../support/folder.ts'

const [, numbering] = processName().split('-')

it('is had by one at a time', () => {
  const folder = newFolder()
  expect(claim(folder)).toBeTypeOf('string')
  expect(isClaimed(folder)).toBe(true)
  expect(claim(folder)).toBeUndefined()
  expect(readdirSync(folder).length).toBe(1)
})

it('of a process that is gone does not count', () => {
  const folder = newFolder()
  // No process has a number above 2^22.
  writeFileSync(join(folder, `OWNER.5000000-${numbering}.0.00`), '')
  expect(isClaimed(folder)).toBe(false)
  const own = claim(folder) as string
  expect(readdirSync(folder)).toEqual([own])
})

it('that this thread could not remove does not count', () => {
  const folder = newFolder()
  writeFileSync(join(folder, `OWNER.${processName()}.${threadId}.00`), '')
  expect(isClaimed(folder)).toBe(false)
  const own = claim(folder) as string
  expect(readdirSync(folder)).toEqual([own])
  release(folder, own)
  expect(readdirSync(folder)).toEqual([])
})

it('of another thread of this process counts', () => {
  const folder = newFolder()
  writeFileSync(join(folder, `OWNER.${processName()}.${threadId + 1}.00`), '')
  expect([isClaimed(folder), claim(folder)]).toEqual([true, undefined])
})

it('of a process of which nothing is known counts', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'OWNER.5000000-00000000.0.00'), '')
  expect([isClaimed(folder), claim(folder)]).toEqual([true, undefined])
})
