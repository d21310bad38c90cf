import { expect, it } from 'vitest'
import { decodeStored, encode } from '../../src/model/encoding/canonical.ts'
import { metaRef } from '../../src/model/refname.ts'
import {
  columnsOf,
  decodeList,
  encodeList,
  FIELDS,
  type ListField,
  rowsOf,
} from '../../src/repo/listcolumns.ts'
import { listedIn, listProblems, renewList } from '../../src/repo/sessionlist.ts'
import { compressNow, decompress } from '../../src/storage/levelbackend/compression.ts'
import { runs } from '../support/amount.ts'
import { listedSession, withoutSpending } from '../support/listed.ts'
import { Random } from '../support/random.ts'
import { openRepo } from '../support/store.ts'
import { wronged } from '../support/wronged.ts'

const COUNT = 40
const ROWS = Array.from({ length: COUNT }, (_, i) =>
  listedSession({ id: `s${i}`, title: i % 3 ? `Größe ${i} 🚀` : null }),
)
const LIST = encodeList(columnsOf(withoutSpending(ROWS), FIELDS))

/** Returns a list of which one column was changed before it was compressed. */
function withColumn(
  list: Uint8Array,
  field: ListField,
  change: (column: Uint8Array) => Uint8Array,
): Uint8Array {
  const columns = decodeStored(list) as Record<string, Uint8Array>
  const next = compressNow(change(decompress(columns[field] as Uint8Array)), 3)
  return encode({ ...columns, [field]: next })
}

/** Values that are no column of forty cells, or one that no field has. */
const ODD = [
  null,
  1,
  'text',
  {},
  [],
  [null],
  { length: COUNT },
  Array.from({ length: COUNT }, () => [1]),
  Array.from({ length: COUNT }, () => true),
  Array.from({ length: COUNT }, () => ({ a: [] })),
  Array.from({ length: COUNT + 1 }, () => 'one too many'),
]

it('a malformed list is corrupt, whatever is wrong', () => {
  const random = new Random(3)
  let damaged = 0
  const rounds = runs(1600)
  for (let round = 0; round < rounds; round++)
    try {
      const field = random.pick(FIELDS)
      const odd = (column: Uint8Array): Uint8Array =>
        random.once(2) ? encode(random.pick(ODD)) : wronged(column, random)
      const list = random.once(5) ? wronged(LIST, random) : withColumn(LIST, field, odd)
      for (const row of rowsOf(decodeList(list, COUNT, FIELDS)))
        for (const cell of Object.values(row)) expect(cell).not.toBeUndefined()
    } catch (error) {
      expect(error).toMatchObject({ code: 'corrupt' })
      damaged++
    }
  expect(damaged).toBeGreaterThan(rounds / 3)
})

it.each(ODD.map((odd) => [JSON.stringify(odd).slice(0, 30), odd]))('no column is %s', (_, odd) => {
  for (const field of FIELDS)
    expect(() =>
      decodeList(
        withColumn(LIST, field, () => encode(odd)),
        COUNT,
        FIELDS,
      ),
    ).toThrow(expect.objectContaining({ code: 'corrupt' }))
})

it.each(['title', 'branches'] as const)('a list with a malformed column %s counts as none', async (field) => {
  const repo = await openRepo()
  await repo.write({ bulk: true }, ({ move }) => {
    for (let i = 0; i < COUNT; i++) move(metaRef(`s${i}`), undefined, { format: 'pi', title: `T${i}` })
  })
  await renewList(repo)
  const before = await repo.read((reader) => listedIn(reader, FIELDS))
  await repo.write({ bulk: true, plain: true }, async ({ reader, keepList }) => {
    const kept = await reader.cache.list()
    if (!kept) throw new Error('no list was kept')
    keepList({ ...kept, bytes: withColumn(kept.bytes, field, () => encode([])) })
  })
  await expect(repo.read(listProblems)).rejects.toMatchObject({ code: 'corrupt' })
  expect(await repo.read((reader) => listedIn(reader, FIELDS))).toEqual(before)
  await renewList(repo, listedIn)
  expect(await repo.read(listProblems)).toEqual([])
  expect(await repo.read((reader) => listedIn(reader, FIELDS))).toEqual(before)
})
