import { describe, expect, it } from 'vitest'
import {
  FailureDetector,
  LONG_TIMEOUT,
  TIMEOUT,
  UnreachableHolder,
} from '../../../src/repo/lease/failuredetector.ts'

function begun(): FailureDetector {
  const detector = new FailureDetector()
  detector.begin(0)
  return detector
}

describe('the failure detector', () => {
  it('suspects a holder that says nothing', () => {
    const detector = begun()
    expect([detector.isSuspect(TIMEOUT), detector.isSuspect(TIMEOUT + 1)]).toEqual([false, true])
  })

  it('suspects as soon a holder that answers and does nothing', () => {
    const detector = begun()
    for (let now = 0; now <= TIMEOUT; now += 250) detector.heartbeat(now, { steps: 7, isLong: false })
    expect([detector.isSuspect(TIMEOUT), detector.isSuspect(TIMEOUT + 1)]).toEqual([false, true])
  })

  it('waits longer for a holder that waits for the disk or reports no progress', () => {
    for (const progress of [{ steps: 7, isLong: true }, undefined]) {
      const detector = begun()
      for (let now = 0; now <= LONG_TIMEOUT; now += 250) detector.heartbeat(now, progress)
      expect([detector.isSuspect(LONG_TIMEOUT), detector.isSuspect(LONG_TIMEOUT + 1)]).toEqual([false, true])
    }
  })

  it('starts again with each step, and with each answer', () => {
    const detector = begun()
    for (let now = 0; now <= 4 * TIMEOUT; now += 250) {
      detector.heartbeat(now, { steps: now, isLong: false })
      expect(detector.isSuspect(now)).toBe(false)
    }
    detector.done(5 * TIMEOUT)
    detector.heartbeat(6 * TIMEOUT, { steps: 4 * TIMEOUT, isLong: false })
    expect([detector.waits(6 * TIMEOUT), detector.isSuspect(6 * TIMEOUT)]).toEqual([TIMEOUT, false])
  })
})

it('suspects a holder that cannot be reached once it has been the same for too long', () => {
  const unreachable = new UnreachableHolder()
  const [first, second] = ['{"pid":1}', '{"pid":2}']
  expect([unreachable.isSuspect(first, 0), unreachable.isSuspect(first, TIMEOUT)]).toEqual([false, false])
  expect(unreachable.isSuspect(first, TIMEOUT + 1)).toBe(true)
  expect(unreachable.isSuspect(second, TIMEOUT + 2)).toBe(false)
  expect(unreachable.isSuspect(second, 3 * TIMEOUT)).toBe(true)
  unreachable.forget()
  expect(unreachable.isSuspect(second, 3 * TIMEOUT)).toBe(false)
})
