import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isRunning, processName } from '../../../src/storage/directory/processname.ts'
import { newLevel } from '../../../src/storage/leveldb/database.ts'
import { claimDatabase, isClaimed, isLocked, releaseClaim } from '../../../src/storage/leveldb/locks.ts'
import { newFolder } from '../../support/folder.ts'

it.runIf(existsSync('/proc/locks'))('sees who has a database as long as it is open', async () => {
  const [folder, other] = [newFolder(), newFolder()]
  expect(isLocked(folder)).toBe(false)
  const levels = [newLevel(folder, true), newLevel(other, true)] as const
  for (const level of levels) await level.open()
  expect([isLocked(folder), isLocked(other)]).toEqual([true, true])
  await levels[0].close()
  expect([isLocked(folder), isLocked(other)]).toEqual([false, true])
  await levels[1].close()
})

const [, numbering] = processName().split('-')

it('is had by one at a time', () => {
  const folder = newFolder()
  expect(claimDatabase(folder)).toBeTypeOf('string')
  expect(isClaimed(folder)).toBe(true)
  expect(claimDatabase(folder)).toBeUndefined()
  expect(readdirSync(folder).length).toBe(1)
})

it('of a process that is gone does not count', () => {
  const folder = newFolder()
  // No process has a number above 2^22.
  writeFileSync(join(folder, `OWNER.5000000-${numbering}.0.00`), '')
  expect(isClaimed(folder)).toBe(false)
  const own = claimDatabase(folder) as string
  expect(readdirSync(folder)).toEqual([own])
})

it.runIf(existsSync('/proc/self/stat'))('of a zombie does not count', async () => {
  const folder = newFolder()
  // Nobody waits for the child of a shell that has become another program.
  const child = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  writeFileSync(join(folder, `OWNER.${said.toString().trim()}-${numbering}.0.00`), '')
  await expect.poll(() => isClaimed(folder)).toBe(false)
  expect(isRunning(`${child.pid}-${numbering}`)).toBe(true)
})

it('that this thread could not remove does not count', () => {
  const folder = newFolder()
  const former = claimDatabase(folder) as string
  releaseClaim(folder, former)
  writeFileSync(join(folder, former), '')
  expect(isClaimed(folder)).toBe(false)
  const own = claimDatabase(folder) as string
  expect(readdirSync(folder)).toEqual([own])
  releaseClaim(folder, own)
  expect(readdirSync(folder)).toEqual([])
})

it('of another thread of this process counts', () => {
  const folder = newFolder()
  writeFileSync(join(folder, `OWNER.${processName()}.00.00`), '')
  expect([isClaimed(folder), claimDatabase(folder)]).toEqual([true, undefined])
})

it('of a process of which nothing is known counts', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'OWNER.5000000-00000000.0.00'), '')
  expect([isClaimed(folder), claimDatabase(folder)]).toEqual([true, undefined])
})
