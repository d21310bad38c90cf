import assert from 'node:assert/strict'
import type { Operation, OperationRange, RefMove, RefValue } from '../../../src/model/operation.ts'
import { logId } from '../../../src/model/record.ts'
import type { RefName } from '../../../src/model/refname.ts'
import type { Backend, SourceNote } from '../../../src/storage/backend.ts'
import { addOne, all, canonical, isConflict, type Law, law, moveOf, type Open, refName } from './law.ts'

const operationOf = (
  moves: readonly RefMove[],
  number: number,
  more: Partial<Operation> = {},
): Operation => ({
  number,
  id: `${number}`.padStart(32, '0'),
  time: 1_700_000_000_000 + number,
  who: 'someone@somewhere',
  actor: number % 2 === 0 ? 'person' : 'program',
  command: `operation ${number}`,
  moves,
  ...more,
})

/** Moves refs in a transaction of their own. */
async function moveAll(backend: Backend, moves: readonly RefMove[]): Promise<void> {
  const transaction = backend.begin()
  transaction.moveRefs(moves)
  await transaction.commit()
}

const VALUES: readonly RefValue[] = [
  'a'.repeat(64),
  '',
  null,
  0,
  [],
  { format: 'sess', title: null, created: 1_700_000_000_123 },
  { log: 2 ** 33, branches: { main: 'b'.repeat(64) }, tail: [[1, 2]] },
]

/** Laws of refs. */
export function refLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('a ref is created, moved and removed, each time only from its old value', async ({ backend }) => {
      const name = refName('sessions/s/branches/main')
      assert.equal(await backend.ref(name), undefined)
      await assert.rejects(moveAll(backend, [moveOf(name, 'a', 'b')]), isConflict)
      await moveAll(backend, [moveOf(name, undefined, 'a')])
      assert.equal(await backend.ref(name), 'a')
      await assert.rejects(moveAll(backend, [moveOf(name, undefined, 'b')]), isConflict)
      await assert.rejects(moveAll(backend, [moveOf(name, 'b', 'c')]), isConflict)
      assert.equal(await backend.ref(name), 'a')
      await moveAll(backend, [moveOf(name, 'a', 'b')])
      assert.equal(await backend.ref(name), 'b')
      await assert.rejects(moveAll(backend, [moveOf(name, 'a', undefined)]), isConflict)
      await moveAll(backend, [moveOf(name, 'b', undefined)])
      assert.equal(await backend.ref(name), undefined)
      assert.deepEqual(await all(backend.refs('')), [])
    }),
    that(
      'the list of sessions is cached with its state until the next one is',
      async ({ backend, reopen }) => {
        assert.equal(await backend.cache.list(), undefined)
        assert.equal(await backend.cache.listState(), undefined)
        for (const sessions of [3, 2]) {
          const transaction = backend.begin({ bulk: true })
          transaction.keepList({ operation: 7, commits: 300, sessions, bytes: new Uint8Array(sessions) })
          await transaction.commit()
          const state = await backend.cache.listState()
          assert.deepEqual([state?.operation, state?.commits, state?.sessions], [7, 300, sessions])
          assert.equal((await backend.cache.list())?.bytes.length, sessions)
        }
        if (!backend.capabilities.durable) return
        assert.equal((await (await reopen()).cache.list())?.sessions, 2)
      },
    ),
    that(
      'the state of reading the source of a log is cached until the next one is',
      async ({ backend, reopen }) => {
        const log = logId(backend.writer, 1)
        assert.equal(await backend.cache.readerState(log), undefined)
        const entry = backend.begin()
        const [one, other] = [
          await addOne(backend, entry, { body: 1 }),
          await addOne(backend, entry, { body: 2 }),
        ]
        await entry.commit()
        const states = [
          { bytes: Uint8Array.of(1, 2, 3), entries: [undefined, other, one, one] },
          { bytes: Uint8Array.of(4, 5), entries: [one, undefined, other] },
        ]
        for (const state of states) {
          const transaction = backend.begin({ bulk: true })
          transaction.keepReaderState(log, state)
          await transaction.commit()
          assert.deepEqual(await backend.cache.readerState(log), state)
        }
        if (!backend.capabilities.durable) return
        const kept = await (await reopen()).cache.readerState(log)
        assert.deepEqual([kept?.bytes, kept?.entries.length], [states[1]?.bytes, 3])
      },
    ),
    that('refs of a session are current however often they were read', async ({ backend }) => {
      const read = async () => (await all(backend.refs('sessions/s/'))).map(([, value]) => value)
      assert.deepEqual(await read(), [])
      await moveAll(backend, [moveOf('sessions/s/a', undefined, 1), moveOf('sessions/t/a', undefined, 9)])
      assert.deepEqual([await read(), await read()], [[1], [1]])
      await moveAll(backend, [moveOf('sessions/s/b', undefined, 2)])
      assert.deepEqual(
        [await read(), await read()],
        [
          [1, 2],
          [1, 2],
        ],
      )
      await assert.rejects(moveAll(backend, [moveOf('sessions/s/a', 3, 4)]), isConflict)
      await moveAll(backend, [moveOf('sessions/s/a', 1, undefined), moveOf('sessions/t/a', 9, 8)])
      assert.deepEqual(await read(), [2])
    }),
    that('values of refs come back as they were', async ({ backend }) => {
      await moveAll(
        backend,
        VALUES.map((value, i) => moveOf(`v/${i}`, undefined, value)),
      )
      for (const [i, value] of VALUES.entries()) {
        const now = await backend.ref(refName(`v/${i}`))
        assert.equal(canonical(now as RefValue), canonical(value))
        await moveAll(backend, [moveOf(`v/${i}`, now, { was: value })])
      }
    }),
    that('of several moves all happen or none', async ({ backend }) => {
      await moveAll(backend, [moveOf('a', undefined, '1'), moveOf('b', undefined, '1')])
      const moves = [moveOf('a', '1', '2'), moveOf('c', undefined, '2'), moveOf('b', '0', '2')]
      const transaction = backend.begin()
      transaction.moveRefs(moves)
      transaction.noteSource('/path', { session: 's' })
      transaction.addOperation((next) => operationOf(moves, next))
      await assert.rejects(transaction.commit(), isConflict)
      // The next commit must not contain the refused changes.
      await moveAll(backend, [moveOf('d', undefined, '3')])
      assert.deepEqual(await all(backend.refs('')), [
        ['a', '1'],
        ['b', '1'],
        ['d', '3'],
      ])
      assert.equal((await backend.operationLog()).latest, 0)
      assert.equal(await backend.operation(1), undefined)
      assert.equal(await backend.cache.source('/path'), undefined)
      await moveAll(backend, [moveOf('a', '1', undefined), moveOf('b', '1', '2')])
      assert.deepEqual(await all(backend.refs('')), [
        ['b', '2'],
        ['d', '3'],
      ])
    }),
    that(
      'a ref that moves twice in a transaction moves from its first old value to its last new one',
      async ({ backend }) => {
        await moveAll(backend, [moveOf('a', undefined, '1'), moveOf('a', '1', '2')])
        assert.equal(await backend.ref(refName('a')), '2')
        const other = backend.begin()
        await assert.rejects(async () => {
          other.moveRefs([moveOf('a', '2', '3')])
          other.moveRefs([moveOf('a', '2', '4')])
          await other.commit()
        }, isConflict)
        assert.equal(await backend.ref(refName('a')), '2')
        await moveAll(backend, [moveOf('a', '2', undefined), moveOf('a', undefined, '5')])
        assert.equal(await backend.ref(refName('a')), '5')
      },
    ),
    that('an operation that cannot be made changes nothing', async ({ backend }) => {
      const transaction = backend.begin()
      transaction.moveRefs([moveOf('a', undefined, '1')])
      transaction.addOperation(() => {
        throw new TypeError('no operation')
      })
      await assert.rejects(transaction.commit(), /no operation/)
      await moveAll(backend, [moveOf('b', undefined, '1')])
      assert.deepEqual(await all(backend.refs('')), [['b', '1']])
    }),
    that('refs are listed by prefix in the order of names', async ({ backend }) => {
      const names = ['a', 'a/', 'a/b', 'a/b/c', 'a-b/c', 'a0', 'ab', 'b', 'z/ü', 'z/😀', 'z/%20']
      await moveAll(
        backend,
        names.toReversed().map((name) => moveOf(name, undefined, name)),
      )
      const inOrder = (prefix: string): string[] =>
        names
          .filter((name) => name.startsWith(prefix))
          .toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
      for (const prefix of ['', 'a', 'a/', 'a/b', 'z/', 'z/😀', 'b', 'c'])
        assert.deepEqual(
          (await all(backend.refs(prefix))).map(([name]) => name),
          inOrder(prefix),
        )
      for (const after of ['', 'a', 'a/b', 'a/b/', 'a1', 'z/😀', 'zz'])
        for (const prefix of ['', 'a/', 'z/'])
          assert.deepEqual(
            (await all(backend.refs(prefix, after))).map(([name]) => name),
            inOrder(prefix).filter((name) => Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0),
          )
      for await (const [name, value] of backend.refs('')) assert.equal(value, name)
    }),
    that('a transaction that is not committed changes nothing', async ({ backend }) => {
      const transaction = backend.begin()
      transaction.moveRefs([moveOf('a', undefined, '1')])
      transaction.noteSource('/path', { session: 's' })
      transaction.addOperation((next) => operationOf([], next))
      await transaction.flush()
      assert.equal(await backend.ref(refName('a')), undefined)
      transaction.abandon()
      await moveAll(backend, [moveOf('b', undefined, '1')])
      assert.deepEqual(await all(backend.refs('')), [['b', '1']])
      assert.equal(await backend.cache.source('/path'), undefined)
      assert.equal((await backend.operationLog()).latest, 0)
    }),
    that('concurrent commits take effect in the order in which they were called', async ({ backend }) => {
      const commits: Promise<void>[] = []
      for (let i = 0; i < 200; i++) {
        const transaction = backend.begin()
        const moves = [moveOf('count', i === 0 ? undefined : i - 1, i)]
        transaction.moveRefs(moves)
        transaction.addOperation((next) => operationOf(moves, next))
        commits.push(transaction.commit())
      }
      await Promise.all(commits)
      assert.equal(await backend.ref(refName('count')), 199)
      assert.equal((await backend.operationLog()).latest, 200)
      for (let number = 1; number <= 200; number++)
        assert.equal((await backend.operation(number))?.moves[0]?.new, number - 1)
    }),
    that('of commits that move one ref from one value a single one succeeds', async ({ backend }) => {
      const attempts = Array.from({ length: 20 }, (_, i) => moveAll(backend, [moveOf('a', undefined, i)]))
      const results = await Promise.allSettled(attempts)
      const succeeded = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []))
      assert.equal(succeeded.length, 1)
      assert.equal(await backend.ref(refName('a')), succeeded[0])
      for (const result of results) if (result.status === 'rejected') assert.ok(isConflict(result.reason))
    }),
  ]
}

/** Laws of operations and of notes on sources. */
export function operationLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('operations are numbered from 1 and come back as they were', async ({ backend }) => {
      assert.equal((await backend.operationLog()).latest, 0)
      const made: Operation[] = []
      for (const moves of [
        [moveOf('a', undefined, null)],
        [moveOf('a', null, { b: [1, 'x'] }), moveOf('c', undefined, '')],
        [moveOf('a', { b: [1, 'x'] }, undefined)],
      ]) {
        const transaction = backend.begin()
        transaction.moveRefs(moves)
        transaction.addOperation((next) => {
          made.push(operationOf(moves, next))
          return made.at(-1) as Operation
        })
        await transaction.commit()
      }
      assert.equal((await backend.operationLog()).latest, 3)
      for (const [i, operation] of made.entries()) assert.deepEqual(await backend.operation(i + 1), operation)
      for (const number of [0, 4, 1000]) assert.equal(await backend.operation(number), undefined)
      const numbersIn = async (range: OperationRange): Promise<number[]> => {
        const numbers: number[] = []
        for await (const { number } of backend.operations(range)) numbers.push(number)
        return numbers
      }
      assert.deepEqual(await numbersIn({ after: 0, upTo: 2 ** 47 }), [1, 2, 3])
      assert.deepEqual(await numbersIn({ after: 1, upTo: Number.POSITIVE_INFINITY, reverse: true }), [3, 2])
      assert.deepEqual(await numbersIn({ after: 2, upTo: 2 }), [])
    }),
    that('an operation with the number of the newest replaces it', async ({ backend }) => {
      for (const command of ['first', 'second', 'joined']) {
        const transaction = backend.begin()
        transaction.addOperation((next) =>
          operationOf([], command === 'joined' ? next - 1 : next, { command }),
        )
        await transaction.commit()
      }
      assert.equal((await backend.operationLog()).latest, 2)
      assert.equal((await backend.operation(1))?.command, 'first')
      assert.equal((await backend.operation(2))?.command, 'joined')
    }),
    that('commits are counted, those that replace an operation too', async ({ backend }) => {
      const numbers: number[] = []
      const commit = async (moves: readonly RefMove[], number?: number): Promise<void> => {
        const transaction = backend.begin()
        transaction.moveRefs(moves)
        transaction.addOperation((next, count) => {
          numbers.push(count)
          return operationOf(moves, number ?? next)
        })
        await transaction.commit()
      }
      assert.equal((await backend.operationLog()).commits, 0)
      await commit([moveOf('a', undefined, 1)])
      await commit([moveOf('a', 1, 2)], 1)
      await assert.rejects(commit([moveOf('a', 1, 3)]), isConflict)
      await backend.begin().commit()
      await commit([])
      assert.deepEqual(numbers, [1, 2, 3])
      assert.equal((await backend.operationLog()).commits, 3)
      assert.equal((await backend.operationLog()).latest, 2)
    }),
    that('notes on sources are kept by path', async ({ backend }) => {
      const notes = { '/a': { size: 1 }, '/a/b': { deep: [{ x: null }] }, '/ü 😀': {} }
      const transaction = backend.begin({ bulk: true })
      for (const [path, note] of Object.entries(notes)) transaction.noteSource(path, note)
      transaction.noteSource('/a', { size: 2 })
      await transaction.commit()
      assert.deepEqual(await backend.cache.source('/a'), { size: 2 })
      assert.deepEqual(await backend.cache.source('/a/b'), notes['/a/b'])
      assert.deepEqual(await backend.cache.source('/ü 😀'), {})
      assert.equal(await backend.cache.source('/A'), undefined)
    }),
    that('a note is no more as noted once its ref has another value', async ({ backend }) => {
      const put = async (moves: readonly RefMove[], note: SourceNote, ref?: RefName) => {
        const transaction = backend.begin({ bulk: true })
        transaction.moveRefs(moves)
        transaction.noteSource('/path', note, ref)
        await transaction.commit()
        return (await backend.cache.source('/path')) as SourceNote
      }
      const [a, b] = [refName('a'), refName('b')]
      const first = await put([moveOf('a', undefined, 1)], { size: 1 }, a)
      assert.equal(first.size, 1)
      const isKnown = await backend.cache.isAsNoted(first, a)
      const later = await put([moveOf('a', 1, 2), moveOf('b', undefined, 1)], { size: 2 }, a)
      assert.equal(await backend.cache.isAsNoted(first, a), false)
      assert.equal(await backend.cache.isAsNoted(later, a), isKnown)
      assert.equal(await backend.cache.isAsNoted(later, b), false)
      const same = await put([], { size: 3 }, a)
      assert.equal(await backend.cache.isAsNoted(same, a), isKnown)
      await put([moveOf('a', 2, undefined)], {})
      assert.equal(await backend.cache.isAsNoted(same, a), false)
      assert.equal(await backend.cache.isAsNoted({}, a), false)
    }),
  ]
}
