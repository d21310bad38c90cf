import { expect, it } from 'vitest'
import { hintsIn, isHeader, millis, nativeIn, timeIn } from '../../../src/formats/generic/guessfacts.ts'

it.each([
  ['2026-01-02T03:04:05.678Z', 1767323045678],
  ['2026-01-02T03:04:05+01:00', 1767319445000],
  [1767323045678, 1767323045678],
  [1767323045, 1767323045000],
  [1767323045.5, 1767323045500],
  ['yesterday', undefined],
  ['2026-99-99T99:99', undefined],
  ['1', undefined],
  [12, undefined],
  [null, undefined],
])('takes %j for the time %j', (value, time) => {
  expect(millis(value)).toBe(time)
})

it('finds the time at the top or one level down', () => {
  const at = '1970-01-01T00:00:01Z'
  expect(timeIn({ timestamp: at })).toBe(1000)
  expect(timeIn({ time: 'now', message: { createdAt: at } })).toBe(1000)
  expect(timeIn({ info: { time: { created: 1767323045678 } } })).toBe(1767323045678)
  expect(timeIn({ timestamp: 'x', deep: { message: { ts: at } } })).toBeUndefined()
  expect(timeIn([at])).toBeUndefined()
})

it('finds the id of a record', () => {
  expect(nativeIn({ id: 'a', uuid: 'b' })).toBe('b')
  expect(nativeIn({ data: { message_id: 'c' } })).toBe('c')
  expect(nativeIn({ id: 7 })).toBeUndefined()
})

it('finds what a record tells of its session', () => {
  const record = { sessionId: 's', id: 'r', title: 't', cwd: '/w' }
  expect(hintsIn(record, false)).toEqual({ id: 's', cwd: '/w' })
  expect(hintsIn({ id: 'r', title: 't' }, true)).toEqual({ id: 'r', title: 't' })
  expect(hintsIn({ type: 'session.start', data: { sessionId: 's' } }, true)).toEqual({ id: 's' })
})

it('knows the records that begin a session', () => {
  for (const type of ['session', 'session_start', 'session.start', 'session_meta', 'init', 'metadata'])
    expect([type, isHeader({ type })]).toEqual([type, true])
  for (const type of ['message', 'user', 'initial', 'sessions'])
    expect([type, isHeader({ type })]).toEqual([type, false])
  expect(isHeader({})).toBe(false)
})
