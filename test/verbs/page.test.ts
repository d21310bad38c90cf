import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Cursor } from '../../src/ops/rows/cursor.ts'
import { pageFromStart } from '../../src/verbs/page.ts'
import { expectFailure } from '../support/errors.ts'

interface Letter {
  readonly letter: string
}

const letters = (): AsyncIterable<Letter> => Readable.from([...'abcdefg'].map((letter) => ({ letter })))

const letterOf = ({ letter }: Letter): string => letter

interface Range {
  readonly after?: string
  readonly before?: string
  readonly limit: number
}

/** Returns the letters of a page, and where it goes on. */
async function pageOf({ after, before, limit }: Range, stop: () => void = () => undefined) {
  const place = after === undefined ? before !== undefined && { before } : { after }
  const options = { limit, ...(place as { readonly after?: Cursor; readonly before?: Cursor } | false) }
  const page = await pageFromStart(letters(), options, letterOf, stop)
  return { items: page.items.map(letterOf), next: page.next, before: page.before }
}

it('begins with the first item', async () => {
  expect(await pageOf({ limit: 3 })).toEqual({ items: ['a', 'b', 'c'], next: 'c', before: null })
})

it('continues after a cursor, and ends', async () => {
  expect(await pageOf({ after: 'c', limit: 3 })).toEqual({ items: ['d', 'e', 'f'], next: 'f', before: 'd' })
  expect(await pageOf({ after: 'f', limit: 3 })).toEqual({ items: ['g'], next: null, before: 'g' })
})

it('goes back before a cursor', async () => {
  expect(await pageOf({ before: 'f', limit: 3 })).toEqual({ items: ['c', 'd', 'e'], next: 'e', before: 'c' })
  expect(await pageOf({ before: 'c', limit: 3 })).toEqual({ items: ['a', 'b'], next: 'b', before: null })
})

it('is whole where the list ends with it', async () => {
  expect(await pageOf({ limit: 7 })).toEqual({ items: [...'abcdefg'], next: null, before: null })
})

it('refuses a cursor of another list', async () => {
  await expectFailure('bad-usage', () => pageOf({ after: 'x', limit: 3 }))
  await expectFailure('bad-usage', () => pageOf({ before: 'x', limit: 3 }))
})

it('stops between two items', async () => {
  let left = 2
  const stop = () => {
    if (left-- === 0) throw new Error('stopped')
  }
  await expect(pageOf({ limit: 5 }, stop)).rejects.toThrow('stopped')
})
