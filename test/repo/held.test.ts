import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Held } from '../../src/repo/held.ts'

/** Something whose closing waits for all answers, as that of a database that other processes ask does. */
class Asked {
  readonly answers = new Set<Promise<unknown>>()
  closed = 0

  async close(): Promise<void> {
    while (this.answers.size > 0)
      await Promise.all([...this.answers].map((one) => one.catch(() => undefined)))
    this.closed++
  }

  answer<T>(work: Promise<T>): Promise<T> {
    const answering = work.finally(() => this.answers.delete(answering))
    this.answers.add(answering)
    return answering
  }
}

it('is let go once who asked is answered, though the answer needs it too', async () => {
  const asked = new Asked()
  const held = new Held(() => Promise.resolve(asked))
  await held.take()
  const release = held.takeNow()
  expect(release).toBeTypeOf('function')
  held.yield()
  expect(held.takeNow()).toBeUndefined()
  const work = async (): Promise<string> => {
    await held.take()
    held.release()
    return 'done'
  }
  const answer = asked.answer(work().finally(release))
  held.release()
  expect(await answer).toBe('done')
  await held.close()
  expect(asked.closed).toBe(1)
})

it('gives nothing to who waits while it is let go for good', async () => {
  const asked = new Asked()
  const held = new Held(() => Promise.resolve(asked))
  await held.take()
  held.yield()
  const waiting = asked.answer(held.take())
  await held.close()
  expect([await waiting, asked.closed]).toEqual([undefined, 1])
})

it('is let go once it is idle, however often it was used before, and opened again when it is wanted', async () => {
  const all: Asked[] = []
  const held = new Held(() => {
    const one = new Asked()
    all.push(one)
    return Promise.resolve(one)
  })
  for (const opened of [1, 2]) {
    await held.take()
    held.release()
    for (let use = 0; use < 3; use++) held.takeNow()?.()
    const release = held.takeNow()
    await pause(60)
    expect([all.length, all.at(-1)?.closed]).toEqual([opened, 0])
    release?.()
    while (held.isOpen) await pause(1)
    await held.letGo()
    expect(all.at(-1)?.closed).toBe(1)
  }
  await held.close()
})
