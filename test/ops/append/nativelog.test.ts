import { expect, it } from 'vitest'
import { type LogId, partsOfLogId } from '../../../src/model/record.ts'
import { branchRef, nativesRef } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { NativeLog } from '../../../src/ops/append/nativelog.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { RecordFinder, readRecords, valueAt, valueOf } from '../../../src/repo/records.ts'
import type { Change, Repo } from '../../../src/repo/repo.ts'
import { EMPTY_META, getSession, logsOf, type NativeHead } from '../../../src/repo/session.ts'
import { expectFailure } from '../../support/errors.ts'
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
    expect(session.native).toMatchObject({ count: 3, entries: 3, summary: { prompts: 2 } })
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
    expect(session.native).toMatchObject({ count: 3, entries: 1, updated: BEGIN + 1 })
    const records: unknown[] = []
    for await (const [, record] of readRecords(reader, session.native!.log, 0, 3))
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

it.each([
  ['shorter', 'replaced'],
  ['as long', 'left'],
  ['another', 'beside'],
])(
  'keeps a head of another writer where one of it, %s, is kept already: it is %s',
  async (length, outcome) => {
    const original = await openRepo()
    const id = await createSession(original)
    const say = (repo: Repo, content: string) => append(repo, id, [{ body: { role: 'user', content } }])
    await say(original, 'one')
    const [earlier] = [await nativeOf(original)]
    await say(original, 'two')
    const head = await nativeOf(original)
    await original.close()
    const [writer] = partsOfLogId(head.log)
    const another = { ...head, log: `${writer}.99` as LogId, count: 0, entries: 0 }
    const there = length === 'shorter' ? earlier : length === 'another' ? another : head
    const copied = await openRepo(copyOf(original.dir))
    await copied.write({}, ({ move }) => move(nativesRef(id, writer), undefined, there))
    await say(copied, 'three')
    const { native, natives } = await copied.read((reader) => getSession(reader, id))
    expect(native).toMatchObject({ count: 1 })
    expect(Object.fromEntries(natives)).toEqual(
      outcome === 'beside' ? { [writer]: another, [`${writer}.2`]: head } : { [writer]: head },
    )

    async function nativeOf(repo: Repo): Promise<NativeHead> {
      return (await repo.read((reader) => getSession(reader, id))).native as NativeHead
    }
  },
)
