import assert from 'node:assert/strict'
import {
  all,
  appendAll,
  canonical,
  type Law,
  law,
  moveOf,
  type Open,
  oidsAt,
  recordOf,
  refName,
  sayPath,
  textsOf,
} from './law.ts'

/** What holds of a durable backend that was closed and opened again. */
export function durabilityLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('what was committed is there when it is opened again', async ({ backend, reopen }) => {
      if (!backend.can.durable) return false
      const bodies = Array.from({ length: 700 }, (_, n) => (n % 100 === 0 ? `${n} `.repeat(2000) : { n }))
      const bulk = backend.begin({ bulk: true })
      const log = bulk.newLog()
      const rows = await sayPath(backend, bulk, bodies)
      bodies.forEach((_, i) => bulk.record(log, i, recordOf(`record ${i}`, rows[i])))
      const moves = [moveOf('main', undefined, await backend.oid(rows.at(-1) as number))]
      bulk.move(moves)
      bulk.note('/path', { log })
      bulk.operation((number) => ({ number, id: 'f'.repeat(32), time: 1, who: 'w', command: 'c', moves }))
      await bulk.commit()
      await appendAll(backend, log, 700, ['one more'])
      const oids = await oidsAt(backend, rows)
      const again = await reopen()
      for (const [i, row] of rows.entries()) {
        assert.equal(await again.find(oids[i] as (typeof oids)[0]), row)
        assert.equal(canonical(await again.body(row)), canonical(bodies[i] as (typeof bodies)[0]))
      }
      assert.equal(await again.ref(refName('main')), oids.at(-1))
      assert.deepEqual(await again.noted('/path'), { log })
      assert.deepEqual((await again.operation(1))?.moves, moves)
      assert.equal(await again.lastOperation(), 1)
      assert.equal(await again.commits(), 1)
      const read = await textsOf(again, again.records(log, 0, 1000))
      assert.deepEqual(read.slice(698), [
        [698, 'record 698'],
        [699, 'record 699'],
        [700, 'one more'],
      ])
      assert.equal(read.length, 701)
      return true
    }),
    that('numbers are not given again when it is opened again', async ({ backend, reopen }) => {
      if (!backend.can.durable) return false
      const lost = backend.begin()
      const [row = 0] = await sayPath(backend, lost, ['lost'])
      const log = lost.newLog()
      for (let i = 0; i < 600; i++) lost.record(log, i, recordOf(`lost ${i}`))
      lost.abandon()
      await all(backend.refs(''))
      const again = await reopen()
      const transaction = again.begin()
      const next = transaction.newLog()
      const [other] = await sayPath(again, transaction, ['another'])
      transaction.record(next, 0, recordOf('kept'))
      await transaction.commit()
      assert.notEqual(next, log)
      assert.notEqual(other, row)
      assert.deepEqual(await textsOf(again, again.records(next, 0, 1000)), [[0, 'kept']])
      return true
    }),
    that('what was not committed is not there when it is opened again', async ({ backend, reopen }) => {
      if (!backend.can.durable) return false
      const lost = backend.begin({ bulk: true })
      lost.move([moveOf('a', undefined, '1')])
      lost.note('/path', {})
      for (let i = 0; i < 40; i++) {
        await sayPath(backend, lost, [Buffer.from(`${i} `.repeat(100_000)).toString('base64')])
        await lost.relax()
      }
      const again = await reopen()
      assert.deepEqual(await all(again.refs('')), [])
      assert.equal(await again.noted('/path'), undefined)
      assert.equal(await again.lastOperation(), 0)
      assert.deepEqual(await all(again.verify()), [])
      return true
    }),
  ]
}
