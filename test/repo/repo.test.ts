import { chmodSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SessError } from '../../src/model/errors.ts'
import type { Operation, RefValue } from '../../src/model/operation.ts'
import type { RefName } from '../../src/model/refname.ts'
import { hasValidId } from '../../src/repo/oplog/operationlog.ts'
import { Repo } from '../../src/repo/repo.ts'
import { STORE_FORMAT } from '../../src/storage/directory/identity.ts'
import { journalText, readJournal } from '../../src/storage/journal.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { add, BEGIN, openRepo } from '../support/store.ts'

const [a, b, c] = ['a', 'b', 'c'] as unknown as readonly [RefName, RefName, RefName]

/** Moves a ref from what it is to a value, in an operation of its own unless said. */
const set = (repo: Repo, name: RefName, value: RefValue | undefined, coalesce?: string): Promise<void> =>
  repo.write(coalesce === undefined ? {} : { coalesce }, async ({ reader, move }) =>
    move(name, await reader.ref(name), value),
  )

const refsOf = (repo: Repo): Promise<[string, RefValue][]> =>
  repo.read(async (reader) => {
    const refs: [string, RefValue][] = []
    for await (const ref of reader.refs('')) refs.push(ref)
    return refs
  })

const operationsOf = (repo: Repo): Promise<Operation[]> =>
  repo.read(async (reader) => {
    const operations: Operation[] = []
    for (let number = 1; number <= (await reader.operationLog()).latest; number++)
      operations.push((await reader.operation(number)) as Operation)
    return operations
  })

const movesOf = async (repo: Repo): Promise<unknown[]> =>
  (await operationsOf(repo)).map(({ moves }) => moves.map(({ name, old, new: now }) => [name, old, now]))

async function expectSound(repo: Repo): Promise<void> {
  let previous = ''
  for (const operation of await operationsOf(repo)) {
    expect(hasValidId(operation, previous)).toBe(true)
    previous = operation.id
  }
}

describe('Repo.open', () => {
  it('makes a private store, and opens the same one again', async () => {
    const dir = join(newFolder(), 'store')
    await expectFailure('no-store', () => Repo.open(dir))
    const repo = await openRepo(dir)
    expect(repo.identity).toEqual({
      format: STORE_FORMAT,
      id: '000102030405060708090a0b0c0d0e0f',
      created: '2026-01-01T00:00:01.000Z',
    })
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    await set(repo, a, 1)
    await repo.close()
    const again = await openRepo(dir, { create: false })
    expect(again.identity).toEqual(repo.identity)
    expect(await refsOf(again)).toEqual([['a', 1]])
  })

  it('completes a store whose creation was interrupted', async () => {
    const repo = await openRepo()
    await repo.close()
    rmSync(join(repo.dir, 'sess.json'))
    await expectFailure('no-store', () => Repo.open(repo.dir))
    const again = await openRepo(repo.dir)
    await set(again, a, 1)
    expect(await refsOf(again)).toEqual([['a', 1]])
  })

  it('creates a store once for several concurrent callers', async () => {
    const dir = join(newFolder(), 'store')
    const repos = await Promise.all(Array.from({ length: 5 }, () => openRepo(dir)))
    expect(new Set(repos.map(({ identity }) => identity.id)).size).toBe(1)
  })

  it('makes a folder private that others could access', async () => {
    const repo = await openRepo()
    await repo.close()
    expect(repo.exposure).toBe('private')
    chmodSync(repo.dir, 0o755)
    expect((await openRepo(repo.dir)).exposure).toBe('was-exposed')
    expect(statSync(repo.dir).mode & 0o777).toBe(0o700)
  })

  it('is refused once it is closed', async () => {
    const repo = await openRepo()
    await set(repo, a, 1)
    await repo.close()
    await expectFailure('closed', () => refsOf(repo))
    await expectFailure('closed', () => set(repo, a, 2))
    await repo.close()
  })
})

describe('Repo.write', () => {
  it('writes one operation with the old and new values of each ref', async () => {
    const repo = await openRepo(undefined, { command: 'sess something' })
    await set(repo, a, 'one')
    await repo.write({ command: 'another' }, ({ move }) => {
      move(a, 'one', { two: null })
      move(b, undefined, null)
    })
    await set(repo, a, undefined)
    const operations = await operationsOf(repo)
    expect(operations.map(({ number, command, who }) => [number, command, who])).toEqual([
      [1, 'sess something', 'someone@somewhere'],
      [2, 'another', 'someone@somewhere'],
      [3, 'sess something', 'someone@somewhere'],
    ])
    expect(operations.map(({ time }) => time > BEGIN)).toEqual([true, true, true])
    expect(await movesOf(repo)).toEqual([
      [['a', undefined, 'one']],
      [
        ['a', 'one', { two: null }],
        ['b', undefined, null],
      ],
      [['a', { two: null }, undefined]],
    ])
    await expectSound(repo)
    expect(hasValidId({ ...operations[1]!, command: 'forged' }, operations[0]!.id)).toBe(false)
    expect(hasValidId(operations[1]!, 'f'.repeat(32))).toBe(false)
  })

  it('returns the result of the work, and writes no operation where no ref moved', async () => {
    const repo = await openRepo()
    expect(await repo.write({}, () => 7)).toBe(7)
    expect(await operationsOf(repo)).toEqual([])
  })

  it('is atomic', async () => {
    const repo = await openRepo()
    await set(repo, a, 1)
    for (const bulk of [false, true]) {
      await expectFailure('conflict', () =>
        repo.write({ bulk }, ({ move }) => {
          move(b, undefined, 2)
          move(a, 0, 2)
        }),
      )
      await expect(
        repo.write({ bulk }, ({ move, writer }) => {
          move(b, undefined, 2)
          add(writer, 'lost')
          throw new TypeError('the work failed')
        }),
      ).rejects.toThrow('the work failed')
    }
    await set(repo, c, 3)
    expect(await refsOf(repo)).toEqual([
      ['a', 1],
      ['c', 3],
    ])
    expect(await movesOf(repo)).toEqual([[['a', undefined, 1]], [['c', undefined, 3]]])
    await expectSound(repo)
  })

  it('stores an entry again that was lost with a failed unit of work', async () => {
    const repo = await openRepo()
    const say = (fails: boolean): Promise<string> =>
      repo.write({ bulk: true }, ({ writer, move }) => {
        const { oid } = add(writer, { role: 'user', content: 'hello' })
        if (fails) throw new SessError('bad-entry', 'the next one')
        move(a, undefined, oid)
        return oid
      })
    await expectFailure('bad-entry', () => say(true))
    const oid = await say(false)
    await repo.close()
    const again = await openRepo(repo.dir)
    const body = await again.read(async (reader) => reader.body((await reader.find(oid as never))!))
    expect(body).toEqual({ role: 'user', content: 'hello' })
  })

  it('joins consecutive units of work with the same key into one operation', async () => {
    const repo = await openRepo()
    await set(repo, a, 1, 'append a')
    await set(repo, a, 2, 'append a')
    await Promise.all([set(repo, a, 3, 'append a'), set(repo, b, 1, 'append a')])
    await set(repo, b, 2, 'append b')
    await set(repo, a, 4, 'append a')
    await set(repo, a, 5)
    await set(repo, a, 6)
    expect(await movesOf(repo)).toEqual([
      [
        ['a', undefined, 3],
        ['b', undefined, 1],
      ],
      [['b', 1, 2]],
      [['a', 3, 4]],
      [['a', 4, 5]],
      [['a', 5, 6]],
    ])
    await expectSound(repo)
  })

  it('does not join with an operation of another process', async () => {
    const repo = await openRepo()
    const other = await openRepo(repo.dir)
    await set(repo, a, 1, 'append')
    await repo.close()
    await set(other, a, 2, 'append')
    await other.close()
    const third = await openRepo(repo.dir)
    await set(third, a, 3, 'append')
    expect(await movesOf(third)).toEqual([[['a', undefined, 1]], [['a', 1, 2]], [['a', 2, 3]]])
    await expectSound(third)
  })

  it('names a ref once in an operation, however often it moved', async () => {
    const repo = await openRepo()
    await repo.write({}, ({ move }) => {
      move(a, undefined, 1)
      move(b, undefined, 1)
      move(a, 1, 2)
    })
    expect(await movesOf(repo)).toEqual([
      [
        ['a', undefined, 2],
        ['b', undefined, 1],
      ],
    ])
    expect(await refsOf(repo)).toEqual([
      ['a', 2],
      ['b', 1],
    ])
  })

  it('runs units of work one after another', async () => {
    const repo = await openRepo()
    const increment = (): Promise<void> =>
      repo.write({}, async ({ reader, move }) => {
        const now = (await reader.ref(a)) as number | undefined
        await new Promise((resolve) => setImmediate(resolve))
        move(a, now, (now ?? 0) + 1)
      })
    await Promise.all(Array.from({ length: 100 }, increment))
    expect(await refsOf(repo)).toEqual([['a', 100]])
    expect((await operationsOf(repo)).length).toBe(100)
  })
})

describe('the journal of a store', () => {
  it('has a line for each write, with the values that refs took', async () => {
    const repo = await openRepo()
    await set(repo, a, 1)
    await set(repo, a, { x: 2 })
    await repo.write({}, ({ move }) => {
      move(a, { x: 2 }, undefined)
      move(b, undefined, 'oid')
    })
    await repo.write({}, () => undefined)
    await repo.close()
    expect(readJournal(repo.dir)).toMatchObject({
      lines: [
        { operation: 1, commit: 1, refs: [['a', 1]] },
        { operation: 2, commit: 2, refs: [['a', { x: 2 }]] },
        {
          operation: 3,
          commit: 3,
          refs: [
            ['a', null],
            ['b', 'oid'],
          ],
        },
      ],
      damaged: 0,
      torn: false,
    })
  })

  it('shows that a database lost operations', async () => {
    const repo = await openRepo()
    await set(repo, a, 1)
    await set(repo, a, 2)
    await repo.close()
    const journal = readFileSync(join(repo.dir, 'refs.journal'))
    const empty = await openRepo()
    await empty.close()
    rmSync(join(repo.dir, 'db.1'), { recursive: true })
    cpSync(join(empty.dir, 'db.1'), join(repo.dir, 'db.1'), { recursive: true })
    const emptied = await openRepo(repo.dir)
    const { message } = await expectFailure('corrupt', () => refsOf(emptied))
    expect(message).toBe('the store is damaged: the database lost its last 2 writes')
    await expectFailure('corrupt', () => set(emptied, a, 1))
    expect(readFileSync(join(repo.dir, 'refs.journal'))).toEqual(journal)
    expect(await refsOf(await openRepo(repo.dir, { tolerant: true }))).toEqual([])
  })

  it('may end early', async () => {
    const repo = await openRepo()
    await set(repo, a, 1)
    await set(repo, a, 2)
    await repo.close()
    const path = join(repo.dir, 'refs.journal')
    const whole = readFileSync(path)
    for (const length of [0, 10, whole.length - 1, whole.length >> 1]) {
      writeFileSync(path, whole.subarray(0, length))
      const again = await openRepo(repo.dir)
      expect(await refsOf(again)).toEqual([['a', 2]])
      await again.close()
    }
  })

  it('is rewritten once it is large', async () => {
    const repo = await openRepo()
    await set(repo, a, 'small')
    await set(repo, b, 'other')
    await repo.close()
    const path = join(repo.dir, 'refs.journal')
    const early = journalText([{ operation: 1, commit: 1, refs: [[a, 'x'.repeat(4000)]] }])
    writeFileSync(path, early.repeat(2200) + readFileSync(path, 'utf8'))
    const again = await openRepo(repo.dir)
    expect(await refsOf(again)).toEqual([
      ['a', 'small'],
      ['b', 'other'],
    ])
    expect(readJournal(repo.dir).lines).toEqual([
      {
        operation: 2,
        commit: 2,
        commits: 2,
        refs: [
          ['a', 'small'],
          ['b', 'other'],
        ],
      },
    ])
  })
})
