import assert from 'node:assert/strict'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import {
  addPath,
  all,
  appendAll,
  canonical,
  type Law,
  law,
  moveOf,
  type Open,
  oidsOf,
  recordOf,
  refName,
  textsOf,
} from './law.ts'

/** Laws of a durable backend that was closed and opened again. */
export function durabilityLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('committed data is there when it is opened again', async ({ backend, reopen }) => {
      if (!backend.capabilities.durable) return false
      const bodies = Array.from({ length: 700 }, (_, n) => (n % 100 === 0 ? `${n} `.repeat(2000) : { n }))
      const bulk = backend.begin({ bulk: true })
      const log = bulk.newLog()
      const entries = await addPath(backend, bulk, bodies)
      for (const [i, entry] of entries.entries()) bulk.appendRecord(log, i, recordOf(`record ${i}`, entry))
      const moves = [moveOf('main', undefined, await backend.oid(entries.at(-1) as EntryHandle))]
      bulk.moveRefs(moves)
      bulk.noteSource('/path', { log })
      bulk.index.cover('s', { entries, time: 5, names: ['a title'] })
      bulk.addOperation((number) => ({
        number,
        id: 'f'.repeat(32),
        time: 1,
        who: 'w',
        actor: 'person',
        command: 'c',
        moves,
      }))
      await bulk.commit()
      await appendAll(backend, log, 700, ['one more'])
      const oids = await oidsOf(backend, entries)
      const again = await reopen()
      for (const [i, body] of bodies.entries()) {
        const entry = await again.find(oids[i] as Oid)
        assert.notEqual(entry, undefined)
        assert.equal(canonical(await again.body(entry as EntryHandle)), canonical(body))
      }
      assert.deepEqual(await oidsOf(again, await all(again.entries())), oids)
      assert.equal(await again.ref(refName('main')), oids.at(-1))
      assert.deepEqual(await again.cache.source('/path'), { log })
      assert.deepEqual((await again.operation(1))?.moves, moves)
      const { latest, commits } = await again.operationLog()
      assert.deepEqual([latest, commits], [1, 1])
      assert.equal(await again.logLength(log), 701)
      const read = await textsOf(again, log, 0, 1000)
      assert.deepEqual(read.slice(698), [
        [698, 'record 698'],
        [699, 'record 699'],
        [700, 'one more'],
      ])
      assert.equal(read.length, 701)
      const covered = await again.index.session('s')
      assert.deepEqual([covered?.id, covered?.time, covered?.names], ['s', 5, ['a title']])
      for (const oid of oids) assert.ok(covered?.mayReach((await again.find(oid)) as EntryHandle))
      return true
    }),
    that('numbers of logs are not used again when it is opened again', async ({ backend, reopen }) => {
      if (!backend.capabilities.durable) return false
      const lost = backend.begin()
      await addPath(backend, lost, ['lost'])
      const log = lost.newLog()
      for (let i = 0; i < 600; i++) lost.appendRecord(log, i, recordOf(`lost ${i}`))
      lost.abandon()
      await all(backend.refs(''))
      const again = await reopen()
      const transaction = again.begin()
      const next = transaction.newLog()
      const [entry] = (await addPath(again, transaction, ['another'])) as [EntryHandle]
      transaction.appendRecord(next, 0, recordOf('kept', entry))
      await transaction.commit()
      assert.notEqual(next, log)
      assert.deepEqual(await textsOf(again, next, 0, 1000), [[0, 'kept']])
      assert.equal(await again.body(entry), 'another')
      return true
    }),
    that('uncommitted changes are not there when it is opened again', async ({ backend, reopen }) => {
      if (!backend.capabilities.durable) return false
      const lost = backend.begin({ bulk: true })
      lost.moveRefs([moveOf('a', undefined, '1')])
      lost.noteSource('/path', {})
      for (let i = 0; i < 40; i++) {
        await addPath(backend, lost, [Buffer.from(`${i} `.repeat(100_000)).toString('base64')])
        await lost.flush()
      }
      const again = await reopen()
      assert.deepEqual(await all(again.refs('')), [])
      assert.equal(await again.cache.source('/path'), undefined)
      assert.equal((await again.operationLog()).latest, 0)
      assert.deepEqual(await all(again.verify()), [])
      return true
    }),
  ]
}
