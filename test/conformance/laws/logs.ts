import assert from 'node:assert/strict'
import type { EntryHandle } from '../../../src/model/node.ts'
import {
  isLogId,
  type LogId,
  type LogRecord,
  logId,
  type NewRecord,
  partsOfLogId,
  type WriterId,
} from '../../../src/model/record.ts'
import type { Backend } from '../../../src/storage/backend.ts'
import {
  addPath,
  all,
  appendAll,
  headerOf,
  headersOf,
  isConflict,
  type Law,
  law,
  moveOf,
  newLog,
  type Open,
  PACKINGS,
  recordOf,
  recordsOf,
  textsOf,
} from './law.ts'

const texts = (from: number, to: number, word = 'record'): string[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => `${word} ${from + i}`)

const listed = (from: number, to: number, word = 'record'): [number, string][] =>
  texts(from, to, word).map((text, i) => [from + i, text])

const OTHER_WRITER = 'fedcba9876543210' as WriterId
const OTHER_LOG = logId(OTHER_WRITER, 7)

/** Laws of logs. */
export function logLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('records come back as they were', async ({ backend }) => {
      const transaction = backend.begin()
      const log = transaction.newLog()
      const [entry] = (await addPath(backend, transaction, [{ role: 'user' }])) as [EntryHandle]
      const large = 'a large string in an envelope '.repeat(200)
      const bytes = new Uint8Array(5000).fill(9)
      const records: NewRecord[] = [
        {
          entry,
          tip: entry,
          lead: new Uint8Array(0),
          content: { shape: '{"a":1,"b":0}', values: [{ c: large }], spelling: 'p' },
        },
        {
          entry: undefined,
          tip: entry,
          time: 1_700_000_000_123,
          usage: { input: 3, cacheRead: 0, cost: 0.25 },
          lead: Uint8Array.of(13, 10),
          content: { raw: [] },
        },
        {
          entry: undefined,
          tip: entry,
          native: 'an id',
          time: 0,
          lead: Uint8Array.of(10),
          content: { raw: [Uint8Array.of(0, 255), bytes] },
        },
        {
          entry: undefined,
          tip: undefined,
          native: '',
          usage: { output: 7, cacheWrite: 9, cacheWriteLong: 4 },
          lead: new Uint8Array(3000).fill(32),
          content: { shape: '1', values: [null], spelling: '' },
        },
      ]
      for (const [i, record] of records.entries()) transaction.appendRecord(log, i, record)
      await transaction.commit()
      const found = (await recordsOf(backend, log, { from: 0, to: 4 })).map(([, record]) => record)
      const outer = (record: NewRecord | LogRecord): unknown => [
        ...headerOf(record),
        Buffer.from(record.lead),
      ]
      assert.deepEqual(found.map(outer), records.map(outer))
      const [first, second, third] = found.map(({ content }) => content)
      assert.ok(first && 'shape' in first && second && 'raw' in second && third && 'raw' in third)
      assert.deepEqual({ ...first }, records[0]?.content)
      assert.deepEqual([...second.raw], [])
      const pieces: Uint8Array[] = []
      for (const piece of third.raw) pieces.push('read' in piece ? await piece.read() : piece)
      assert.deepEqual(Buffer.concat(pieces), Buffer.concat([Uint8Array.of(0, 255), bytes]))
    }),
    ...PACKINGS.map(([how, packing]) =>
      that(`any range of a log is read, either way (${how})`, async ({ backend }) => {
        const log = await newLog(backend)
        for (const [from, to] of [
          [0, 1],
          [1, 700],
          [700, 703],
          [703, 1300],
        ] as const)
          await appendAll(backend, log, from, texts(from, to), packing)
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
          assert.deepEqual(await textsOf(backend, log, from, to), listed(from, to))
          assert.deepEqual(await textsOf(backend, log, from, to, true), listed(from, to).toReversed())
          for (const reverse of [false, true]) await checkBatches(backend, log, [from, to], reverse)
        }
        assert.deepEqual(await textsOf(backend, log, 1290, 5000), listed(1290, 1300))
        assert.deepEqual(await textsOf(backend, log, 1300, 5000), [])
        assert.equal(await backend.logLength(log), 1300)
      }),
    ),
    ...PACKINGS.map(([how, packing]) =>
      that(`the ranges of an entry hold all that a log says of it (${how})`, async ({ backend }) => {
        const log = await newLog(backend)
        let entries: EntryHandle[] = []
        for (const [from, to] of [
          [0, 300],
          [300, 900],
          [900, 1700],
        ] as const) {
          const transaction = backend.begin(packing)
          const path = await addPath(backend, transaction, texts(from, to), entries.at(-1))
          entries = [...entries, ...path]
          for (let at = from; at < to; at++) {
            const entry = at % 3 === 0 ? entries[at] : entries[at % 40]
            const isReport = at % 7 === 0
            transaction.appendRecord(log, at, {
              ...recordOf(`${at}`, isReport ? undefined : entry),
              tip: entry,
              ...(isReport && { usage: { input: 1 } }),
            })
          }
          await transaction.commit()
        }
        for (const count of [1, 512, 1000, 1700])
          for (const entry of [0, 39, 300, 301, 511, 512, 999, 1500].map(
            (at) => entries[at] as EntryHandle,
          )) {
            const ranges = await backend.recordRanges(log, count, entry)
            const ends = ranges.flatMap(({ from, to }) => [to, from])
            assert.deepEqual(
              ends,
              ends.toSorted((a, b) => b - a),
            )
            const named: number[] = []
            for await (const { start, headers } of backend.readLog(log, { from: 0, to: count }))
              for (const [i, header] of headers.entries())
                if (header.entry === entry || (header.usage && header.tip === entry)) named.push(start + i)
            const isCovered = (at: number): boolean => ranges.some(({ from, to }) => at >= from && at < to)
            assert.ok(named.every(isCovered))
            assert.ok(ends.every((end) => end <= count))
          }
      }),
    ),
    ...PACKINGS.map(([how, packing]) =>
      that(`many logs grow side by side (${how})`, async ({ backend }) => {
        const transaction = backend.begin(packing)
        const logs = Array.from({ length: 150 }, () => transaction.newLog())
        for (const from of [0, 2])
          for (const log of logs)
            for (const i of [0, 1])
              transaction.appendRecord(log, from + i, recordOf(`${log}: record ${from + i}`))
        await transaction.commit()
        for (const log of logs) {
          const expected = listed(0, 4, `${log}: record`)
          assert.deepEqual(await textsOf(backend, log, 0, 9), expected)
          assert.deepEqual(await textsOf(backend, log, 0, 9, true), expected.toReversed())
        }
      }),
    ),
    that('headers are as in the records, for a range and for a single record', async ({ backend }) => {
      const transaction = backend.begin({ bulk: true })
      const log = transaction.newLog()
      const entries = await addPath(
        backend,
        transaction,
        Array.from({ length: 1200 }, (_, i) => i),
      )
      const usageOf = (i: number) => (i % 7 === 3 ? { input: i, output: 1 } : undefined)
      for (const [i, entry] of entries.entries()) {
        const usage = usageOf(i)
        const record = { ...recordOf(`record ${i}`, entry), time: i, native: `n${i}` }
        transaction.appendRecord(log, i, { ...record, ...(usage && { usage }) })
      }
      await transaction.commit()
      const headers = entries.map((entry, i) => [i, [entry, entry, i, `n${i}`, usageOf(i)]])
      assert.deepEqual(await headersOf(backend, log, { from: 0, to: 1200 }), headers)
      assert.deepEqual(
        await headersOf(backend, log, { from: 500, to: 600, reverse: true }),
        headers.slice(500, 600).toReversed(),
      )
      for (const at of [0, 1, 511, 512, 513, 1024, 1199, 3]) {
        assert.deepEqual(await headersOf(backend, log, { from: at, to: at + 1 }), [headers[at]])
        assert.deepEqual(await textsOf(backend, log, at, at + 1), [[at, `record ${at}`]])
      }
      assert.deepEqual(await all(backend.readLog(log, { from: 1200, to: 1201 })), [])
      assert.deepEqual(await all(backend.readLog(OTHER_LOG, { from: 0, to: 1 })), [])
    }),
    that('a content may be read twice', async ({ backend }) => {
      const log = await newLog(backend)
      await appendAll(backend, log, 0, ['large '.repeat(1000)])
      const [batch] = await all(backend.readLog(log, { from: 0, to: 1 }))
      for (const record of [batch?.records()[0], batch?.records()[0]]) {
        assert.deepEqual(record?.content, record?.content)
        assert.ok(record && 'values' in record.content)
        assert.deepEqual(record.content.values, ['large '.repeat(1000)])
      }
    }),
    that('logs are apart from each other', async ({ backend }) => {
      const transaction = backend.begin({ bulk: true })
      const [a, b] = [transaction.newLog(), transaction.newLog()]
      assert.notEqual(a, b)
      for (let i = 0; i < 1100; i++) {
        transaction.appendRecord(a, i, recordOf(`a ${i}`))
        if (i % 2 === 0) transaction.appendRecord(b, i / 2, recordOf(`b ${i / 2}`))
        if (i % 100 === 0) await transaction.flush()
      }
      await transaction.commit()
      assert.deepEqual(await textsOf(backend, a, 0, 2000), listed(0, 1100, 'a'))
      assert.deepEqual(await textsOf(backend, b, 0, 2000), listed(0, 550, 'b'))
      const empty = await newLog(backend)
      assert.deepEqual(await textsOf(backend, empty, 0, 10), [])
      const lengths = (await all(backend.logs())).filter(([, length]) => length > 0)
      assert.deepEqual(
        lengths.toSorted(([, x], [, y]) => y - x),
        [
          [a, 1100],
          [b, 550],
        ],
      )
    }),
    that('a new log is named by the writer of the backend', async ({ backend }) => {
      const transaction = backend.begin()
      const logs = [transaction.newLog(), transaction.newLog()]
      await transaction.commit()
      for (const log of [...logs, await newLog(backend)]) {
        assert.ok(isLogId(log))
        assert.equal(partsOfLogId(log)[0], backend.writer)
      }
    }),
    ...PACKINGS.map(([how, packing]) =>
      that(
        `records of other writers are kept under the names of their logs (${how})`,
        async ({ backend }) => {
          const own = await newLog(backend)
          const [, number] = partsOfLogId(own)
          // The same number under another writer is another log.
          const logs = [own, logId(OTHER_WRITER, number), logId(OTHER_WRITER, number + 1), OTHER_LOG]
          for (const [from, to] of [
            [0, 3],
            [3, 600],
          ] as const) {
            const transaction = backend.begin(packing)
            for (const log of logs)
              for (let i = from; i < to; i++)
                transaction.appendRecord(log, i, recordOf(`${log}: record ${i}`))
            await transaction.commit()
          }
          for (const log of logs) {
            const expected = listed(0, 600, `${log}: record`)
            assert.equal(await backend.logLength(log), 600)
            assert.deepEqual(await textsOf(backend, log, 0, 1000), expected)
            assert.deepEqual(await textsOf(backend, log, 598, 600), expected.slice(598))
          }
          const lengths = new Map(await all(backend.logs()))
          for (const log of logs) assert.equal(lengths.get(log), 600)
          assert.ok(!logs.includes(await newLog(backend)))
        },
      ),
    ),
    that('reading may stop anywhere', async ({ backend }) => {
      const log = await newLog(backend)
      await appendAll(backend, log, 0, texts(0, 1300), { bulk: true })
      for (const reverse of [false, true])
        for await (const { start, headers } of backend.readLog(log, { from: 0, to: 1300, reverse })) {
          assert.equal(reverse ? start + headers.length : start, reverse ? 1300 : 0)
          break
        }
    }),
    that('positions of a log are consecutive', async ({ backend }) => {
      const transaction = backend.begin()
      const log = transaction.newLog()
      transaction.appendRecord(log, 0, recordOf('first'))
      assert.throws(() => transaction.appendRecord(log, 2, recordOf('third')), RangeError)
      transaction.appendRecord(log, 1, recordOf('second'))
      await transaction.commit()
      assert.equal((await textsOf(backend, log, 0, 10)).length, 2)
    }),
    that('the length of a log counts its records, committed or not', async ({ backend }) => {
      const log = await newLog(backend)
      assert.equal(await backend.logLength(log), 0)
      await appendAll(backend, log, 0, texts(0, 100))
      assert.equal(await backend.logLength(log), 100)
      await appendAll(backend, log, 100, texts(100, 101))
      assert.equal(await backend.logLength(log), 101)
      assert.equal(await backend.logLength(OTHER_LOG), 0)
      const lost = backend.begin({ bulk: true })
      for (let i = 101; i < 2000; i++) {
        lost.appendRecord(log, i, recordOf(`lost ${i}`))
        if (i % 256 === 0) await lost.flush()
      }
      await lost.flush()
      lost.abandon()
      assert.equal(await backend.logLength(log), (await textsOf(backend, log, 0, 2000)).length)
      assert.deepEqual(await textsOf(backend, log, 0, 101), listed(0, 101))
    }),
    that('a refused transaction puts no record in the place of another', async ({ backend }) => {
      const log = await newLog(backend)
      const first = backend.begin()
      const second = backend.begin()
      for (const [word, transaction] of [
        ['kept', first],
        ['refused', second],
      ] as const) {
        transaction.appendRecord(log, 0, recordOf(`${word} 0`))
        transaction.moveRefs([moveOf('head', undefined, word)])
      }
      await first.commit()
      await assert.rejects(second.commit(), isConflict)
      assert.deepEqual(await textsOf(backend, log, 0, 1), listed(0, 1, 'kept'))
    }),
  ]
}

/** Checks that batches are not empty, follow each other, and have headers that agree with their records. */
async function checkBatches(
  backend: Backend,
  log: LogId,
  [from, to]: readonly [from: number, to: number],
  reverse: boolean,
): Promise<void> {
  const batches = await all(backend.readLog(log, { from, to, reverse }))
  if (reverse) batches.reverse()
  let next = from
  for (const { start, headers, records } of batches) {
    assert.equal(start, next)
    assert.ok(headers.length > 0)
    assert.deepEqual(records().map(headerOf), headers.map(headerOf))
    next = start + headers.length
  }
  assert.equal(next, Math.max(from, to))
}
