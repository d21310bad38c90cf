import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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

it('removes the lock that a killed process left, and its own also where the work throws', async () => {
  const path = counter()
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  writeFileSync(`${path}.lock`, `${child.pid}`)
  expect(await whileLocked(path, () => 'done')).toBe('done')
  const failing = whileLocked(path, () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect([existsSync(`${path}.lock`), readdirSync(dirname(path))]).toEqual([false, ['counter']])
})
