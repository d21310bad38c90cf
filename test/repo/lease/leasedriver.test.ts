import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import { LeaseDriver } from '../../../src/repo/lease/leasedriver.ts'

/** A database that is closed once all answers are given, as one that other processes ask is. */
class Database {
  readonly answers = new Set<Promise<unknown>>()
  failed = false
  closed = 0
  fails: unknown

  async close(): Promise<void> {
    while (this.answers.size > 0)
      await Promise.all([...this.answers].map((one) => one.catch(() => undefined)))
    this.closed++
    if (this.fails !== undefined) throw this.fails
  }

  answer<T>(work: Promise<T>): Promise<T> {
    const answering = work.finally(() => this.answers.delete(answering))
    this.answers.add(answering)
    return answering
  }
}

interface Made {
  readonly holding: LeaseDriver<Database>
  /** The databases that were opened. */
  readonly all: Database[]
  isFenced: boolean
  isDeaf: boolean
}

function make(): Made {
  const all: Database[] = []
  const made = { all, isFenced: false, isDeaf: false }
  const holding = new LeaseDriver<Database>({
    open: () => {
      const backend = new Database()
      all.push(backend)
      return Promise.resolve({ backend, isFenced: () => made.isFenced, onClose: () => undefined })
    },
    listen: () =>
      Promise.resolve(
        made.isDeaf ? undefined : { nextRequests: () => undefined, close: () => Promise.resolve() },
      ),
    takeOver: () => undefined,
  })
  return Object.assign(made, { holding })
}

it('yields once requests are answered, though the answer needs the database too', async () => {
  const { holding } = make()
  const database = (await holding.take()) as Database
  expect(holding.takeNow()).toBe(database)
  holding.dispatch('ask')
  expect(holding.takeNow()).toBeUndefined()
  const work = async (): Promise<string> => {
    await holding.take()
    holding.release()
    return 'done'
  }
  const answer = database.answer(work().finally(() => holding.release()))
  holding.release()
  expect(await answer).toBe('done')
  await holding.end()
  expect(database.closed).toBe(1)
})

it('does work of other processes with a database that a third one asked for, while it is in use', async () => {
  const { holding } = make()
  const database = (await holding.take()) as Database
  holding.dispatch('ask')
  const [first, second] = [holding.takeForOther(), holding.takeForOther()]
  expect([first?.backend, second?.backend]).toEqual([database, database])
  holding.release()
  // Otherwise the third process would not get it as long as work arrives.
  expect(holding.takeForOther()).toBeUndefined()
  first?.release()
  expect([holding.state, database.closed]).toEqual(['yielding', 0])
  second?.release()
  await holding.settled()
  expect(database.closed).toBe(1)
  await holding.end()
})

it('refuses users that wait while the database is closed for good', async () => {
  const { holding } = make()
  const database = (await holding.take()) as Database
  holding.dispatch('ask')
  const waiting = database.answer(holding.take())
  await holding.end()
  expect([await waiting, database.closed]).toEqual([undefined, 1])
})

it('keeps the database open without use until it is asked for, and opens it again when it is needed', async () => {
  const { holding, all } = make()
  await holding.take()
  holding.release()
  await pause(120)
  expect([holding.state, all[0]?.closed]).toEqual(['held', 0])
  holding.dispatch('ask')
  await holding.take()
  expect([all.length, all[0]?.closed, all[1]?.closed]).toEqual([2, 1, 0])
  await holding.end()
})

it('closes the database after a moment without use where no other process can ask for it', async () => {
  const made = make()
  made.isDeaf = true
  const { holding, all } = made
  for (const opened of [1, 2]) {
    await holding.take()
    await pause(100)
    holding.release()
    for (let use = 0; use < 3; use++) {
      expect(holding.takeNow()).toBe(all.at(-1))
      holding.release()
    }
    expect([all.length, all.at(-1)?.closed]).toEqual([opened, 0])
    await expect.poll(() => all.at(-1)?.closed).toBe(1)
  }
  await holding.end()
})

it('does not report to the next user that a fenced database could not write while it was closed', async () => {
  const made = make()
  const { holding, all } = made
  await holding.take()
  holding.release()
  ;(all[0] as Database).fails = new SessError('fenced', 'store')
  holding.dispatch('ask')
  expect(await holding.take()).toBe(all[1])
  ;(all[1] as Database).fails = new SessError('no-space', 'store')
  holding.release()
  holding.dispatch('ask')
  await pause(0)
  await expect(holding.take()).rejects.toMatchObject({ code: 'no-space' })
  await holding.end()
})

it('refuses users of a fenced database, and closes it after its last user', async () => {
  const made = make()
  const { holding, all } = made
  await holding.take()
  made.isFenced = true
  expect([holding.takeNow(), holding.isLost]).toEqual([undefined, true])
  const fenced = holding.fence()
  expect(await holding.take()).toBeUndefined()
  await fenced
  expect([holding.state, all[0]?.closed]).toEqual(['fenced', 0])
  holding.release()
  await holding.settled()
  expect([holding.state, all[0]?.closed, all.length]).toEqual(['ended', 1, 1])
})

it('reports to the next user that the store could not be taken over from a silent holder', async () => {
  const disk = new SessError('no-space', 'the disk')
  const driver = new LeaseDriver<Database>({
    open: () => Promise.resolve(undefined),
    listen: () => Promise.resolve(undefined),
    takeOver: () => {
      throw disk
    },
  })
  expect(await driver.take()).toBeUndefined()
  // As from the timer of the failure detector, where what is thrown ends the process.
  driver.dispatch('silent')
  await expect(driver.take()).rejects.toBe(disk)
  expect(await driver.take()).toBeUndefined()
})
