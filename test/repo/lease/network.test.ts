import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { movedSince } from '../../../src/ops/operations.ts'
import { readHolder } from '../../../src/storage/directory/holder.ts'
import { isClaimed } from '../../../src/storage/leveldb/locks.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'

const NFS = 0x6969
const name = 'a' as RefName

beforeEach(() => {
  const statfs = vi.spyOn(fs, 'statfsSync').mockReturnValue({ type: NFS } as fs.StatsFs)
  syncBuiltinESMExports()
  vi.stubEnv('XDG_RUNTIME_DIR', newFolder())
  onTestFinished(() => {
    vi.unstubAllEnvs()
    statfs.mockRestore()
    syncBuiltinESMExports()
  })
})

it.runIf(process.platform === 'linux')('a store on a network file system is told of once', async () => {
  const repo = await openRepo()
  expect([repo.network, (await openRepo(repo.dir)).network]).toEqual(['nfs', undefined])
})

it.runIf(process.platform === 'linux')(
  'its database stays claimed while it is open, and is closed soon after its last use',
  async () => {
    const repo = await openRepo()
    const folder = join(repo.dir, 'db.1')
    await repo.write({}, ({ move }) => move(name, undefined, 1))
    expect(isClaimed(folder)).toBe(true)
    await expect.poll(() => isClaimed(folder)).toBe(false)
    expect(readHolder(repo.dir)?.socket ?? '').toBe('')
    expect(await repo.read((backend) => backend.ref(name))).toBe(1)
  },
)

it.runIf(process.platform === 'linux')(
  'an operation that another process reported takes no append of a process that opens the database again',
  async () => {
    const says = (content: string) => [{ body: { role: 'user', content } }]
    const agent = await openRepo()
    const reader = await openRepo(agent.dir)
    const folder = join(agent.dir, 'db.1')
    const id = await createSession(agent)
    await append(agent, id, says('said'))
    await expect.poll(() => isClaimed(folder)).toBe(false)
    const { operation } = await movedSince(reader, 0)
    await expect.poll(() => isClaimed(folder)).toBe(false)
    const [oid] = await append(agent, id, says('later'))
    const { moves } = await movedSince(reader, operation)
    expect(moves.find(({ name: moved }) => moved.endsWith('/branches/main'))?.new).toBe(oid)
  },
)
