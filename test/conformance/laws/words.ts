import assert from 'node:assert/strict'
import { PLACES } from '../../../src/model/said.ts'
import type { Backend } from '../../../src/storage/backend.ts'
import { GROUP } from '../../../src/storage/words/words.ts'
import { all, type Law, law, type Open } from './law.ts'

/** Tells a word for each of some groups, in the place of its number, and indexes them. */
async function index(backend: Backend, words: readonly string[]): Promise<void> {
  const transaction = backend.begin()
  const from = transaction.indexed / GROUP
  for (const [i, text] of words.entries()) {
    const place = PLACES[(from + i) % PLACES.length] as (typeof PLACES)[number]
    transaction.tell((from + i) * GROUP + 7, [{ place, text }])
  }
  await transaction.index((from + words.length) * GROUP)
  await transaction.commit()
}

/** Gives the groups in which a piece of a word is said, with the bit of the place. */
async function groupsWith(backend: Backend, piece: string): Promise<[group: number, bits: number][]> {
  const found: [number, number][] = []
  for await (const segment of backend.words())
    segment.find(piece).forEach((bits, i) => {
      if (bits > 0) found.push([segment.from / GROUP + i, bits])
    })
  return found
}

/** What holds of the index of words, and of where the entries of sessions are. */
export function wordLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('words are found in the groups of the entries that say them', async ({ backend }) => {
      await index(backend, ['Tide table', 'nothing'])
      await index(backend, ['the table', 'no-thing', 'TIDES'])
      assert.equal(await backend.indexed(), 5 * GROUP)
      assert.deepEqual(await groupsWith(backend, 'tide'), [
        [0, 1],
        [4, 2],
      ])
      assert.deepEqual(await groupsWith(backend, 'able'), [
        [0, 1],
        [2, 4],
      ])
      assert.deepEqual(await groupsWith(backend, 'nothing'), [[1, 2]])
      const segments = await all(backend.words())
      assert.equal(segments[0]?.from, 0)
      assert.equal(segments.at(-1)?.to, 5 * GROUP)
    }),
    that('what is told and not committed is in no index', async ({ backend }) => {
      await index(backend, ['tide'])
      const transaction = backend.begin()
      transaction.tell(GROUP, [{ place: 'prompt', text: 'moon' }])
      await transaction.index(2 * GROUP)
      transaction.cover('a', { ranges: [[0, 9]], time: 1, names: [] })
      transaction.abandon()
      assert.equal(await backend.indexed(), GROUP)
      assert.deepEqual(await groupsWith(backend, 'moon'), [])
      assert.deepEqual([...(await backend.extents())], [])
    }),
    that('an index that is forgotten is made anew', async ({ backend }) => {
      await index(backend, ['tide', 'moon'])
      const transaction = backend.begin()
      transaction.cover('a', { ranges: [[0, 9]], time: 1, names: [] })
      await transaction.commit()
      const again = backend.begin()
      await again.forgetIndex()
      again.tell(0, [{ place: 'tool', text: 'ebb' }])
      await again.index(GROUP)
      again.cover('b', { ranges: [[4, 5]], time: null, names: [] })
      await again.commit()
      assert.deepEqual(await groupsWith(backend, 'ebb'), [[0, 4]])
      assert.deepEqual(await groupsWith(backend, 'moon'), [])
      assert.deepEqual([...(await backend.extents())], [['b', { ranges: [[4, 5]], time: null, names: [] }]])
    }),
    that('extents grow', async ({ backend }) => {
      for (const [from, time, name] of [
        [0, 5, 'one'],
        [10, null, 'two'],
        [5, 9, 'one'],
      ] as const) {
        const transaction = backend.begin()
        transaction.cover('a/ü', { ranges: [[from, from + 5]], time, names: [name] })
        await transaction.commit()
      }
      assert.deepEqual(
        [...(await backend.extents())],
        [['a/ü', { ranges: [[0, 15]], time: 9, names: ['one', 'two'] }]],
      )
      assert.deepEqual((await backend.extent('a/ü'))?.ranges, [[0, 15]])
      assert.equal(await backend.extent('a'), undefined)
    }),
  ]
}
