import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answersOf } from '../support/answers.ts'
import { built, script } from '../support/built.ts'
import { notRun, rounds, tally } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { has, ranSteps } from '../support/ran.ts'
import { copyOf, smallStore } from '../support/smallstore.ts'
import { expectWhole } from '../support/told.ts'

const build = built()

/** Tampers with calls of the system: only where this machine has it. */
const CAN = has('strace')
if (!CAN) notRun(12, 'failing fsync, EIO, killed at each sync', 'no strace')

type Words = [program: string, ...words: string[]]

const injecting = (what: string, ...how: readonly string[]): Words => [
  'strace',
  '-f',
  '-qq',
  ...how,
  '-o',
  '/dev/null',
  '-e',
  `inject=${what}`,
]

const inject = (what: string): Words => injecting(what, '--seccomp-bpf')

/** Tampers with calls at a file alone. */
const injectAt = (file: string, what: string): Words => injecting(what, '-P', file)

/** The errors that are allowed where the disk fails. */
const TYPED = /^(?:cannot-write|no-space|uncertain)$/

describe.skipIf(!CAN)('a process whose calls of the system go wrong', () => {
  it('class 12: a failing sync acknowledges nothing', { timeout: 900_000 }, async () => {
    let runs = 0
    for (const round of rounds(4, 60)) {
      const dir = join(newFolder(), 'store')
      const call = ['fdatasync', 'fsync'][round % 2] as string
      const { acknowledged, failures } = ranSteps(
        build,
        dir,
        ...inject(`${call}:error=EIO:when=${1 + 3 * (round >> 1)}+`),
      )
      expect(failures.filter((code) => !TYPED.test(code))).toEqual([])
      await expectWhole(dir, acknowledged)
      runs++
    }
    tally(12, 'EIO from every sync after the n-th', runs)
  })

  it('class 12: a disk that is full at the n-th write', { timeout: 900_000 }, async () => {
    let runs = 0
    for (const round of rounds(3, 60)) {
      const dir = join(newFolder(), 'store')
      const when = `${1 + 2 * round}`
      const { acknowledged, failures } = ranSteps(
        build,
        dir,
        ...inject(`rename,unlink:error=ENOSPC:when=${when}`),
      )
      expect(failures.filter((code) => !TYPED.test(code))).toEqual([])
      await expectWhole(dir, acknowledged)
      runs++
    }
    tally(12, 'ENOSPC from the n-th rename or removal', runs)
  })

  it('class 12: a disk that does not give what a database is opened by is not repaired', {
    timeout: 300_000,
  }, async () => {
    const { dir, sessions } = await smallStore()
    const right = await answersOf(copyOf(dir), sessions)
    const typed = (file: string, ...words: readonly string[]): SpawnSyncReturns<string> => {
      const sess = [process.execPath, script('sess.mjs'), build, '--store', dir, ...words]
      const [program, ...more] = [...injectAt(join(dir, 'db.1', file), 'read,pread64:error=EIO'), ...sess]
      return spawnSync(program, more, { encoding: 'utf8' })
    }
    for (const file of ['CURRENT'])
      for (const words of [['ls'], ['fsck'], ['fsck', '--repair'], ['append', sessions[0] as string]]) {
        const { status, stderr } = typed(file, ...words)
        const [says, hint] = stderr.split('\n')
        expect([file, words, status]).toEqual([file, words, 1])
        expect(says).toContain(`/db.1/${file}' could not be read`)
        expect(says).toMatch(/ could not be read \(.*(?:Input\/output|i\/o) error/)
        expect(hint).toBe(
          "hint: check the disk and repeat the command; if it fails, restore a backup on another disk: 'sess backup --restore BACKUP --store DIR'",
        )
      }
    expect(existsSync(join(dir, 'broken'))).toBe(false)
    expect(await answersOf(dir, sessions)).toEqual(right)
    tally(12, 'EIO from what a database is opened by', 4)
  })

  it('class 2: killed at the n-th sync, rename or removal', { timeout: 900_000 }, async () => {
    let [runs, killed] = [0, 0]
    for (const round of rounds(6, 80)) {
      const dir = join(newFolder(), 'store')
      const n = 1 + (round < 6 ? 3 * round : round)
      const { acknowledged } = ranSteps(
        build,
        dir,
        ...inject(`fdatasync,fsync,rename,unlink:signal=SIGKILL:when=${n}`),
      )
      await expectWhole(dir, acknowledged)
      if (acknowledged < 12) killed++
      runs++
    }
    expect(killed).toBeGreaterThan(1)
    tally(2, 'killed at the n-th sync, rename or removal', runs)
  })
})
