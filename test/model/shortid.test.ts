import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shortIds } from '../../src/model/shortid.ts'

const short = (...ids: string[]): (string | undefined)[] => ids.map((id) => shortIds(ids).get(id))

it('shows 8 characters of a UUID, 16 of another id, and as many more as it takes', () => {
  expect(short('019d4e07-5b20-7d11-a6c2-93e1f04b7a65', 'a name of many words', 'brief')).toEqual([
    '019d4e07',
    'a name of many w',
    'brief',
  ])
  expect(short('019d4e07-5b20-7d11-a6c2', '019d4e07-5b21-7d11-a6c2')).toEqual([
    '019d4e07-5b20',
    '019d4e07-5b21',
  ])
  expect(short('some-session-of-mine', 'some-session-of-mine-2')).toEqual([
    'some-session-of-mine',
    'some-session-of-mine-',
  ])
  expect(short(`${'a'.repeat(15)}😀`)).toEqual([`${'a'.repeat(15)}😀`])
})

it('shows a beginning of each id that is no beginning of another, but for whole ids', () => {
  const part = fc.constantFrom('a', 'b', 'ab', 'a'.repeat(16), '019d4e07-', '5b20-')
  const ids = fc.uniqueArray(fc.array(part, { minLength: 1 }).map((parts) => parts.join('')))
  fc.assert(
    fc.property(ids, (all) => {
      for (const [id, shown] of shortIds(all)) {
        expect(id.startsWith(shown)).toBe(true)
        if (shown !== id) expect(all.filter((other) => other.startsWith(shown))).toEqual([id])
      }
    }),
  )
})
