import assert from 'node:assert/strict'
import { type Json, jsonText, Verbatim } from '../../../src/model/json.ts'
import type { Oid } from '../../../src/model/oid.ts'
import { Utf8Room } from '../../../src/model/utf8room.ts'
import type { Backend } from '../../../src/storage/backend.ts'
import { NO_ROW, type Row, type StoredEnvelope } from '../../../src/storage/record.ts'
import { all, canonical, entryOf, type Law, law, type Open, oidsAt, say, sayPath } from './law.ts'

const long = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length))

/** Bodies that a store may get wrong: what is kept as a blob, in which form, and what no JavaScript value holds. */
const BODIES: readonly Json[] = [
  null,
  '',
  [],
  {},
  0,
  -1.5,
  2 ** 40,
  true,
  'a word 😀 \u0000 \ufeff',
  { role: 'user', content: 'hello' },
  { b: 1, a: [2, { d: null, c: false }] },
  long('tool output, line by line\n', 5000),
  long('ü😀', 3000),
  `\ufeff${long('after a byte order mark ', 2000)}`,
  Buffer.from(long('bytes', 3000)).toString('base64'),
  Buffer.from(long('not padded', 3001)).toString('base64').slice(0, -3),
  `data:image/png;base64,${Buffer.from(long('image', 3000)).toString('base64')}`,
  `data:image/png;base64,${long('AAAB', 3000)}=`,
  { nested: [{ text: long('deep', 2000) }, long('deep', 2000), 'short'] },
  new Verbatim('{"a":1,"a":2}'),
  { id: new Verbatim('1e400'), zero: new Verbatim('-0'), text: long('beside it', 2000) },
  [new Verbatim(`{"__proto__":"${long('x', 2000)}"}`)],
]

/** Gives what `addFilled` adds. */
async function addedText(backend: Backend, row: Row, envelope: StoredEnvelope): Promise<string> {
  const room = new Utf8Room()
  await backend.addFilled(room, row, envelope)
  return Buffer.from(room.take()).toString()
}

/** What holds of entries and the large strings in them. */
export function objectLaws(open: Open): Law[] {
  const that = law(open)
  const laws = [false, true].flatMap((bulk) => {
    const how = bulk ? 'in bulk' : 'one by one'
    return [
      that(`bodies come back as they were (${how})`, async ({ backend }) => {
        const transaction = backend.begin({ bulk })
        const rows = await sayPath(backend, transaction, BODIES)
        const check = async (): Promise<void> => {
          for (const [i, body] of BODIES.entries())
            assert.equal(canonical(await backend.body(rows[i] as number)), canonical(body))
        }
        await check()
        await transaction.commit()
        await check()
        await backend.fetch([...rows, 2 ** 40])
        await check()
      }),
      that(`the text of a record is that of its value (${how})`, async ({ backend }) => {
        const transaction = backend.begin({ bulk })
        const rows = await sayPath(backend, transaction, BODIES)
        const check = async (): Promise<void> => {
          for (const [i, body] of BODIES.entries()) {
            const row = rows[i] as number
            assert.equal(await addedText(backend, row, { shape: '0', values: [] }), jsonText(body))
            const around = { shape: '@[["in"],{"a":1,"in":0}]', values: [{ b: body }] }
            assert.equal(await addedText(backend, row, around), jsonText({ a: { b: body }, in: body }))
          }
        }
        await check()
        await transaction.commit()
        await check()
        const none = { shape: '{"a":1}', values: ['no body'] }
        assert.equal(await addedText(backend, NO_ROW, none), '{"a":"no body"}')
        const other = { shape: '{"a":0}', values: [] }
        for (const row of [rows[1] as number, NO_ROW])
          await assert.rejects(async () => addedText(backend, row, other), { code: 'corrupt' })
      }),
      that(
        `an entry is found by its oid at once, and gives back what it is (${how})`,
        async ({ backend }) => {
          const transaction = backend.begin({ bulk })
          const [first, second, third] = await sayPath(backend, transaction, ['one', 'two', 'three'])
          const links = { firstKept: second as number, kept: [first as number, third as number] }
          const saying = {
            body: { n: 4 },
            type: 'pi/compaction',
            parents: [third as number],
            links,
            traits: 8,
          }
          const entry = await entryOf(backend, { ...saying, links: { ...links, target: second as number } })
          const row = transaction.add(entry)
          const check = async (): Promise<void> => {
            assert.equal(await backend.find(entry.oid), row)
            assert.equal(await backend.oid(row), entry.oid)
            const { type, parents, digest, traits, links: kept } = await backend.node(row)
            assert.deepEqual([type, parents, digest, traits], [entry.type, entry.parents, entry.digest, 8])
            assert.deepEqual(kept, entry.links)
            assert.ok([undefined, entry.digest].includes(await backend.digest(row)))
          }
          await check()
          await transaction.commit()
          await check()
        },
      ),
      that(`adding an entry again gives its row and creates nothing (${how})`, async ({ backend }) => {
        const bodies = ['once', long('large ', 4000), 'twice']
        const first = backend.begin({ bulk })
        const rows = await sayPath(backend, first, bodies)
        assert.deepEqual(await sayPath(backend, first, bodies), rows)
        assert.deepEqual(first.created, { entries: 3, blobs: 1 })
        await first.commit()
        const second = backend.begin({ bulk: !bulk })
        assert.deepEqual(await sayPath(backend, second, bodies), rows)
        assert.deepEqual(second.created, { entries: 0, blobs: 0 })
        await second.commit()
        assert.equal((await all(backend.rows())).length, 3)
      }),
      that(`parents have smaller rows than their children (${how})`, async ({ backend }) => {
        const tips: number[] = []
        for (let i = 0; i < 6; i++) {
          const transaction = backend.begin({ bulk: bulk && i % 2 === 0 })
          const parents = tips.slice(-2)
          tips.push(await say(backend, transaction, { body: i, parents }))
          assert.ok(parents.every((parent) => parent < (tips.at(-1) as number)))
          await sayPath(
            backend,
            transaction,
            Array.from({ length: 300 }, (_, n) => [i, n]),
            tips.at(-1),
          )
          await transaction.commit()
        }
        for (const row of await all(backend.rows()))
          for (const parent of (await backend.node(row)).parents) assert.ok(parent < row)
      }),
      that(`a large string is kept once wherever it recurs (${how})`, async ({ backend }) => {
        const text = long('the same file again\n', 6000)
        const transaction = backend.begin({ bulk })
        await sayPath(backend, transaction, [text, { text }, [[text]]])
        await transaction.commit()
        const again = backend.begin({ bulk })
        await sayPath(backend, again, [{ other: text }])
        await again.commit()
        assert.equal((await backend.sizes()).blobs, 1)
      }),
    ]
  })
  return [
    ...laws,
    that('what is not there is not found', async ({ backend }) => {
      assert.equal(await backend.find('0'.repeat(64) as Oid), undefined)
      assert.deepEqual(await all(backend.rows()), [])
      assert.deepEqual(await backend.sizes(), { entries: 0, blobs: 0 })
    }),
    that('bytes that are kept come back', async ({ backend }) => {
      const pieces = [new Uint8Array(0), Uint8Array.of(0, 255, 10), new Uint8Array(5000).fill(7)]
      const transaction = backend.begin()
      const places = pieces.map((bytes) => transaction.keepBytes(bytes))
      await transaction.commit()
      for (const [i, place] of places.entries())
        assert.deepEqual(Buffer.from(await backend.bytes(place)), Buffer.from(pieces[i] as Uint8Array))
    }),
    that('every entry is listed and counted once', async ({ backend }) => {
      const bulk = backend.begin({ bulk: true })
      const packed = await sayPath(
        backend,
        bulk,
        Array.from({ length: 600 }, (_, n) => n),
      )
      await bulk.commit()
      const single = backend.begin()
      const loose = await sayPath(backend, single, ['a', 'b'], packed[300])
      await single.commit()
      const rows = await all(backend.rows())
      assert.deepEqual(
        rows.toSorted((a, b) => a - b),
        [...packed, ...loose],
      )
      assert.equal((await backend.sizes()).entries, 602)
    }),
    that('entries are found by the first digits of their oids', async ({ backend }) => {
      if (!backend.can.prefixes) return false
      const transaction = backend.begin({ bulk: true })
      const rows = await sayPath(
        backend,
        transaction,
        Array.from({ length: 2000 }, (_, n) => n),
      )
      const oids = await oidsAt(backend, rows)
      const first = oids.toSorted()
      const none = 'f'.repeat(64) as Oid
      const shared = first.find((oid, i) => first[i + 1]?.startsWith(oid.slice(0, 4))) as Oid
      const check = async (): Promise<void> => {
        for (const oid of oids.slice(0, 20))
          for (const digits of [12, 13, 16, 17, 40, 63, 64])
            assert.deepEqual(await backend.findPrefix(oid.slice(0, digits), 5), [oid])
        for (const prefix of [shared.slice(0, 4), shared.slice(0, 5), 'ffffffff'])
          assert.deepEqual(
            (await backend.findPrefix(prefix, 1000)).toSorted(),
            first.filter((oid) => oid.startsWith(prefix)),
          )
        assert.equal((await backend.findPrefix(shared.slice(0, 4), 1)).length, 1)
        const found = await backend.findAll([...first, none, shared])
        assert.deepEqual([...found.values()], rows)
        assert.deepEqual([...found.keys()], oids)
      }
      await check()
      await transaction.commit()
      await check()
      return true
    }),
    that('the shortest digits that name an entry name no other', async ({ backend }) => {
      if (!backend.can.prefixes) return false
      const transaction = backend.begin({ bulk: true })
      const bodies = Array.from({ length: 2000 }, (_, n) => n)
      const oids = await oidsAt(backend, await sayPath(backend, transaction, bodies))
      await transaction.commit()
      let longer = 0
      for (const oid of oids) {
        const digits = await backend.shortest(oid)
        const sharing = (count: number): number =>
          oids.filter((other) => other.startsWith(oid.slice(0, count))).length
        assert.ok(digits >= 4)
        assert.equal(sharing(digits), 1)
        if (digits > 4) assert.ok(sharing(digits - 1) > 1)
        if (digits > 4) longer++
      }
      assert.ok(longer > 0)
      return true
    }),
    that('what a transaction left uncommitted can be added again', async ({ backend }) => {
      for (const bulk of [true, false]) {
        const bodies = [bulk, 'said twice', long('and at length ', 3000)]
        const lost = backend.begin({ bulk })
        await sayPath(backend, lost, bodies)
        lost.abandon()
        const kept = backend.begin({ bulk })
        const rows = await sayPath(backend, kept, bodies)
        await kept.commit()
        for (const [i, row] of rows.entries())
          assert.equal(canonical(await backend.body(row)), canonical(bodies[i] as Json))
        const listed = await all(backend.rows())
        assert.ok(rows.every((row) => listed.includes(row)))
      }
    }),
  ]
}
