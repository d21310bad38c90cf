import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../../src/ops/append/handlers.ts'
import { log } from '../../../src/ops/log.ts'
import { newSocketPath, socketPaths, storeName } from '../../../src/repo/lease/socket.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { readGeneration } from '../../../src/storage/directory/generation.ts'
import { readHolder, writeHolder } from '../../../src/storage/directory/holder.ts'
import { processName } from '../../../src/storage/directory/processname.ts'
import { built, script } from '../../support/built.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'

const build = built()
let runtime: string

beforeEach(() => {
  runtime = newFolder()
  vi.stubEnv('XDG_RUNTIME_DIR', runtime)
  onTestFinished(() => void vi.unstubAllEnvs())
})

describe('a socket', () => {
  it('is in the runtime folder of the user, which is private', () => {
    const path = newSocketPath('a.sock') as string
    expect(path).toBe(join(runtime, 'sess', 'a.sock'))
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    writeFileSync(path, '')
    expect(socketPaths('a.sock')).toContain(path)
  })

  it('is not in a folder that others can access, nor in one reached by a link', () => {
    mkdirSync(join(runtime, 'sess'), { mode: 0o755 })
    chmodSync(join(runtime, 'sess'), 0o755)
    expect(newSocketPath('a.sock')?.startsWith(runtime)).toBe(false)
    expect(socketPaths('a.sock').filter((path) => path.startsWith(runtime))).toEqual([])
    const linked = newFolder()
    symlinkSync(newFolder(), join(linked, 'sess'))
    vi.stubEnv('XDG_RUNTIME_DIR', linked)
    expect(newSocketPath('a.sock')?.startsWith(linked)).toBe(false)
  })

  it('is in another folder where the runtime folder of the user is none', () => {
    vi.stubEnv('XDG_RUNTIME_DIR', join(runtime, 'file'))
    vi.stubEnv('TMPDIR', runtime)
    writeFileSync(join(runtime, 'file'), '')
    const path = newSocketPath('a.sock') as string
    expect(path).not.toContain(join(runtime, 'file'))
    expect(socketPaths('a.sock')).toContain(path)
  })

  it('has a short path, and a name that cannot leave the folder', () => {
    const long = join(newFolder(), 'x'.repeat(100))
    mkdirSync(long)
    vi.stubEnv('XDG_RUNTIME_DIR', long)
    expect(newSocketPath('a.sock')?.length).toBeLessThan(104)
    expect(socketPaths('../../run/docker.sock')).toEqual([])
    expect(socketPaths('')).toEqual([])
  })

  it('is removed when its process has ended', () => {
    const [, numbering] = processName().split('-')
    const dead = newSocketPath(`abc0.5000000-${numbering}.00.sock`) as string
    const alive = newSocketPath(`abc0.${processName()}.00.sock`) as string
    for (const path of [dead, alive]) writeFileSync(path, '')
    newSocketPath('a.sock')
    expect([existsSync(dead), existsSync(alive)]).toEqual([false, true])
  })
})

const saidIn = async (repo: Repo, id: string): Promise<(string | null)[]> => {
  const said: (string | null)[] = []
  for await (const { text } of log(repo, id)) said.unshift(text)
  return said
}

const say = (repo: Repo, id: string, content: string): Promise<unknown> =>
  append(repo, id, [{ body: { role: 'user', content } }])

describe('a store whose holder listens', () => {
  it('can be copied, and the copy is never written through the holder of the original', async () => {
    const repo = await openRepo(undefined, { works: REQUEST_HANDLERS })
    const id = await createSession(repo)
    await say(repo, id, 'both')
    await expect.poll(() => readHolder(repo.dir)?.socket ?? '').not.toBe('')
    expect(
      readdirSync(repo.dir).filter(
        (name) => !statSync(join(repo.dir, name)).isDirectory() && !statSync(join(repo.dir, name)).isFile(),
      ),
    ).toEqual([])
    const dir = join(newFolder(), 'copy')
    cpSync(repo.dir, dir, { recursive: true })
    expect(storeName(repo.identity.id, dir)).not.toBe(storeName(repo.identity.id, repo.dir))
    const copy = await openRepo(dir, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
    expect(copy.identity.id).toBe(repo.identity.id)
    await copy.write({}, () => {
      // As if the process that just opened the copy had not written its name yet.
      const original = readHolder(repo.dir)
      if (original) writeHolder(dir, original)
    })
    const other = await openRepo(dir, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
    const own = say(other, id, 'copy')
    await copy.close()
    await own
    expect([await saidIn(repo, id), await saidIn(other, id)]).toEqual([['both'], ['both', 'copy']])
  })
})

it('takes the store over where a holder without a socket ended and left its claim, as in another container', async () => {
  const first = await openRepo()
  const { dir } = first
  await first.close()
  writeFileSync(join(dir, 'db.1', 'OWNER.1-0badcafe.00000001.00000001'), '')
  writeHolder(dir, { pid: process.pid, process: '1-0badcafe', command: 'sess watch', since: '', socket: '' })
  const repo = await openRepo(dir)
  await repo.write({}, ({ move }) => move('a' as RefName, undefined, 1))
  expect(readGeneration(dir)).toBe(2)
})

it.runIf(existsSync('/proc/self/stat'))(
  'takes the store over where a holder without a socket is stopped',
  async () => {
    const first = await openRepo()
    const { dir } = first
    await first.close()
    const child = spawn(process.execPath, [script('hold.mjs'), build, dir])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill('SIGSTOP')
    const [, namespace] = processName().split('-')
    const pid = child.pid as number
    writeHolder(dir, { pid, process: `${pid}-${namespace}`, command: 'sess watch', since: '', socket: '' })
    const repo = await openRepo(dir)
    await repo.write({}, ({ move }) => move('a' as RefName, undefined, 1))
    expect(readGeneration(dir)).toBe(2)
  },
)
