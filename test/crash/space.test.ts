import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asSessError } from '../../src/model/errors.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { type Repair, repairStore } from '../../src/ops/fsck/repairstore.ts'
import { backUp, verifyBackup } from '../../src/repo/backup.ts'
import { Repo } from '../../src/repo/repo.ts'
import { type Answers, answersOf } from '../support/answers.ts'
import { built, script } from '../support/built.ts'
import { eachRound, notRun, some, tally } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { ranSteps } from '../support/ran.ts'
import { copyOf, smallStore } from '../support/smallstore.ts'
import { quietEnv } from '../support/store.ts'
import { expectWhole } from '../support/told.ts'
import { newVolume, writable } from '../support/volume.ts'

const build = built()
const volume = newVolume(4 << 20)
if (volume === undefined) notRun(12, 'a full disk, a read-only one', 'nothing may be mounted')

async function during(dir: string, work: (repo: Repo) => Promise<void>): Promise<void> {
  const repo = await Repo.open(dir)
  try {
    await work(repo)
  } finally {
    await repo.close()
  }
}

/** The content and the exports of sessions, whatever was done to others. */
const saidIn = ({ log, export: exported }: Answers): unknown => [log, exported]

/** The errors that are allowed where nothing can be written. */
const TYPED = /^(?:cannot-write|no-space|unreadable-path)$/

/** Fills the volume of a file with it, but for so many blocks. */
function fillUp(ballast: string, room: number): void {
  const { bavail, bsize } = statfsSync(dirname(ballast))
  writeFileSync(ballast, Buffer.alloc(Math.max(0, (bavail - room) * bsize)))
}

describe.skipIf(volume === undefined)('class 12: a volume of its own', () => {
  it('that is full at each write keeps what was acknowledged, and goes on when there is room', {
    timeout: 900_000,
  }, async () => {
    let [runs, full] = [0, 0]
    for (const round of eachRound(6, 100, 0.05)) {
      const dir = join(volume as string, `store-${round}`)
      const ballast = join(volume as string, 'ballast')
      const { bavail, bsize } = statfsSync(volume as string)
      const room = round < 6 ? 8 * round : round
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - room * 1024))
      const { acknowledged, failures } = ranSteps(build, dir)
      expect(failures.filter((code) => !TYPED.test(code))).toEqual([])
      full += failures.length > 0 ? 1 : 0
      rmSync(ballast)
      await expectWhole(dir, acknowledged)
      expect(ranSteps(build, dir).failures).toEqual([])
      rmSync(dir, { recursive: true })
      runs++
    }
    expect(full).toBeGreaterThan(1)
    tally(12, 'a full disk, at each of so many KiB', runs)
  })

  it('that is full as a store is repaired says so, and the repair is done when there is room', async () => {
    const [dir, ballast] = [join(volume as string, 'store'), join(volume as string, 'ballast')]
    const { dir: whole, sessions } = await smallStore()
    const right = saidIn(await answersOf(copyOf(whole), sessions))
    const repair = (): Promise<Repair> => repairStore(dir, { env: quietEnv(), command: 'sess fsck --repair' })
    let [runs, full] = [0, 0]
    for (const room of some([2, 4, 6, 8, 12, 16, 20, 24, 32, 40, 60, 80], 12, 0.02)) {
      cpSync(whole, dir, { recursive: true })
      rmSync(join(dir, 'db.1', 'CURRENT'))
      fillUp(ballast, room)
      const fault = await repair().then(
        () => undefined,
        (error: unknown) => asSessError(error),
      )
      if (fault)
        expect([room, fault.message, fault.code]).toEqual([room, fault.message, expect.stringMatching(TYPED)])
      full += fault ? 1 : 0
      rmSync(ballast)
      if (fault) await repair()
      expect(saidIn(await answersOf(dir, sessions))).toEqual(right)
      await during(dir, async (repo) => expect((await fsck(repo)).findings).toEqual([]))
      rmSync(dir, { recursive: true })
      runs++
    }
    expect(full).toBeGreaterThan(1)
    tally(12, 'a full disk as a store is repaired', runs)
  })

  it('that is full is read and backed up', async () => {
    const [dir, ballast] = [join(volume as string, 'store'), join(volume as string, 'ballast')]
    const { dir: whole, sessions } = await smallStore()
    const right = await answersOf(copyOf(whole), sessions)
    cpSync(whole, dir, { recursive: true })
    fillUp(ballast, 0)
    const got = await answersOf(dir, sessions)
    const backup = join(newFolder(), 'backup')
    backUp(dir, backup, quietEnv())
    rmSync(ballast)
    expect(got).toEqual(right)
    expect([verifyBackup(backup), await answersOf(backup, sessions)]).toEqual([[], right])
    expect(await answersOf(dir, sessions)).toEqual(right)
    rmSync(dir, { recursive: true })
    tally(12, 'a full disk, read', 1)
  })

  it('that cannot be written is read and backed up, says that it cannot be written, and is as it was when it can', async () => {
    const { dir, sessions } = await smallStore()
    const right = await answersOf(copyOf(dir), sessions)
    const store = join(volume as string, 'store')
    cpSync(dir, store, { recursive: true })
    expect(writable(volume as string, false)).toBe(true)
    const got = await answersOf(store, sessions)
    const backup = join(newFolder(), 'backup')
    backUp(store, backup, quietEnv())
    expect([verifyBackup(backup), await answersOf(backup, sessions)]).toEqual([[], right])
    const { failures, acknowledged } = ranSteps(build, store)
    expect(writable(volume as string, true)).toBe(true)
    expect(got).toEqual(right)
    expect([failures, acknowledged]).toEqual([['cannot-write'], 0])
    expect(await answersOf(store, sessions)).toEqual(right)
    rmSync(store, { recursive: true })
    tally(12, 'a read-only disk', 1)
  })
})

describe('class 12: a process that may open no more files', () => {
  it('says so, and the store is whole', { timeout: 900_000 }, async () => {
    const { dir, sessions } = await smallStore()
    const outcomes: string[] = []
    for (const round of eachRound(5, 24)) {
      const copy = copyOf(dir)
      const spare = round < 5 ? 4 * round : round
      const words = [process.execPath, script('handles.mjs'), build, copy, sessions[0] as string, `${spare}`]
      const { stdout } = spawnSync('sh', ['-c', 'ulimit -n 400; exec "$@"', 'sh', ...words], {
        encoding: 'utf8',
      })
      outcomes.push(stdout)
      await expectWhole(copy, 1)
    }
    expect(outcomes.filter((said) => !TYPED.test(said) && said !== 'done')).toEqual([])
    expect(outcomes[0]).toMatch(TYPED)
    expect(outcomes[4]).toBe('done')
    tally(12, 'no file handles left but so many', outcomes.length)
  })
})
