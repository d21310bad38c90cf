import { expect, it } from 'vitest'
import { branchRef } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { NativeLog } from '../../../src/ops/append/nativelog.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { RecordFinder, readRecords, valueAt, valueOf } from '../../../src/repo/records.ts'
import type { Change, Repo } from '../../../src/repo/repo.ts'
import { EMPTY_META, getSession, logsOf } from '../../../src/repo/session.ts'
import { expectFailure } from '../../support/errors.ts'
import { nativeOf } from '../../support/nativelogs.ts'
import { copyOf } from '../../support/smallstore.ts'
import { BEGIN, openRepo } from '../../support/store.ts'

it('adds entries wherever they hang, each with what its record keeps besides', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const handles = await repo.write({}, async (change) => {
    const growth = await NativeLog.begin(change, id)
    const type = 'sess/message'
    const root = await growth.add({ type, body: { role: 'user', content: 'a' }, parents: [] })
    const body = { message: { role: 'user', content: 'b' } }
    const value = { type: 'message', id: 'n1', ...body }
    const parents = [root.handle]
    const said = await growth.add({ type: 'pi/message', body, parents, native: 'n1', time: BEGIN, value })
    const links = { target: root.handle }
    const at = ['body']
    const edit = { replacement: null }
    const from = { body: edit, from: 'elsewhere' }
    const other = await growth.add({ type: 'sess/edit', body: edit, parents, links, value: from, at })
    growth.end()
    return [root.handle, said.handle, other.handle] as const
  })
  const [root, said, other] = handles
  await repo.read(async (reader) => {
    const session = await getSession(reader, id)
    expect(nativeOf(session)).toMatchObject({ count: 3, entries: 3, summary: { prompts: 2 } })
    expect(session.meta.prompt).toBe('a')
    const finder = new RecordFinder(reader, logsOf(session))
    const [third, second, first] = [
      await finder.find(other),
      await finder.find(said),
      await finder.find(root),
    ]
    expect(second).toMatchObject({ native: 'n1', time: BEGIN })
    expect(await valueAt(reader, second!)).toEqual({
      type: 'message',
      id: 'n1',
      message: { role: 'user', content: 'b' },
    })
    expect(await valueAt(reader, third!)).toEqual({ body: { replacement: null }, from: 'elsewhere' })
    expect(await valueAt(reader, first!)).toBeUndefined()
    expect((await reader.node(other)).links).toEqual({ target: root })
    await finder.close()
  })
  expect((await fsck(repo)).findings).toEqual([])
  await expectFailure('no-session', () => repo.write({}, (change) => NativeLog.begin(change, 'none')))
})

it('makes a session with what is added to it, records that carry no entry among it', async () => {
  const repo = await openRepo()
  const meta = { ...EMPTY_META, format: 'other', created: BEGIN, parent: 'p' }
  const entry = await repo.write({}, async (change) => {
    const growth = NativeLog.create(change, 'made', meta)
    await growth.note({ value: { kind: 'begin' } })
    const body = { role: 'user', content: 'a' }
    const grown = await growth.add({ type: 'sess/message', body, parents: [], time: BEGIN })
    await growth.note({ value: { kind: 'end' }, native: 'n', time: BEGIN + 1 })
    change.move(branchRef('made', 'main'), undefined, grown.oid)
    growth.end()
    return grown.handle
  })
  await repo.read(async (reader) => {
    const session = await getSession(reader, 'made')
    expect(session.meta).toEqual({ ...meta, prompt: 'a' })
    expect(nativeOf(session)).toMatchObject({ count: 3, entries: 1, updated: BEGIN + 1 })
    const records: unknown[] = []
    for await (const [, record] of readRecords(reader, nativeOf(session)!.log, 0, 3))
      records.push([record.entry, record.native, await valueOf(reader, record)])
    expect(records).toEqual([
      [undefined, undefined, { kind: 'begin' }],
      [entry, undefined, undefined],
      [undefined, 'n', { kind: 'end' }],
    ])
  })
  expect((await fsck(repo)).findings).toEqual([])
  const again = (change: Change) => NativeLog.create(change, 'made', meta).end()
  await expectFailure('conflict', () => repo.write({}, again))
})

it('appends in a copy to a log of its own, and keeps that of the original under the same name', async () => {
  const original = await openRepo()
  const id = await createSession(original)
  const say = (repo: Repo, content: string) => append(repo, id, [{ body: { role: 'user', content } }])
  const nativesOf = (repo: Repo) =>
    repo.read(async (reader) => [reader.writer, (await getSession(reader, id)).natives] as const)
  await say(original, 'one')
  const [writer, before] = await nativesOf(original)
  expect([...before.keys()]).toEqual([writer])
  await original.close()
  const copied = await openRepo(copyOf(original.dir))
  await say(copied, 'two')
  const [other, after] = await nativesOf(copied)
  expect(other).not.toBe(writer)
  expect([...after.keys()].sort()).toEqual([writer, other].sort())
  expect(after.get(writer)).toEqual(before.get(writer))
  expect(after.get(other)).toMatchObject({ count: 1, entries: 1 })
})
