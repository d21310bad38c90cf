import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { whileLocked } from '../../src/files/filelock.ts'
import { built, script } from '../support/built.ts'
import { newFolder } from '../support/folder.ts'

const counter = (): string => {
  const path = join(newFolder(), 'counter')
  writeFileSync(path, '0')
  return path
}

it('lets one process at a time read and replace a file', async () => {
  const path = counter()
  const children = [1, 2].map(() =>
    spawn(process.execPath, [script('countup.mjs'), built(), path, '40'], { stdio: 'inherit' }),
  )
  await Promise.all(children.map((child) => once(child, 'exit')))
  expect(readFileSync(path, 'utf8')).toBe('80')
})

/** Returns the id of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid as number
}

it('removes the lock that a killed process left, and its own also where the work throws', async () => {
  const path = counter()
  writeFileSync(`${path}.lock`, `${await endedProcess()}`)
  expect(await whileLocked(path, () => 'done')).toBe('done')
  const failing = whileLocked(path, () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect([existsSync(`${path}.lock`), readdirSync(dirname(path))]).toEqual([false, ['counter']])
})

it('removes an empty lock only once it is some seconds old', async () => {
  const path = counter()
  writeFileSync(`${path}.lock`, '')
  let isDone = false
  const working = whileLocked(path, () => (isDone = true))
  await pause(50)
  expect(isDone).toBe(false)
  const past = Date.now() / 1000 - 4
  utimesSync(`${path}.lock`, past, past)
  expect(await working).toBe(true)
  expect(readdirSync(dirname(path))).toEqual(['counter'])
})

it('waits while another process takes over the lock of a killed process', async () => {
  const path = counter()
  writeFileSync(`${path}.lock`, `${await endedProcess()}`)
  writeFileSync(`${path}.lock.takeover`, `${process.ppid}`)
  let isDone = false
  const working = whileLocked(path, () => (isDone = true))
  await pause(50)
  expect([isDone, existsSync(`${path}.lock`)]).toEqual([false, true])
  rmSync(`${path}.lock.takeover`)
  expect(await working).toBe(true)
  expect(readdirSync(dirname(path))).toEqual(['counter'])
})

it('takes over a lock also where a process was killed while it did so', async () => {
  const path = counter()
  const ended = `${await endedProcess()}`
  writeFileSync(`${path}.lock`, ended)
  writeFileSync(`${path}.lock.takeover`, ended)
  // A lock that was not yet in place when its process was killed.
  writeFileSync(`${path}.lock.${ended}-0123456789abcdef.sess-tmp`, '')
  expect(await whileLocked(path, () => 'done')).toBe('done')
  expect(readdirSync(dirname(path))).toEqual(['counter'])
})

it('keeps the lock of another process at the end', async () => {
  const path = counter()
  await whileLocked(path, () => writeFileSync(`${path}.lock`, `${process.ppid}`))
  expect(readFileSync(`${path}.lock`, 'utf8')).toBe(`${process.ppid}`)
})
