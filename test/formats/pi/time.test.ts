import { describe, expect, it } from 'vitest'
import { timeOf } from '../../../src/formats/pi/read.ts'

describe('timeOf', () => {
  it.each([
    [{ timestamp: '2026-01-02T03:04:05.678Z', message: { timestamp: 1 } }, 1767323045678],
    [{ timestamp: 1767323045678 }, 1767323045678],
    [{ timestamp: 'soon', message: { timestamp: 7 } }, 7],
    [{ timestamp: 'soon' }, undefined],
    [{}, undefined],
    [null, undefined],
  ])('of %j is %j', (record, time) => {
    expect(timeOf(record)).toBe(time)
  })
})
