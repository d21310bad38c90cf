import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { createBranch } from '../../../src/ops/branch.ts'
import { log } from '../../../src/ops/log.ts'
import { socketPaths } from '../../../src/repo/lease/socket.ts'
import { readGeneration } from '../../../src/storage/directory/generation.ts'
import { built, script } from '../../support/built.ts'
import { openRepo } from '../../support/store.ts'

const build = built()

it('an idle holder does not keep its program alive, and closes the database at its end', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  await repo.close()
  const child = spawn(process.execPath, [script('idle.mjs'), build, repo.dir, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(0)
  expect(text).toMatch(/^[0-9a-f]{16}\.[\w-]+\.[0-9a-f]+\.sock\n$/)
  expect(socketPaths(text.trim()).filter((path) => existsSync(path))).toEqual([])
  expect(readdirSync(join(repo.dir, 'db.1')).filter((name) => name.startsWith('OWNER'))).toEqual([])
})

it('an idle holder keeps the database, and lets others read, append and write at once', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  await repo.close()
  const child = spawn(process.execPath, [script('idle.mjs'), build, repo.dir, id, 'answers'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const other = await openRepo(repo.dir, { lockTimeout: 20_000 })
  const texts = async (): Promise<(string | null)[]> => {
    const said: (string | null)[] = []
    for await (const { text } of log(other, id)) said.unshift(text)
    return said
  }
  expect(await texts()).toEqual(['idle'])
  await append(other, id, [{ body: { role: 'user', content: 'appended' } }])
  expect(await texts()).toEqual(['idle', 'appended'])
  await createBranch(other, id, 'side')
  expect(readGeneration(repo.dir)).toBe(1)
  child.stdin.end()
  expect(await once(child, 'close')).toEqual([0, null])
})
