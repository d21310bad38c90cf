import { expect, it } from 'vitest'
import { metaRef } from '../../src/model/refname.ts'
import { CELLS, type CellKey, rowsOf } from '../../src/repo/list/listcells.ts'
import { listedIn, listProblems, renewList } from '../../src/repo/list/listing.ts'
import { decodeList, encodeList } from '../../src/repo/list/listtable.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { packNow, unpack } from '../../src/storage/blocks/block.ts'
import { ByteSink, ByteSource } from '../../src/storage/columns/varint.ts'
import { listedSession } from '../support/listed.ts'
import { Random } from '../support/random.ts'
import { openRepo } from '../support/store.ts'
import { wronged } from '../support/wronged.ts'

const PARTS = 3

const LIST = encodeList(
  Array.from({ length: 40 }, (_, i) => listedSession({ id: `s${i}`, title: i % 3 ? `Größe ${i} 🚀` : null })),
)

/** Gives a list of which one part was changed before it was packed. */
function withPart(list: Uint8Array, chosen: number, change: (part: Uint8Array) => Uint8Array): Uint8Array {
  const source = new ByteSource(list)
  const sink = new ByteSink()
  sink.byte(source.byte())
  sink.varint(source.varint())
  for (let part = 0; part < PARTS; part++) {
    const packed = source.bytes(source.varint())
    const next = part === chosen ? packNow(change(unpack(packed)), 3) : packed
    sink.varint(next.length)
    sink.bytes(next)
  }
  sink.bytes(source.bytes(source.left))
  return sink.view().slice()
}

/** Changes the columns of a part. */
const withColumns = (change: (columns: unknown[]) => unknown) => (part: Uint8Array) => {
  const source = new ByteSource(part)
  const columns = JSON.parse(Buffer.from(source.bytes(source.varint())).toString()) as unknown[]
  const json = Buffer.from(JSON.stringify(change(columns)))
  const sink = new ByteSink()
  sink.varint(json.length)
  sink.bytes(json)
  sink.bytes(source.bytes(source.left))
  return sink.view().slice()
}

/** What is no column of forty rows, or one that few keys have. */
const ODD = [
  null,
  1,
  [],
  {},
  [null],
  [{}],
  [[]],
  ['text'],
  [[1], []],
  [['a'], Array.from({ length: 40 }, () => 9)],
  [['a'], Array.from({ length: 40 }, () => 'length')],
  [9, 9, [9]],
  [-1, 0, []],
  [[['a', 1]], Array.from({ length: 40 }, () => 0)],
  [1e300],
]

it('what is no list is damage, whatever is wrong and whatever is asked for first', () => {
  const random = new Random(3)
  const read = (list: Uint8Array): void => {
    const table = decodeList(list)
    if (!table) return
    if (random.once(2)) rowsOf(table)
    const keys = Object.keys(CELLS) as CellKey[]
    for (let n = 0; n < keys.length; n++) {
      const cells = table.column(random.pick(keys))
      expect(cells.length).toBe(table.count)
      expect(cells).not.toContain(undefined)
    }
  }
  const oddColumn = withColumns((columns) => columns.with(random.below(columns.length), random.pick(ODD)))
  let damaged = 0
  for (let round = 0; round < 900; round++)
    try {
      const how = random.pick([oddColumn, (part: Uint8Array) => wronged(part, random)])
      read(random.once(5) ? wronged(LIST, random) : withPart(LIST, random.below(PARTS), how))
    } catch (error) {
      expect(error).toMatchObject({ code: 'corrupt' })
      damaged++
    }
  expect(damaged).toBeGreaterThan(300)
})

const keeping = (repo: Repo, change: (part: Uint8Array) => Uint8Array, part: number): Promise<void> =>
  repo.write({ bulk: true, plain: true }, async ({ reader, keepList }) => {
    const kept = await reader.cache.list()
    if (!kept) throw new Error('no list was kept')
    keepList({ ...kept, bytes: withPart(kept.bytes, part, change) })
  })

it.each([0, 1, 2])('is told of by a check and made anew where part %i is wrong', async (part) => {
  const repo = await openRepo()
  await repo.write({ bulk: true }, ({ move }) => {
    for (let i = 0; i < 40; i++) move(metaRef(`s${i}`), undefined, { format: 'pi', title: `T${i}` })
  })
  await renewList(repo)
  await keeping(
    repo,
    withColumns(() => []),
    part,
  )
  await expect(repo.read(listProblems)).rejects.toMatchObject({ code: 'corrupt' })
  if (part === 0) expect((await repo.read(listedIn)).count).toBe(40)
  await renewList(repo, listedIn)
  expect(await repo.read(listProblems)).toEqual([])
  expect(rowsOf(await repo.read(listedIn)).length).toBe(40)
})
