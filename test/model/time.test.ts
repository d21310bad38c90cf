import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTime, UNITS } from '../../src/model/time.ts'

const NOW = Date.parse('2026-05-01T12:34:56.789Z')
const iso = (text: string, ahead = 0): string | undefined => {
  const time = parseTime(text, NOW, () => ahead)
  return time === undefined ? undefined : new Date(time).toISOString()
}

describe('parseWhen', () => {
  it.each([
    ['now', '2026-05-01T12:34:56.789Z'],
    ['90s', '2026-05-01T12:33:26.789Z'],
    ['30m', '2026-05-01T12:04:56.789Z'],
    ['12h', '2026-05-01T00:34:56.789Z'],
    ['1.5h', '2026-05-01T11:04:56.789Z'],
    ['3d', '2026-04-28T12:34:56.789Z'],
    ['2w', '2026-04-17T12:34:56.789Z'],
    ['1y', '2025-05-01T12:34:56.789Z'],
    ['3 d ago', '2026-04-28T12:34:56.789Z'],
    ['3 days ago', '2026-04-28T12:34:56.789Z'],
    ['2.weeks', '2026-04-17T12:34:56.789Z'],
    ['90 min', '2026-05-01T11:04:56.789Z'],
    ['1 month', '2026-04-01T12:34:56.789Z'],
    [' 3D ', '2026-04-28T12:34:56.789Z'],
    ['today', '2026-05-01T00:00:00.000Z'],
    ['Yesterday', '2026-04-30T00:00:00.000Z'],
    ['2026-04-01', '2026-04-01T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-04', '2026-04-01T00:00:00.000Z'],
    ['2026-04-01T12:00', '2026-04-01T12:00:00.000Z'],
    ['2026-04-01 12:00:30.25', '2026-04-01T12:00:30.250Z'],
    ['2026-04-01T12:00:30Z', '2026-04-01T12:00:30.000Z'],
    ['2026-04-01T12:00+02:00', '2026-04-01T10:00:00.000Z'],
    ['2026-04-01t12:00-0530', '2026-04-01T17:30:00.000Z'],
  ])('reads %j', (text, time) => expect(iso(text)).toBe(time))

  it.each([
    [
      '',
      '3',
      'd',
      '3x',
      '-3d',
      'tomorrow',
      'soon',
      '2026',
      '2026-13',
      '2026-02-30',
      '2025-02-29',
      '26-04-01',
    ],
    ['2026-04-01T25:00', '2026-04-01T12', '2026-04-01Z', '2026-04T12:00Z', '1775000000000', '2026-04-01 foo'],
  ])('takes nothing else for a time', (...texts) => {
    expect(texts.filter((text) => parseTime(text, NOW) !== undefined)).toEqual([])
  })

  it('takes what names no zone as local', () => {
    expect(iso('2026-04-01', 120)).toBe('2026-03-31T22:00:00.000Z')
    expect(iso('2026-04-01T12:00', -300)).toBe('2026-04-01T17:00:00.000Z')
    expect(iso('2026-04-01T12:00Z', 120)).toBe('2026-04-01T12:00:00.000Z')
    expect(iso('today', 720)).toBe('2026-05-01T12:00:00.000Z')
    expect(iso('today', -780)).toBe('2026-04-30T13:00:00.000Z')
  })

  it('knows on which side of a change of the clocks a day begins', () => {
    const change = Date.parse('2026-03-29T01:00Z')
    const paris = (time: number): number => (time < change ? 60 : 120)
    expect(parseTime('2026-03-29', NOW, paris)).toBe(Date.parse('2026-03-28T23:00Z'))
    expect(parseTime('2026-03-29T03:00', NOW, paris)).toBe(change)
    expect(parseTime('2026-03-30', NOW, paris)).toBe(Date.parse('2026-03-29T22:00Z'))
  })

  it('reads back every time that is written as ISO 8601, and every whole duration', () => {
    const times = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(times, fc.integer({ min: -720, max: 840 }), (date, ahead) => {
        expect(parseTime(date.toISOString(), NOW, () => ahead)).toBe(date.getTime())
        const local = new Date(date.getTime() + ahead * 60_000).toISOString().slice(0, -1)
        if (/^\d{4}-/.test(local)) expect(parseTime(local, NOW, () => ahead)).toBe(date.getTime())
      }),
    )
    fc.assert(
      fc.property(fc.nat(10_000), fc.constantFrom(...Object.entries(UNITS)), (count, [unit, length]) => {
        expect(parseTime(`${count}${unit}`, NOW)).toBe(NOW - count * length)
      }),
    )
  })
})
