import { appendFileSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { collected } from '../../src/model/async.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { partsOfLogId } from '../../src/model/record.ts'
import { branchRef, nativesRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../src/ops/append/handlers.ts'
import type { Append } from '../../src/ops/append/request.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { Recovery } from '../../src/ops/fsck/recover.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { movedSince, operations, restore, showOperation } from '../../src/ops/operations.ts'
import { undo } from '../../src/ops/undo.ts'
import type { Repo } from '../../src/repo/repo.ts'
import {
  getSession,
  logsOf,
  MAIN,
  type NativeHead,
  nativeLogs,
  type SessionState,
  type SourceHead,
} from '../../src/repo/session.ts'
import { newHolder } from '../../src/storage/directory/holder.ts'
import { openDatabase } from '../../src/storage/leveldb/database.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'
import { answered, asked, claudeLines } from '../support/transcripts.ts'

const says = (content: string): Append => ({ body: { role: 'user', content } })

const sessionOf = (repo: Repo, id: string): Promise<SessionState> =>
  repo.read((reader) => getSession(reader, id))

const opened = async (repo: Repo): Promise<[number, boolean][]> =>
  (await collected(operations(repo))).map(({ number, open }) => [number, open])

const writerOf = ({ log }: NativeHead): string => partsOfLogId(log)[0]

async function exported(repo: Repo, session: string): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of exportSession(repo, session)) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

async function appendMany(repo: Repo, session: string, name: string, count: number): Promise<Oid[]> {
  const oids: Oid[] = []
  // Those in flight together share a sync.
  for (let n = 0; n < count; n += 50) {
    const some = Array.from({ length: Math.min(50, count - n) }, (_, i) =>
      append(repo, session, [says(`${name} ${n + i}`)]),
    )
    oids.push(...(await Promise.all(some)).flat())
  }
  return oids
}

/** Takes what another store appended to a session: its entries, its log under its own name, its branch beside this one. */
async function exchange(here: Repo, there: Repo, session: string): Promise<void> {
  await there.read((other) =>
    here.write({}, async ({ reader, writer, move }) => {
      const theirs = await getSession(other, session)
      const native = theirs.natives.get(other.writer) as NativeHead
      const recovery = new Recovery(reader, other, writer)
      for (const [log, count] of nativeLogs(native)) await recovery.prefix(log, count)
      move(nativesRef(session, writerOf(native)), undefined, native)
      move(branchRef(session, 'theirs'), undefined, theirs.branches.get(MAIN))
    }),
  )
}

it('two copies of a store append to separate logs, and one imports what the other appended', async () => {
  const [original, copied] = [newFolder(), newFolder()]
  const first = await openRepo(original)
  const id = await createSession(first)
  const common = await append(first, id, [says('said before the copy')])
  await first.close()
  cpSync(original, copied, { recursive: true })

  const [here, there] = [await openRepo(original), await openRepo(copied)]
  const ours = await appendMany(here, id, 'here', 1000)
  const theirs = await appendMany(there, id, 'there', 1000)
  const [before, other] = [await sessionOf(here, id), await sessionOf(there, id)]
  // The copy keeps the log of the original beside its own.
  const [[writer, head] = ['', undefined]] = before.natives
  expect([before.natives.size, other.natives.size, head?.count]).toEqual([1, 2, 1001])
  expect(other.natives.get(writer)?.count).toBe(1)

  await exchange(here, there, id)
  const after = await sessionOf(here, id)
  expect(after.branches.get(MAIN)).toBe(ours.at(-1))
  expect(after.branches.get('theirs')).toBe(theirs.at(-1))
  expect(logsOf(after).reduce((sum, [, count]) => sum + count, 0)).toBe(2001)
  const found = await here.read((reader) => reader.findMany([...common, ...ours, ...theirs]))
  expect(found.size).toBe(2001)
  const { ok, findings } = await fsck(here)
  expect({ ok, findings }).toEqual({ ok: true, findings: [] })
})

it('a copy of a store reads a source that grew into a log of its own', async () => {
  const [original, copied] = [newFolder(), newFolder()]
  const path = join(newFolder(), 's1.jsonl')
  const lines = claudeLines('s1', asked('u1', null), answered('a1', 'u1'), asked('u2', 'a1'))
  writeFileSync(path, lines.slice(0, 2).join(''))
  const first = await openRepo(original)
  await importPaths(first, [path])
  await first.close()
  cpSync(original, copied, { recursive: true })

  appendFileSync(path, lines[2] as string)
  const writers: string[] = []
  for (const dir of [original, copied]) {
    const repo = await openRepo(dir)
    const before = (await sessionOf(repo, 's1')).source as SourceHead
    await importPaths(repo, [path])
    const after = (await sessionOf(repo, 's1')).source as SourceHead
    expect([after.count, after.log === before.log]).toEqual([3, dir === original])
    writers.push(partsOfLogId(after.log)[0])
    expect(await exported(repo, 's1')).toBe(lines.join(''))
    expect((await fsck(repo)).findings).toEqual([])
  }
  expect(new Set(writers).size).toBe(2)
})

it('a reader that asks for moves after each append misses nothing', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  let { operation } = await movedSince(repo, 0)
  for (let n = 0; n < 50; n++) {
    const [oid] = await append(repo, id, [says(`message ${n}`)])
    const since = await movedSince(repo, operation)
    expect(since.moves.find(({ name }) => name === branchRef(id, MAIN))?.new).toBe(oid)
    operation = since.operation
  }
  // The appends are one operation: nobody closed it.
  expect(await opened(repo)).toEqual([
    [2, true],
    [1, false],
  ])
  await repo.closeOperation()
  const { operation: last } = await movedSince(repo, operation)
  expect(last).toBe(2)
  expect((await movedSince(repo, last)).moves).toEqual([])
})

it('a reader in another process closes no operation, and misses nothing', async () => {
  const dir = newFolder()
  const holder = await openRepo(dir, { works: REQUEST_HANDLERS })
  const id = await createSession(holder)
  await append(holder, id, [says('first')])
  const reader = await openRepo(dir)
  let { operation } = await movedSince(reader, 0)
  for (let n = 0; n < 10; n++) {
    const [oid] = await append(holder, id, [says(`message ${n}`)])
    const since = await movedSince(reader, operation)
    expect(since.moves.find(({ name }) => name === branchRef(id, MAIN))?.new).toBe(oid)
    expect((await showOperation(reader, '2')).open).toBe(true)
    operation = since.operation
  }
  expect(await opened(reader)).toEqual([
    [2, true],
    [1, false],
  ])
  await createSession(holder)
  expect((await opened(reader)).map(([, isOpen]) => isOpen)).toEqual([false, false, false])
})

it('reads the state after an operation that was open, however many appends follow', async () => {
  const dir = newFolder()
  const holder = await openRepo(dir, { works: REQUEST_HANDLERS })
  const id = await createSession(holder)
  const [first] = await append(holder, id, [says('first')])
  const past = (await openRepo(dir)).call({ at: '2' })
  const tip = (repo: Repo) => repo.read((reader) => reader.ref(branchRef(id, MAIN)))
  expect(await tip(past)).toBe(first)
  const [second] = await append(holder, id, [says('second')])
  expect([await tip(past), await tip(holder)]).toEqual([first, second])
  expect((await opened(holder)).map(([number]) => number)).toEqual([3, 2, 1])
})

it('undoes all of an operation that grew after it was reported, and none of it by its former id', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  await append(repo, id, [says('first')])
  const { id: former } = await showOperation(repo, '2')
  await append(repo, id, [says('second')])
  await expectFailure('no-operation', () => undo(repo, { operation: former }))
  await undo(repo, { operation: '2' })
  expect((await sessionOf(repo, id)).branches.size).toBe(0)
})

it('joins nothing with an operation to which all was restored', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  await append(repo, id, [says('first')])
  expect((await restore(repo, '2')).by).toBe(null)
  await append(repo, id, [says('second')])
  expect((await opened(repo)).map(([number]) => number)).toEqual([3, 2, 1])
})

it('closes an operation only once its moves in flight are durable', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  await append(repo, id, [says('before')])
  const newest = () =>
    repo.read(async (reader) => (await reader.operation((await reader.operationLog()).latest))?.id)
  let isDurable = false
  const say = async (): Promise<void> => {
    await append(repo, id, [says('in flight')])
    isDurable = true
  }
  let appended: Promise<void>
  // On a busy machine an append may be durable before its operation is seen.
  do {
    const before = await newest()
    isDurable = false
    appended = say()
    while ((await newest()) === before) await Promise.resolve()
  } while (isDurable)
  await repo.closeOperation()
  // The append has its answer some promises later, in which no sync can end.
  for (let turns = 0; turns < 100; turns++) await Promise.resolve()
  expect(isDurable).toBe(true)
  await appended
})

it('reports the newest operation again while its holder cannot be asked whether it grows', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  await append(repo, id, [says('said')])
  const { operation } = await movedSince(repo, 0)
  await append(repo, id, [says('later')])
  await repo.close()
  const holder = await openDatabase(repo.dir, { lockTimeout: 0, holder: newHolder('test', 0) })
  onTestFinished(() => holder.close())
  const reader = await openRepo(repo.dir)
  expect((await movedSince(reader, 0)).operation).toBe(operation)
  expect(await movedSince(reader, operation + 1)).toEqual({ operation: operation + 1, moves: [] })
})
