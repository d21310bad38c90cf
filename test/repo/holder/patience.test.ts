import { describe, expect, it } from 'vitest'
import { LONG, PATIENCE, Patience, Unheard } from '../../../src/repo/holder/patience.ts'

function begun(): Patience {
  const patience = new Patience()
  patience.begin(0)
  return patience
}

describe('patience', () => {
  it('is over with one that says nothing', () => {
    const patience = begun()
    expect([patience.isOver(PATIENCE), patience.isOver(PATIENCE + 1)]).toEqual([false, true])
  })

  it('is over as soon with one that answers and does nothing', () => {
    const patience = begun()
    for (let now = 0; now <= PATIENCE; now += 250) patience.hear(now, { steps: 7, isLong: false })
    expect([patience.isOver(PATIENCE), patience.isOver(PATIENCE + 1)]).toEqual([false, true])
  })

  it('is long with one that waits for the disk, or does not say how it goes on', () => {
    for (const pace of [{ steps: 7, isLong: true }, undefined]) {
      const patience = begun()
      for (let now = 0; now <= LONG; now += 250) patience.hear(now, pace)
      expect([patience.isOver(LONG), patience.isOver(LONG + 1)]).toEqual([false, true])
    }
  })

  it('begins anew with each step, and with each answer to what waits', () => {
    const patience = begun()
    for (let now = 0; now <= 4 * PATIENCE; now += 250) {
      patience.hear(now, { steps: now, isLong: false })
      expect(patience.isOver(now)).toBe(false)
    }
    patience.done(5 * PATIENCE)
    patience.hear(6 * PATIENCE, { steps: 4 * PATIENCE, isLong: false })
    expect([patience.waits(6 * PATIENCE), patience.isOver(6 * PATIENCE)]).toEqual([PATIENCE, false])
  })
})

it('takes one that does not listen for stuck once it has been the same for long', () => {
  const unheard = new Unheard()
  const [first, second] = ['{"pid":1}', '{"pid":2}']
  expect([unheard.isStuck(first, 0), unheard.isStuck(first, PATIENCE)]).toEqual([false, false])
  expect(unheard.isStuck(first, PATIENCE + 1)).toBe(true)
  expect(unheard.isStuck(second, PATIENCE + 2)).toBe(false)
  expect(unheard.isStuck(second, 3 * PATIENCE)).toBe(true)
  unheard.forget()
  expect(unheard.isStuck(second, 3 * PATIENCE)).toBe(false)
})
