import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessError } from '../../../src/model/errors.ts'
import { type Cursor, decodeCursor, encodeCursor, operationCursor } from '../../../src/ops/rows/cursor.ts'
import { cutPage, pageOf, pageQuery, readPage, type Side } from '../../../src/ops/rows/page.ts'

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as SessError).code
  }
}

const sideFrom =
  (from: Cursor | undefined) =>
  ({ number }: { number: number }): Side => {
    const [at] = from === undefined ? [0] : decodeCursor('operation', from)
    return number === at ? 'at' : number > at ? 'before' : 'after'
  }

/** The numbers of a list that has the largest first. */
const listOf = (count: number): { number: number }[] =>
  Array.from({ length: count }, (_, i) => ({ number: count - i }))

// oxlint-disable-next-line typescript/require-await -- lists are read asynchronously
async function* streamed<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

test('a cursor names what it was made of, and is refused by other lists', () => {
  expect(decodeCursor('session', encodeCursor('session', 'cost', 1.5, 'id'))).toEqual(['cost', 1.5, 'id'])
  expect(decodeCursor('entry', encodeCursor('entry', null, 'ab' as never))).toEqual([null, 'ab'])
  expect(encodeCursor('entry', 'a/b', 'ab' as never)).toMatch(/^[\w-]+$/)
  for (const cursor of [operationCursor(3), 'x', '', 'W10', encodeCursor('entry', 's', null as never)])
    expect(codeOf(() => decodeCursor('entry', cursor as Cursor))).toBe('bad-usage')
})

test('a page is after a cursor or before one', () => {
  const cursor = operationCursor(1)
  expect(codeOf(() => pageQuery({ after: cursor, before: cursor }))).toBe('bad-usage')
})

test('pages read forward or back give each row once, while rows are added at the beginning', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(30),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.nat(3)),
      async (count, limit, added) => {
        let size = count
        const grown = [...added]
        const read = async (options: { after?: Cursor; before?: Cursor }) => {
          const query = pageQuery({ ...options, limit })
          const sideOf = sideFrom(query.from)
          const found = await readPage(streamed(listOf(size)), query, sideOf)
          if (query.from !== undefined) expect(cutPage(listOf(size), query, sideOf)).toEqual(found)
          return pageOf(found, query, ({ number }) => operationCursor(number))
        }
        const forward: number[] = []
        let page = await read({})
        expect(page.before).toBeNull()
        for (;;) {
          expect(page.items.length).toBeLessThanOrEqual(limit)
          forward.push(...page.items.map(({ number }) => number))
          if (page.next === null) break
          size += grown.pop() ?? 0
          page = await read({ after: page.next })
        }
        expect(forward).toEqual(listOf(count).map(({ number }) => number))
        const last = page.items.length
        const back: number[] = []
        while (page.before !== null) {
          size += grown.pop() ?? 0
          page = await read({ before: page.before })
          back.unshift(...page.items.map(({ number }) => number))
        }
        const shown = listOf(size).map(({ number }) => number)
        if (forward.length > last) expect(back).toEqual(shown.slice(0, size - last))
      },
    ),
  )
})
