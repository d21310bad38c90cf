import assert from 'node:assert/strict'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json } from '../../../src/model/json.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import {
  addOne,
  addPath,
  all,
  canonical,
  type Law,
  law,
  newEntry,
  type Open,
  oidsOf,
  PACKINGS,
} from './law.ts'

const long = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length))

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** Bodies that a store may get wrong: large strings, encodings, and values that no JavaScript value holds. */
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

/** Laws of entries and the large strings in them. */
export function objectLaws(open: Open): Law[] {
  const that = law(open)
  const laws = PACKINGS.flatMap(([how, packing]) => [
    that(`bodies come back as they were (${how})`, async ({ backend }) => {
      const transaction = backend.begin(packing)
      const entries = await addPath(backend, transaction, BODIES)
      const check = async (): Promise<void> => {
        for (const [i, body] of BODIES.entries()) {
          const entry = entries[i] as EntryHandle
          assert.equal(canonical(await backend.body(entry)), canonical(body))
          assert.equal(Buffer.from(await backend.canonicalBody(entry)).toString('hex'), canonical(body))
        }
      }
      await check()
      await transaction.commit()
      await check()
      await backend.prefetch([])
      await backend.prefetch([...entries, ...entries])
      await check()
    }),
    that(`an entry is found at once and has the parts that it was given (${how})`, async ({ backend }) => {
      const transaction = backend.begin(packing)
      const path = await addPath(backend, transaction, ['one', 'two', 'three'])
      const [first, second, third] = path as [EntryHandle, EntryHandle, EntryHandle]
      const links = { firstKept: second, kept: [first, third], target: second }
      const sample = { body: { n: 4 }, type: 'pi/compaction', parents: [third], links, traits: 8 }
      const entry = await newEntry(backend, sample)
      const handle = transaction.addEntry(entry)
      const check = async (): Promise<void> => {
        assert.equal(await backend.find(entry.oid), handle)
        assert.equal(await backend.oid(handle), entry.oid)
        const { oid, type, parents, digest, traits, links: kept } = await backend.node(handle)
        assert.deepEqual([oid, type, parents], [entry.oid, entry.type, entry.parents])
        assert.deepEqual([digest, traits, kept], [entry.digest, 8, entry.links])
        assert.deepEqual((await backend.node(first)).links, {})
        assert.deepEqual((await backend.node(first)).parents, [])
      }
      await check()
      await transaction.commit()
      await check()
    }),
    that(`adding an entry again returns its handle and creates nothing (${how})`, async ({ backend }) => {
      const bodies = ['once', 'in between', 'twice']
      const first = backend.begin(packing)
      const entries = await addPath(backend, first, bodies)
      assert.deepEqual(await addPath(backend, first, bodies), entries)
      assert.deepEqual(first.created, { entries: 3, blobs: 0 })
      await first.commit()
      for (const [, other] of PACKINGS) {
        const second = backend.begin(other)
        assert.deepEqual(await addPath(backend, second, bodies), entries)
        assert.deepEqual(second.created, { entries: 0, blobs: 0 })
        await second.commit()
      }
      assert.equal((await all(backend.entries())).length, 3)
    }),
    that(`handles are equal exactly if they name the same entry (${how})`, async ({ backend }) => {
      const known = new Map<Oid, EntryHandle>()
      const tips: EntryHandle[] = []
      for (let i = 0; i < 6; i++) {
        const transaction = backend.begin(i % 2 === 0 ? packing : {})
        const bodies = numbers(150).map((n) => [i, n])
        const entries = await addPath(backend, transaction, bodies, tips.at(-2))
        for (const [n, oid] of (await oidsOf(backend, entries)).entries())
          known.set(oid, entries[n] as EntryHandle)
        tips.push(entries.at(-1) as EntryHandle)
        await transaction.commit()
      }
      assert.equal(known.size, 900)
      assert.equal(new Set(known.values()).size, 900)
      assert.deepEqual(new Set(await all(backend.entries())), new Set(known.values()))
      const many = await backend.findMany(known.keys())
      for (const [oid, entry] of known) {
        const node = await backend.node(entry)
        assert.deepEqual([node.handle, node.oid, many.get(oid)], [entry, oid, entry])
        assert.equal(await backend.find(oid), entry)
        for (const parent of node.parents) assert.equal(known.get(await backend.oid(parent)), parent)
      }
    }),
    that(`the order of an entry is larger than that of its ancestors (${how})`, async ({ backend }) => {
      const tips: EntryHandle[] = []
      for (let i = 0; i < 6; i++) {
        const transaction = backend.begin(i % 2 === 0 ? packing : {})
        tips.push(await addOne(backend, transaction, { body: i, parents: tips.slice(-2) }))
        const bodies = numbers(300).map((n) => [i, n])
        await addPath(backend, transaction, bodies, tips.at(-1))
        await transaction.commit()
      }
      const orders = new Set<number>()
      for (const entry of await all(backend.entries())) {
        const { order, parents } = await backend.node(entry)
        orders.add(order)
        for (const parent of parents) assert.ok((await backend.node(parent)).order < order)
      }
      assert.equal(orders.size, 6 * 301)
    }),
    that(`a large string is stored once at most, wherever it recurs (${how})`, async ({ backend }) => {
      const text = long('the same file again\n', 6000)
      const transaction = backend.begin(packing)
      await addPath(backend, transaction, [text, { text }, [[text]]])
      const { blobs } = transaction.created
      assert.ok(blobs <= 1)
      await transaction.commit()
      const again = backend.begin(packing)
      await addPath(backend, again, [{ other: text }])
      assert.equal(again.created.blobs, 0)
      await again.commit()
      assert.equal((await backend.sizes()).blobs, blobs)
    }),
  ])
  return [
    ...laws,
    that('an entry that is not there is not found', async ({ backend }) => {
      const none = '0'.repeat(64) as Oid
      assert.equal(await backend.find(none), undefined)
      assert.equal((await backend.findMany([none])).size, 0)
      assert.deepEqual(await all(backend.entries()), [])
      assert.deepEqual(await backend.sizes(), { entries: 0, blobs: 0 })
    }),
    that('the bytes of a blob come back', async ({ backend }) => {
      const pieces = [new Uint8Array(0), Uint8Array.of(0, 255, 10), new Uint8Array(5000).fill(7)]
      const transaction = backend.begin()
      const blobs = pieces.map((bytes) => transaction.putBlob(bytes))
      await transaction.commit()
      for (const [i, blob] of blobs.entries())
        assert.deepEqual(Buffer.from(await backend.readBlob(blob)), Buffer.from(pieces[i] as Uint8Array))
    }),
    that('every entry is listed and counted once, parents first', async ({ backend }) => {
      const bulk = backend.begin({ bulk: true })
      const packed = await addPath(backend, bulk, numbers(600))
      await bulk.commit()
      const single = backend.begin()
      const appended = await addPath(backend, single, ['a', 'b'], packed[300])
      await single.commit()
      const entries = await all(backend.entries())
      assert.equal(entries.length, 602)
      assert.deepEqual(new Set(entries), new Set([...packed, ...appended]))
      const listed = new Set<EntryHandle>()
      for (const entry of entries) {
        for (const parent of (await backend.node(entry)).parents) assert.ok(listed.has(parent))
        listed.add(entry)
      }
      assert.equal((await backend.sizes()).entries, 602)
    }),
    that('the entries after one are those that are listed after it', async ({ backend }) => {
      for (const [how, packing] of PACKINGS) {
        const transaction = backend.begin(packing)
        await addPath(
          backend,
          transaction,
          numbers(300).map((n) => [how, n]),
        )
        await transaction.commit()
      }
      const entries = await all(backend.entries())
      for (const at of [0, 1, 255, 256, 299, 300, 598, 599])
        assert.deepEqual(await all(backend.entries(entries[at])), entries.slice(at + 1))
      const more = backend.begin()
      const added = await addPath(backend, more, ['more', 'and more'], entries[7])
      await more.commit()
      assert.deepEqual(await all(backend.entries(entries.at(-1))), added)
    }),
    that('entries are found by the first digits of their oids', async ({ backend }) => {
      if (!backend.capabilities.prefixes) return false
      const transaction = backend.begin({ bulk: true })
      const entries = await addPath(backend, transaction, numbers(2000))
      const oids = await oidsOf(backend, entries)
      const sorted = oids.toSorted()
      const shared = sorted.find((oid, i) => sorted[i + 1]?.startsWith(oid.slice(0, 4))) as Oid
      const check = async (): Promise<void> => {
        for (const oid of oids.slice(0, 20))
          for (const digits of [12, 13, 16, 17, 40, 63, 64])
            assert.deepEqual(await backend.findByPrefix(oid.slice(0, digits), 5), [oid])
        for (const prefix of [shared.slice(0, 4), shared.slice(0, 5), 'ffffffff'])
          assert.deepEqual(
            (await backend.findByPrefix(prefix, 1000)).toSorted(),
            sorted.filter((oid) => oid.startsWith(prefix)),
          )
        assert.equal((await backend.findByPrefix(shared.slice(0, 4), 1)).length, 1)
      }
      await check()
      await transaction.commit()
      await check()
      return true
    }),
    that('many entries are found in ascending order, without those that are missing', async ({ backend }) => {
      const transaction = backend.begin({ bulk: true })
      const entries = await addPath(backend, transaction, numbers(2000))
      const oids = await oidsOf(backend, entries)
      const sorted = oids.toSorted()
      const check = async (): Promise<void> => {
        const found = await backend.findMany([...sorted, 'f'.repeat(64) as Oid, sorted[3] as Oid])
        assert.deepEqual([...found.values()], entries)
        assert.deepEqual([...found.keys()], oids)
      }
      await check()
      await transaction.commit()
      await check()
    }),
    that('entries of an abandoned transaction can be added again', async ({ backend }) => {
      for (const [how, packing] of PACKINGS) {
        const bodies = [how, 'added twice', long('and at length ', 3000)]
        const lost = backend.begin(packing)
        await addPath(backend, lost, bodies)
        lost.abandon()
        const kept = backend.begin(packing)
        const entries = await addPath(backend, kept, bodies)
        await kept.commit()
        for (const [i, entry] of entries.entries())
          assert.equal(canonical(await backend.body(entry)), canonical(bodies[i] as Json))
        const listed = await all(backend.entries())
        assert.ok(entries.every((entry) => listed.includes(entry)))
      }
    }),
    that('a sound store has nothing to report', async ({ backend }) => {
      for (const [how, packing] of PACKINGS) {
        const transaction = backend.begin(packing)
        await addPath(backend, transaction, [...BODIES, how])
        transaction.putBlob(new Uint8Array(3000).fill(1))
        await transaction.commit()
      }
      assert.deepEqual(await all(backend.verify()), [])
    }),
  ]
}
