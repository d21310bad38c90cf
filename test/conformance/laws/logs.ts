import assert from 'node:assert/strict'
import { BlobRef } from '../../../src/model/canonical.ts'
import { SessError } from '../../../src/model/errors.ts'
import type { Backend, NewRecord } from '../../../src/storage/backend.ts'
import { NO_ROW, type StoredRecord } from '../../../src/storage/record.ts'
import {
  all,
  appendAll,
  isConflict,
  type Law,
  law,
  moveOf,
  type Open,
  recordOf,
  sayPath,
  textsOf,
} from './law.ts'

const texts = (from: number, to: number, word = 'record'): string[] =>
  Array.from({ length: to - from }, (_, i) => `${word} ${from + i}`)

const listed = (from: number, to: number, word = 'record'): [number, string][] =>
  texts(from, to, word).map((text, i) => [from + i, text])

/** What holds of logs. */
export function logLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('records come back as they were', async ({ backend }) => {
      const transaction = backend.begin()
      const log = transaction.newLog()
      const [row = NO_ROW] = await sayPath(backend, transaction, [{ role: 'user' }])
      const long = 'a large string in an envelope '.repeat(200)
      const bytes = new Uint8Array(5000).fill(9)
      const records: NewRecord[] = [
        {
          row,
          tip: row,
          lead: new Uint8Array(0),
          content: { shape: '{"a":1,"b":0}', values: [{ c: long }], spelling: 'p' },
        },
        { row: NO_ROW, tip: row, time: 1_700_000_000_123, lead: Uint8Array.of(13, 10), content: { raw: [] } },
        {
          row: NO_ROW,
          tip: row,
          native: 'an id',
          time: 0,
          lead: Uint8Array.of(10),
          content: { raw: [Uint8Array.of(0, 255), bytes] },
        },
        {
          row: NO_ROW,
          tip: NO_ROW,
          native: '',
          lead: new Uint8Array(3000).fill(32),
          content: { shape: '1', values: [null], spelling: '' },
        },
      ]
      records.forEach((record, i) => transaction.record(log, i, record))
      await transaction.commit()
      const found = (await all(backend.records(log, 0, 4))).map(([, record]) => record)
      const spine = ({ row: r, tip, time, native, lead }: NewRecord | StoredRecord): unknown => [
        r,
        tip,
        time,
        native,
        Buffer.from(lead),
      ]
      assert.deepEqual(found.map(spine), records.map(spine))
      const [first, , third] = found.map(({ content }) => content)
      assert.ok(first && 'shape' in first && third && 'raw' in third)
      assert.deepEqual([first.shape, first.spelling], ['{"a":1,"b":0}', 'p'])
      assert.deepEqual(await backend.whole(first.values), [{ c: long }])
      const pieces: Uint8Array[] = []
      for (const piece of third.raw)
        pieces.push(piece instanceof BlobRef ? await backend.bytes(piece) : piece)
      assert.deepEqual(Buffer.concat(pieces), Buffer.concat([Uint8Array.of(0, 255), bytes]))
    }),
    ...[true, false].map((bulk) =>
      that(`any range is read, either way (${bulk ? 'in bulk' : 'one by one'})`, async ({ backend }) => {
        const log = backend.begin().newLog()
        for (const [from, to] of [
          [0, 1],
          [1, 700],
          [700, 703],
          [703, 1300],
        ] as const)
          await appendAll(backend, log, from, texts(from, to), { bulk })
        for (const [from, to] of [
          [0, 1300],
          [0, 1],
          [0, 0],
          [5, 3],
          [699, 701],
          [512, 513],
          [1299, 1300],
          [600, 1200],
        ] as const) {
          assert.deepEqual(await textsOf(backend, backend.records(log, from, to)), listed(from, to))
          assert.deepEqual(
            await textsOf(backend, backend.records(log, from, to, true)),
            listed(from, to).toReversed(),
          )
          for (const reverse of [false, true]) await checkStretches(backend, log, [from, to], reverse)
        }
        assert.deepEqual(await textsOf(backend, backend.records(log, 1290, 5000)), listed(1290, 1300))
      }),
    ),
    ...[true, false].map((bulk) =>
      that(`many logs grow side by side (${bulk ? 'in bulk' : 'one by one'})`, async ({ backend }) => {
        const transaction = backend.begin({ bulk })
        const logs = Array.from({ length: 150 }, () => transaction.newLog())
        for (const from of [0, 2])
          for (const log of logs)
            for (const i of [0, 1]) transaction.record(log, from + i, recordOf(`${log}: record ${from + i}`))
        await transaction.commit()
        for (const log of logs) {
          const expected = listed(0, 4, `${log}: record`)
          assert.deepEqual(await textsOf(backend, backend.records(log, 0, 9)), expected)
          assert.deepEqual(await textsOf(backend, backend.records(log, 0, 9, true)), expected.toReversed())
        }
      }),
    ),
    that(
      'single records and what is told of them without their content are as in a range',
      async ({ backend }) => {
        const transaction = backend.begin({ bulk: true })
        const log = transaction.newLog()
        const rows = await sayPath(
          backend,
          transaction,
          Array.from({ length: 1200 }, (_, i) => i),
        )
        rows.forEach((row, i) =>
          transaction.record(log, i, { ...recordOf(`record ${i}`, row), time: i, native: `n${i}` }),
        )
        await transaction.commit()
        const spine = rows.map((row, i) => [i, { row, tip: row, time: i, native: `n${i}` }])
        assert.deepEqual(await all(backend.spine(log, 0, 1200)), spine)
        assert.deepEqual(await all(backend.spine(log, 500, 600, true)), spine.slice(500, 600).toReversed())
        const records = await all(backend.records(log, 0, 1200))
        for (const position of [0, 1, 511, 512, 513, 1024, 1199, 3])
          assert.deepEqual(await backend.record(log, position), records[position]?.[1])
        await assert.rejects(async () => backend.record(log, 1200), SessError)
        await assert.rejects(async () => backend.record(log + 1, 0), SessError)
      },
    ),
    that('logs are apart from each other', async ({ backend }) => {
      const transaction = backend.begin({ bulk: true })
      const [a, b] = [transaction.newLog(), transaction.newLog()]
      assert.notEqual(a, b)
      for (let i = 0; i < 1100; i++) {
        transaction.record(a, i, recordOf(`a ${i}`))
        if (i % 2 === 0) transaction.record(b, i / 2, recordOf(`b ${i / 2}`))
        if (i % 100 === 0) await transaction.relax()
      }
      await transaction.commit()
      assert.deepEqual(await textsOf(backend, backend.records(a, 0, 2000)), listed(0, 1100, 'a'))
      assert.deepEqual(await textsOf(backend, backend.records(b, 0, 2000)), listed(0, 550, 'b'))
      assert.deepEqual(await all(backend.records(backend.begin().newLog(), 0, 10)), [])
    }),
    that('reading may stop anywhere', async ({ backend }) => {
      const log = backend.begin().newLog()
      await appendAll(backend, log, 0, texts(0, 1300), { bulk: true })
      for (const reverse of [false, true])
        for await (const [position] of backend.records(log, 0, 1300, reverse)) {
          assert.equal(position, reverse ? 1299 : 0)
          break
        }
    }),
    that('positions of a log are consecutive', async ({ backend }) => {
      const transaction = backend.begin()
      const log = transaction.newLog()
      transaction.record(log, 0, recordOf('first'))
      assert.throws(() => transaction.record(log, 2, recordOf('third')), RangeError)
      transaction.record(log, 1, recordOf('second'))
      await transaction.commit()
      assert.equal((await all(backend.records(log, 0, 10))).length, 2)
    }),
    that(
      'a log goes on behind a position where records were written, committed or not',
      async ({ backend }) => {
        const log = backend.begin().newLog()
        assert.equal(await backend.goesOn(log, 0), false)
        await appendAll(backend, log, 0, texts(0, 100))
        assert.equal(await backend.goesOn(log, 0), true)
        assert.equal(await backend.goesOn(log, 100), false)
        await appendAll(backend, log, 100, texts(100, 101))
        assert.equal(await backend.goesOn(log, 100), true)
        assert.equal(await backend.goesOn(log + 1, 0), false)
        const lost = backend.begin({ bulk: true })
        for (let i = 101; i < 2000; i++) {
          lost.record(log, i, recordOf(`lost ${i}`))
          if (i % 256 === 0) await lost.relax()
        }
        await lost.relax()
        lost.abandon()
        if ((await all(backend.records(log, 0, 2000))).length > 101)
          assert.equal(await backend.goesOn(log, 101), true)
        assert.deepEqual(await textsOf(backend, backend.records(log, 0, 101)), listed(0, 101))
      },
    ),
    that('a refused transaction puts no record in the place of another', async ({ backend }) => {
      const log = backend.begin().newLog()
      const first = backend.begin()
      const second = backend.begin()
      for (const [word, transaction] of [
        ['kept', first],
        ['refused', second],
      ] as const) {
        transaction.record(log, 0, recordOf(`${word} 0`))
        transaction.move([moveOf('head', undefined, word)])
      }
      await first.commit()
      await assert.rejects(second.commit(), isConflict)
      assert.deepEqual(await textsOf(backend, backend.records(log, 0, 1)), listed(0, 1, 'kept'))
    }),
  ]
}

/** Checks that what stands together is what a range gives, its spine included. */
async function checkStretches(
  backend: Backend,
  log: number,
  [from, to]: readonly [from: number, to: number],
  reverse: boolean,
): Promise<void> {
  const stretches = await all(backend.stretches(log, from, to, reverse))
  const told = stretches.map(({ start, spine, records }) =>
    records().map((record, i) => [start + i, record, spine[i]]),
  )
  const each = reverse ? told.map((some) => some.toReversed()) : told
  const expected: unknown[] = []
  for await (const [position, record] of backend.records(log, from, to, reverse)) {
    const { row, tip, time, native } = record
    const spine = { row, tip, ...(time !== undefined && { time }), ...(native !== undefined && { native }) }
    expected.push([position, record, spine])
  }
  assert.deepEqual(each.flat(), expected)
}
