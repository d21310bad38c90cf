import assert from 'node:assert/strict'
import type { EntryHandle, Node } from '../../../src/model/node.ts'
import { type EntryText, PLACES } from '../../../src/model/search/entrytext.ts'
import type { CoveredSession, WantedPieces } from '../../../src/model/search/searchindex.ts'
import { demandsOf, folded } from '../../../src/model/search/words.ts'
import type { Backend, Transaction } from '../../../src/storage/backend.ts'
import { addOne, addPath, all, type Law, law, type Open } from './law.ts'

/** Enough entries that any backend indexes most of them. */
const MANY = 1500

const WORDS = ['Tide table', 'no-thing', 'moon42', 'x'.repeat(40), '潮汐', 'ΣΊΣΥΦΟΣ', 'the TABLES turn']
const WANTED = ['tide', 'able', 'nothing', 'no-thing', 'on4', 'xxxxx', '潮', 'σίσυφος', 'ab', 'absent']

const wantedOf = (...texts: readonly string[]): WantedPieces => texts.map((text) => [demandsOf(folded(text))])

/** Returns what the entry with a number says, in one of the places. */
const saidBy = (n: number): EntryText[] => [
  { place: PLACES[n % PLACES.length] as EntryText['place'], text: `entry ${n}: ${WORDS[n % WORDS.length]}` },
]

/** A history of one path with numbered entries, of which each session reaches some. */
class History {
  readonly entries: EntryHandle[] = []
  readonly #backend: Backend

  constructor(backend: Backend) {
    this.#backend = backend
  }

  /** Adds entries to the path without their words. */
  async add(transaction: Transaction, count: number): Promise<EntryHandle[]> {
    const { length } = this.entries
    const bodies = Array.from({ length: count }, (_, i) => length + i)
    const added = await addPath(this.#backend, transaction, bodies, this.entries.at(-1))
    this.entries.push(...added)
    return added
  }

  /** Returns what an entry says, by its body, as an update asks for it. */
  readonly read = async ({ handle }: Node): Promise<EntryText[]> =>
    saidBy((await this.#backend.body(handle)) as number)

  /** Adds entries in a transaction of their own and covers them by a session. */
  async commit(session: string, count: number, indexed: boolean): Promise<EntryHandle[]> {
    const transaction = this.#backend.begin({ bulk: indexed })
    const from = this.entries.length
    const added = await this.add(transaction, count)
    if (indexed) for (const [i, entry] of added.entries()) transaction.index.add(entry, saidBy(from + i))
    transaction.index.cover(session, { entries: added })
    if (indexed) await transaction.index.update(this.read)
    await transaction.commit()
    return added
  }

  /** Checks that a session's candidates have each of its entries that says some words, with the place. */
  async check(session: string, reached: readonly EntryHandle[]): Promise<void> {
    const covered = (await this.#backend.index.session(session)) as CoveredSession
    for (const text of WANTED) {
      const bits = await this.#candidates(covered, wantedOf(text))
      for (const entry of reached)
        for (const said of saidBy(this.entries.indexOf(entry)))
          if (folded(said.text).includes(text))
            assert.ok((bits.get(entry) ?? 0) & (1 << PLACES.indexOf(said.place)), `${said.text}: ${text}`)
    }
    const both = await this.#candidates(covered, wantedOf('entry', 'tide'))
    for (const entry of reached)
      if (this.entries.indexOf(entry) % WORDS.length === 0) assert.ok(both.get(entry))
    const unwanted = await this.#candidates(covered, [])
    for (const entry of reached) assert.ok(unwanted.has(entry))
  }

  /** Returns the places of a session's candidates, and checks their order. */
  async #candidates(covered: CoveredSession, wanted: WantedPieces): Promise<Map<EntryHandle, number>> {
    const found = new Map<EntryHandle, number>()
    const candidates = await this.#backend.index.lookup(wanted)
    const anywhere = 1 << PLACES.length
    let last = Number.POSITIVE_INFINITY
    for (const group of candidates.groups(covered.id)) {
      const { places } = group
      assert.ok(places > 0 && places < 2 * anywhere)
      for await (const entry of group.entries()) {
        const { order } = await this.#backend.node(entry)
        assert.ok(order < last, 'the newest first, each once')
        last = order
        assert.ok(covered.mayReach(entry))
        // Where all is said in one place, it is said somewhere.
        assert.ok(places & anywhere)
        found.set(entry, places)
      }
    }
    return found
  }
}

/** Changes the index in a transaction of its own. */
async function change(backend: Backend, work: (index: Transaction['index']) => unknown): Promise<void> {
  const transaction = backend.begin()
  await work(transaction.index)
  await transaction.commit()
}

const sessionOf = async (backend: Backend, id: string): Promise<CoveredSession> => {
  const found = await backend.index.session(id)
  assert.ok(found, `session ${id} is known`)
  return found
}

async function expectReached(
  backend: Backend,
  id: string,
  entries: readonly (EntryHandle | undefined)[],
): Promise<void> {
  const session = await sessionOf(backend, id)
  for (const entry of entries) assert.ok(session.mayReach(entry as EntryHandle))
  assert.ok(session.size >= entries.length)
}

/** Laws of what the search index knows of sessions. */
export function coverageLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('a session reaches the entries that it covers', async ({ backend }) => {
      const history = new History(backend)
      const transaction = backend.begin()
      const entries = await history.add(transaction, 20)
      const some = entries.filter((_, i) => i % 3 === 0)
      transaction.index.cover('a/ü', { entries: some, time: 7, names: ['one', 'two'] })
      assert.equal(await backend.index.session('a/ü'), undefined)
      await transaction.commit()
      await expectReached(backend, 'a/ü', some)
      const { id, time, names } = await sessionOf(backend, 'a/ü')
      assert.deepEqual([id, time, names], ['a/ü', 7, ['one', 'two']])
      assert.equal(await backend.index.session('a'), undefined)
    }),
    that('a session reaches the paths that it covers, merges included', async ({ backend }) => {
      const transaction = backend.begin()
      const [, fork] = await addPath(backend, transaction, ['other root', 'fork'])
      const left = await addPath(backend, transaction, ['root', 'left', 'more'])
      const right = await addPath(backend, transaction, ['right'], fork)
      const tips = [left.at(-1), right.at(-1)] as EntryHandle[]
      const merge = await addOne(backend, transaction, { body: 'merge', parents: tips })
      const path = await addPath(backend, transaction, ['after'], merge)
      await transaction.commit()
      await change(backend, (index) => {
        index.cover('left', { paths: left.slice(-1) })
        index.cover('merge', { paths: path })
      })
      await expectReached(backend, 'left', left)
      await expectReached(backend, 'merge', await all(backend.entries()))
    }),
    that('a session reaches what it takes from another, up to an entry', async ({ backend }) => {
      const history = new History(backend)
      const transaction = backend.begin()
      const entries = await history.add(transaction, 400)
      transaction.index.cover('a', { entries: entries.slice(100, 300) })
      await transaction.commit()
      await change(backend, (index) => {
        index.cover('a', { entries: entries.slice(300, 310) })
        index.cover('b', { session: { id: 'a', upTo: entries[305] as EntryHandle } })
      })
      await expectReached(backend, 'b', entries.slice(100, 306))
      const { size } = await sessionOf(backend, 'b')
      assert.ok(size <= (await sessionOf(backend, 'a')).size)
    }),
    that('coverage grows, and an unknown time changes nothing', async ({ backend }) => {
      const history = new History(backend)
      const transaction = backend.begin()
      const entries = await history.add(transaction, 15)
      await transaction.commit()
      for (const [from, time, name] of [
        [0, 5, 'one'],
        [10, null, 'two'],
        [5, 9, 'one'],
      ] as const)
        await change(backend, (index) =>
          index.cover('a', { entries: entries.slice(from, from + 5), time, names: [name] }),
        )
      await change(backend, (index) => index.cover('a', {}))
      await expectReached(backend, 'a', entries)
      const { time, names } = await sessionOf(backend, 'a')
      assert.deepEqual([time, names], [9, ['one', 'two']])
    }),
    that('sessions are listed in the order of their first entries', async ({ backend }) => {
      const history = new History(backend)
      const transaction = backend.begin()
      const entries = await history.add(transaction, 30)
      await transaction.commit()
      for (const [session, from] of [
        ['b', 20],
        ['c', 0],
        ['a', 10],
        ['b', 25],
      ] as const)
        await change(backend, (index) => index.cover(session, { entries: entries.slice(from, from + 5) }))
      assert.deepEqual(
        (await backend.index.sessions()).map(({ id }) => id),
        ['c', 'a', 'b'],
      )
      for (const covered of await backend.index.sessions()) {
        const { size, time, names } = await sessionOf(backend, covered.id)
        assert.deepEqual([covered.size, covered.time, covered.names], [size, time, names])
      }
    }),
  ]
}

/** Laws of where words are said. */
export function wordLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('every entry that says wanted words is a candidate, indexed or waiting', async ({ backend }) => {
      const history = new History(backend)
      const [a, b]: EntryHandle[][] = [[], []]
      a?.push(...(await history.commit('a', MANY, true)))
      b?.push(...(await history.commit('b', 300, false)))
      a?.push(...(await history.commit('a', 40, false)))
      for (const [session, entries] of [
        ['a', a],
        ['b', b],
      ] as const)
        await history.check(session, entries as EntryHandle[])
      b?.push(...(await history.commit('b', MANY, true)))
      await history.check('a', a as EntryHandle[])
      await history.check('b', b as EntryHandle[])
      const candidates = await backend.index.lookup(wantedOf('tide'))
      assert.deepEqual([...candidates.groups('unknown')], [])
    }),
    that('a candidate is found by each session that reaches it, in the same group', async ({ backend }) => {
      const history = new History(backend)
      const entries = await history.commit('a', MANY, true)
      await change(backend, (index) => index.cover('b', { entries }))
      await history.check('b', entries)
      const candidates = await backend.index.lookup(wantedOf('tide'))
      const idsOf = (session: string): number[] => [...candidates.groups(session)].map(({ id }) => id)
      assert.deepEqual(idsOf('b'), idsOf('a'))
      assert.equal(new Set(idsOf('a')).size, idsOf('a').length)
    }),
    that('entries wait until an update, which reads those of earlier transactions', async ({ backend }) => {
      const history = new History(backend)
      assert.equal(backend.index.waiting(), 0)
      const entries = await history.commit('a', MANY, false)
      const before = backend.index.waiting()
      assert.ok(before >= MANY)
      const read = new Set<EntryHandle>()
      const transaction = backend.begin()
      const added = await history.add(transaction, 10)
      for (const [i, entry] of added.entries()) transaction.index.add(entry, saidBy(MANY + i))
      assert.ok(transaction.index.waiting >= before + 10)
      await transaction.index.update((node) => {
        read.add(node.handle)
        return history.read(node)
      })
      const { waiting } = transaction.index
      assert.ok(waiting < before)
      assert.equal(added.filter((entry) => read.has(entry)).length, 0)
      assert.ok(read.size >= MANY - waiting)
      assert.ok(backend.index.waiting() >= before)
      transaction.index.cover('a', { entries: added })
      await transaction.commit()
      assert.equal(backend.index.waiting(), waiting)
      await history.check('a', [...entries, ...added])
    }),
    that('an update indexes no more entries than it may', async ({ backend }) => {
      const history = new History(backend)
      const entries = await history.commit('a', MANY, false)
      for (let waiting = backend.index.waiting(), i = 0; i < 2; i++) {
        await change(backend, (index) => index.update(history.read, 600))
        const now = backend.index.waiting()
        assert.ok(now >= waiting - 600 && now < waiting, `${now} after ${waiting}`)
        waiting = now
        await history.check('a', entries)
      }
    }),
    that('an abandoned update changes nothing', async ({ backend }) => {
      const history = new History(backend)
      const entries = await history.commit('a', MANY, true)
      const [before, known] = [backend.index.waiting(), await sessionOf(backend, 'a')]
      const transaction = backend.begin()
      const lost = await addPath(
        backend,
        transaction,
        Array.from({ length: MANY }, (_, n) => `lost ${n}`),
      )
      for (const entry of lost) transaction.index.add(entry, [{ place: 'prompt', text: 'lost' }])
      transaction.index.cover('a', { entries: lost, time: 99, names: ['lost'] })
      transaction.index.cover('lost', { entries: lost })
      await transaction.index.update(() => Promise.resolve([]))
      transaction.abandon()
      assert.ok(backend.index.waiting() >= before)
      const { time, names, size } = await sessionOf(backend, 'a')
      assert.deepEqual([time, names, size], [known.time, known.names, known.size])
      assert.equal(await backend.index.session('lost'), undefined)
      await history.check('a', entries)
      await history.check('a', [...entries, ...(await history.commit('a', MANY, true))])
    }),
    that('an index that is cleared is made again', async ({ backend }) => {
      const history = new History(backend)
      const entries = await history.commit('a', MANY, true)
      entries.push(...(await history.commit('gone', 30, false)))
      const read = new Set<EntryHandle>()
      await change(backend, async (index) => {
        await index.clear()
        assert.ok(index.waiting >= entries.length)
        await index.update((node) => {
          read.add(node.handle)
          return history.read(node)
        })
        index.cover('b', { paths: entries.slice(-1), time: null, names: ['again'] })
      })
      assert.ok(read.size >= entries.length - backend.index.waiting())
      assert.deepEqual(
        (await backend.index.sessions()).map(({ id }) => id),
        ['b'],
      )
      const { time, names } = await sessionOf(backend, 'b')
      assert.deepEqual([time, names], [null, ['again']])
      await history.check('b', entries)
      assert.deepEqual(await all(backend.verify()), [])
    }),
  ]
}
