import fs, { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import { FileLedger } from '../../../src/storage/ledger/fileledger.ts'
import type { Ledger, Numbered } from '../../../src/storage/ledger/ledger.ts'
import {
  LEDGER_FILES,
  ledgerDamages,
  newestInLedger,
  readLedger,
  settledLedger,
  soundCommits,
} from '../../../src/storage/ledger/ledgerfile.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'
import { Random } from '../../support/random.ts'

/** A ledger of before that had nothing. */
const NONE: Ledger = {
  read: () => [],
  write: () => Promise.reject(new Error('nothing is written to it')),
  free: () => Promise.resolve(),
  close: () => undefined,
}

const bytesOf = (number: number, length = 60): Buffer => Buffer.alloc(length, `commit ${number}, `)

/** Opens a ledger, and gives what stands in it from a number on. */
function opened(folder: string, from = 0): { readonly ledger: FileLedger; readonly told: Numbered[] } {
  const ledger = new FileLedger(folder, NONE)
  return { ledger, told: [...ledger.read(from)].map(([number, bytes]) => [number, Buffer.from(bytes)]) }
}

/** Adds commits of some length, from a number up to and without another. */
async function write(ledger: Ledger, from: number, to: number, length?: number): Promise<void> {
  for (let n = from; n < to; n++) await ledger.write(n, [bytesOf(n, length)], () => undefined)
}

/** What was told, commits by their numbers and what they begin with, and how much of it there is. */
const short = (told: readonly Numbered[]): string[] =>
  told.map(([number, bytes]) => `${number} ${bytes.length} ${Buffer.from(bytes).toString('utf8', 0, 20)}`)

const range = (from: number, to: number, length?: number): Numbered[] =>
  Array.from({ length: to - from }, (_, i) => [from + i, bytesOf(from + i, length)])

const file = (folder: string, n: 0 | 1 = 0): string => join(folder, LEDGER_FILES[n])

type Bytes = Buffer<ArrayBuffer>

/** Has something done while whole files are read by way of a function. */
function whileRead(reading: (path: string, read: () => Bytes) => Bytes, work: () => void): void {
  const [open, read] = [fs.openSync, fs.readFileSync]
  const paths = new Map<unknown, string>()
  vi.spyOn(fs, 'openSync').mockImplementation((path, ...how) => {
    const handle = open(path, ...how)
    paths.set(handle, String(path))
    return handle
  })
  vi.spyOn(fs, 'readFileSync').mockImplementation((from) =>
    reading(paths.get(from) ?? String(from), () => read(from)),
  )
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  }
}

/** Has something done in place of syncs, all of them in this thread; resolves to what it gave. */
async function instead(sync: (file: number) => void, work: () => unknown): Promise<void> {
  vi.spyOn(fs, 'fdatasyncSync').mockImplementation(sync)
  vi.spyOn(performance, 'now').mockReturnValue(0)
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  }
}

/** Gives what is there to be seen at each sync. */
async function whileSynced<T>(look: () => T, work: () => unknown): Promise<T[]> {
  const seen: T[] = []
  await instead(() => void seen.push(look()), work)
  return seen
}

/** Has so many syncs fail, and gives what comes of it. */
async function whileSyncFails<T>(times: number, work: () => T | Promise<T>): Promise<T> {
  let [left, result] = [times, undefined as T | undefined]
  const fail = (): void => {
    if (left-- > 0) throw new Error('EIO: i/o error, fdatasync')
  }
  await instead(fail, async () => {
    result = await work()
  })
  return result as T
}

describe('a ledger in files', () => {
  it('gives back what was written, whoever opens it', async () => {
    const folder = newFolder()
    const { ledger, told } = opened(folder)
    expect(told).toEqual([])
    await ledger.write(0, [Buffer.from('in '), Buffer.from('pieces')], () => undefined)
    await write(ledger, 1, 5)
    ledger.close()
    const again = opened(folder)
    expect(again.told).toEqual([[0, Buffer.from('in pieces')], ...range(1, 5)])
    await write(again.ledger, 5, 9)
    again.ledger.close()
    expect(opened(folder, 3).told).toEqual(range(3, 9))
    expect(newestInLedger(folder)).toBe(8)
  })

  it('takes its files in turns, and keeps them as long as they are', async () => {
    const folder = newFolder()
    let { ledger } = opened(folder)
    const [length, many] = [50_000, 9]
    for (let n = 0; n < 20 * many; n += many) {
      await write(ledger, n, n + many, length)
      if (n > 0) await ledger.free(n)
      if (n % 4 === 0) {
        ledger.close()
        const again = opened(folder, n)
        expect(short(again.told)).toEqual(short(range(n, n + many, length)))
        ledger = again.ledger
      }
      expect(newestInLedger(folder)).toBe(n + many - 1)
    }
    ledger.close()
    for (const name of LEDGER_FILES) {
      expect(statSync(join(folder, name)).size).toBeLessThan(1 << 20)
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
    }
  })

  it('grows while nothing of it is in its place, and is short again once all is', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 40, 100_000)
    expect(short(opened(folder).told)).toEqual(short(range(0, 40, 100_000)))
    expect(statSync(file(folder, 1)).size).toBeGreaterThan(3_000_000)
    await ledger.free(40)
    await write(ledger, 40, 41)
    ledger.close()
    expect(statSync(file(folder, 1)).size).toBeLessThan(1 << 20)
    expect(opened(folder, 40).told).toEqual(range(40, 41))
  })

  it('takes what was left of an earlier time for nothing', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 9)
    await ledger.free(9)
    await write(ledger, 9, 10)
    ledger.close()
    expect(soundCommits(folder).map(([number]) => number)).toEqual([9])
    expect(opened(folder, 9).told).toEqual(range(9, 10))
  })

  it('takes what a commit says for no commit', async () => {
    const [folder, other] = [newFolder(), newFolder()]
    const elsewhere = opened(other).ledger
    await write(elsewhere, 0, 9)
    elsewhere.close()
    const forged = readFileSync(file(other))
    const { ledger } = opened(folder)
    await write(ledger, 0, 2)
    await ledger.write(2, [forged], () => undefined)
    ledger.close()
    const bytes = readFileSync(file(folder))
    writeFileSync(file(folder), bytes.subarray(0, bytes.length - 100_000))
    const { told } = opened(folder)
    expect(told.slice(0, 2)).toEqual(range(0, 2))
    expect(soundCommits(folder).length).toBe(told.length)
  })

  it('lacks what was torn as it was written, and goes on in its place', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 3)
    ledger.close()
    const bytes = readFileSync(file(folder))
    const end = bytes.lastIndexOf(bytesOf(2)) + 60
    for (let at = bytes.lastIndexOf(bytesOf(1)) + 60; at < end; at++)
      for (const rest of [Buffer.alloc(0), Buffer.alloc(999), Buffer.alloc(999, 'noise')]) {
        writeFileSync(file(folder), Buffer.concat([bytes.subarray(0, at), rest]))
        const again = opened(folder)
        expect([at, again.told]).toEqual([at, range(0, 2)])
        if (at % 17 > 0) continue
        await write(again.ledger, 2, 4)
        again.ledger.close()
        expect(opened(folder).told).toEqual(range(0, 4))
      }
  })

  it('says that something is lost where any byte of what others follow is another', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 5)
    ledger.close()
    const bytes = readFileSync(file(folder))
    const end = bytes.lastIndexOf(bytesOf(3)) + 60
    for (let at = 0; at < end; at++) {
      const hurt = Buffer.from(bytes)
      hurt[at]! ^= 1 << (at % 8)
      writeFileSync(file(folder), hurt)
      await expectFailure('corrupt', () => opened(folder))
      expect(ledgerDamages(folder).map((damage) => damage.file)).toEqual([LEDGER_FILES[0]])
      // All others are there to be salvaged.
      expect([at, soundCommits(folder).length]).toEqual([at, 4])
    }
  })

  it('says so too where what is damaged is in its place: what follows it would be written over', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 9)
    ledger.close()
    const bytes = readFileSync(file(folder))
    const outcomes = new Set<string>()
    for (let at = 0; at < bytes.lastIndexOf(bytesOf(4)) + 60; at++) {
      const hurt = Buffer.from(bytes)
      hurt[at]! ^= 1 << (at % 8)
      writeFileSync(file(folder), hurt)
      try {
        const again = opened(folder, 5)
        await write(again.ledger, 9, 10)
        again.ledger.close()
        outcomes.add(short(opened(folder, 5).told).join())
      } catch (error) {
        outcomes.add((error as SessError).code)
      }
      expect(soundCommits(folder).map(([number]) => number)).toEqual(expect.arrayContaining([5, 6, 7, 8]))
    }
    expect([...outcomes].sort()).toEqual([short(range(5, 10)).join(), 'corrupt'])
  })

  it('takes no older commits for what follows a first one that is torn', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 5)
    const old = readFileSync(file(folder))
    await ledger.free(5)
    await write(ledger, 5, 6)
    ledger.close()
    const bytes = readFileSync(file(folder))
    // Its head is on the disk, and the rest is not.
    old.set(bytes.subarray(0, 40))
    writeFileSync(file(folder), old)
    expect(opened(folder, 5).told).toEqual([])
    expect(ledgerDamages(folder)).toEqual([])
    expect(soundCommits(folder)).toEqual([])
  })

  it('says so where all that a file had is lost, and the other one went on', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 12, 80_000)
    ledger.close()
    expect(short(opened(folder).told)).toEqual(short(range(0, 12, 80_000)))
    rmSync(file(folder, 0))
    await expectFailure('corrupt', () => opened(folder))
    expect(soundCommits(folder).map(([number]) => number)).toEqual([7, 8, 9, 10, 11])
  })

  it('is read whole by whoever copies its files while it is written, up to where that began', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    const random = new Random(7)
    let free = 0
    for (let n = 0; n < 400; n++) {
      await write(ledger, n, n + 1, 1 + random.below(30_000))
      if (random.once(20)) {
        await ledger.free(free)
        free = n + 1
      }
      const { told } = opened(folder, free)
      expect(told.map(([number]) => number)).toEqual(range(free, n + 1).map(([number]) => number))
    }
    ledger.close()
  })

  it('is copied without a gap where the file is begun anew that is read last', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 9, 80_000)
    await ledger.free(8)
    const written: Promise<void>[] = []
    const reading = (path: string, read: () => Bytes): Bytes => {
      if (written.length === 0 && path === file(folder, 0))
        for (let n = 9; n < 17; n++) written.push(write(ledger, n, n + 1, 80_000))
      return read()
    }
    whileRead(reading, () => {
      const numbers = settledLedger(folder).flatMap(({ standing }) => standing.map(({ number }) => number))
      expect(numbers).toEqual(range(numbers[0]!, numbers.at(-1)! + 1).map(([number]) => number))
    })
    await Promise.all(written)
    ledger.close()
  })

  it.each([1, 2])('is not damaged where reading %i meets a commit that is being written', async (which) => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 5)
    ledger.close()
    let times = 0
    const reading = (path: string, read: () => Bytes): Bytes => {
      const bytes = read()
      if (path !== file(folder) || ++times !== which) return bytes
      // Of the third one nothing was there yet, of those behind it all that the rest of the reading met.
      const hole = bytes.indexOf(bytesOf(2))
      return Buffer.concat([bytes.subarray(0, hole), Buffer.alloc(60), bytes.subarray(hole + 60)])
    }
    whileRead(reading, () => {
      const [content] = settledLedger(folder).slice(-1)
      expect(content?.standing.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4])
      expect(ledgerDamages(folder)).toEqual([])
    })
    expect(times).toBeGreaterThanOrEqual(which)
  })

  it('makes durable what it found last before it writes more, unless who wrote that says that it is', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 3)
    const again = opened(folder)
    const bytes = readFileSync(file(folder))
    // As it lies on the disk where the sync failed that was to make it durable.
    const start = bytes.lastIndexOf(bytesOf(1)) + 60
    writeFileSync(file(folder), Buffer.concat([bytes.subarray(0, start), Buffer.alloc(bytes.length - start)]))
    const seen = (): number => opened(folder).told.length
    expect(await whileSynced(seen, () => write(again.ledger, 3, 5))).toEqual([3, 4, 5])
    again.ledger.close()
    const { ledger: last } = opened(folder)
    expect(await whileSynced(seen, () => write(last, 5, 6))).toEqual([6])
    last.close()
    expect(opened(folder).told).toEqual(range(0, 6))
  })

  it('says so in each of its files, and no more where a commit may not be durable', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 9, 80_000)
    ledger.close()
    const notes = async (): Promise<number> => {
      const again = opened(folder)
      const syncs = await whileSynced(
        () => 0,
        () => write(again.ledger, again.told.length, again.told.length + 1),
      )
      return syncs.length
    }
    expect(await notes()).toBe(1)
    // That one was never closed.
    expect(await notes()).toBe(2)
  })

  it('takes back what could not be made durable, and is silent of nothing where it cannot', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await whileSyncFails(0, () => write(ledger, 0, 3))
    await whileSyncFails(1, () => expect(write(ledger, 3, 4)).rejects.toThrow('EIO'))
    expect(opened(folder).told).toEqual(range(0, 3))
    ledger.close()
    const again = opened(folder)
    await whileSyncFails(0, () => write(again.ledger, 3, 4))
    const fault = await whileSyncFails(9, () => expectFailure('uncertain', () => write(again.ledger, 4, 5)))
    expect(fault.message).toContain('EIO')
    again.ledger.close()
    expect(opened(folder).told).toEqual(range(0, 4))
    // Neither is anything written behind what a sync did not make durable.
    const last = opened(folder)
    await whileSyncFails(1, () => expect(write(last.ledger, 4, 5)).rejects.toThrow('EIO'))
    expect(opened(folder).told).toEqual(range(0, 4))
    await write(last.ledger, 4, 6)
    expect(opened(folder).told).toEqual(range(0, 6))
  })

  it('finds nothing in a file whose first commit was taken back', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await whileSyncFails(0, () => write(ledger, 0, 3))
    await ledger.free(3)
    await whileSyncFails(1, () => expect(write(ledger, 3, 4)).rejects.toThrow('EIO'))
    ledger.close()
    expect([newestInLedger(folder), soundCommits(folder), ledgerDamages(folder)]).toEqual([-1, [], []])
    const again = opened(folder, 3)
    expect(again.told).toEqual([])
    await write(again.ledger, 3, 5)
    again.ledger.close()
    expect(opened(folder, 3).told).toEqual(range(3, 5))
  })

  it('leaves it to who took the store over what is there of that', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    let isTaken = false
    const confirm = (): void => {
      if (isTaken) throw new SessError('fenced', folder)
    }
    const sync = (): void => {
      isTaken = true
      throw new Error('EIO: i/o error, fdatasync')
    }
    await instead(sync, () => expectFailure('fenced', async () => ledger.write(0, [bytesOf(0)], confirm)))
    ledger.close()
  })

  it('gives back the room that a long commit took once that is in its place', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 2)
    await write(ledger, 2, 3, 5_000_000)
    expect(statSync(file(folder)).size).toBeGreaterThan(5_000_000)
    await ledger.free(2)
    expect(statSync(file(folder)).size).toBeGreaterThan(5_000_000)
    await ledger.free(3)
    expect(statSync(file(folder)).size).toBeLessThan(1 << 20)
    ledger.close()
    expect(statSync(file(folder)).size).toBeLessThan(1 << 20)
    expect(ledgerDamages(folder)).toEqual([])
    const again = opened(folder, 3)
    expect(again.told).toEqual([])
    await write(again.ledger, 3, 5)
    again.ledger.close()
    expect(opened(folder, 3).told).toEqual(range(3, 5))
  })

  it('takes nothing more once it is closed', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    await write(ledger, 0, 1)
    ledger.close()
    await expect(write(ledger, 1, 2)).rejects.toThrow('until it is closed')
  })

  it('makes what it found durable before it goes on in the other file', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    // The second file gets longer than it is to be, for the first one is not free yet.
    await write(ledger, 0, 20, 80_000)
    const again = opened(folder, 7)
    const found = () => readLedger(folder, 7).map(({ name, standing }) => [name, standing.at(-1)?.number])
    const before = Object.fromEntries(found()) as unknown
    const syncs = await whileSynced(
      () => Object.fromEntries(found()) as unknown,
      () => write(again.ledger, 20, 21),
    )
    again.ledger.close()
    ledger.close()
    expect(syncs).toEqual([before, { 'ledger.0': 20, 'ledger.1': 19 }])
  })

  it('waits in place for a disk that may be quick, and has another thread wait for one that was not', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    const { fdatasyncSync } = fs
    let inPlace = 0
    fs.fdatasyncSync = (handle) => {
      inPlace++
      for (const start = performance.now(); performance.now() - start < 3; );
      fdatasyncSync(handle)
    }
    syncBuiltinESMExports()
    try {
      const were: boolean[] = []
      for (let n = 0; n < 20; n++) {
        const before = inPlace
        await write(ledger, n, n + 1)
        were.push(inPlace > before)
      }
      expect(were[0]).toBe(true)
      expect(were.some((was, n) => was && were[n + 1] === true)).toBe(false)
    } finally {
      fs.fdatasyncSync = fdatasyncSync
      syncBuiltinESMExports()
    }
    ledger.close()
    expect(opened(folder).told).toEqual(range(0, 20))
  })

  it('lets others of the process go on where one is written behind the other on a quick disk', async () => {
    const { ledger } = opened(newFolder())
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 0.1))
    try {
      let wentOn = false
      setImmediate(() => {
        wentOn = true
      })
      for (let n = 0; n < 200; n++) {
        const written = ledger.write(n, [bytesOf(n)], () => undefined)
        if (written) await written
      }
      expect(wentOn).toBe(true)
    } finally {
      vi.restoreAllMocks()
    }
    ledger.close()
  })

  it('asks whether it may be acknowledged once it stands there, and says why not', async () => {
    const folder = newFolder()
    const { ledger } = opened(folder)
    let seen: Numbered[] = []
    await ledger.write(0, [bytesOf(0)], () => {
      seen = opened(folder).told
    })
    expect(seen).toEqual(range(0, 1))
    const taken = async (): Promise<void> =>
      ledger.write(1, [bytesOf(1)], () => {
        throw new Error('taken over')
      })
    await expect(taken()).rejects.toThrow('taken over')
    ledger.close()
  })

  it('reads what a ledger of before has first, and says before it is first written to that it is', async () => {
    const folder = newFolder()
    const before: Ledger = { ...NONE, read: (from) => range(from, 7) }
    let [isFirst, freed] = [0, -1]
    const ledger = new FileLedger(
      folder,
      { ...before, free: (to) => Promise.resolve(void (freed = to)) },
      () => isFirst++,
    )
    expect([...ledger.read(4)]).toEqual(range(4, 7))
    expect(isFirst).toBe(0)
    await write(ledger, 7, 9)
    expect(isFirst).toBe(1)
    await ledger.free(8)
    expect(freed).toBe(8)
    ledger.close()
    expect(opened(folder, 8).told).toEqual(range(8, 9))
  })
})
