import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Json } from '../../src/model/json.ts'
import type { EntryHandle } from '../../src/model/node.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch } from '../../src/ops/branch.ts'
import { fork } from '../../src/ops/fork.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { listed } from '../../src/ops/list.ts'
import { log } from '../../src/ops/log.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { getSession, logsOf, type SessionState } from '../../src/repo/session.ts'
import { expectFailure } from '../support/errors.ts'
import { hexOf } from '../support/json.ts'
import { nativeOf } from '../support/nativelogs.ts'
import { pairsOf } from '../support/pairs.ts'
import { openRepo } from '../support/store.ts'
import { asks, talk } from '../support/tree.ts'

const says = (content: string): { body: Json } => ({ body: { role: 'user', content } })
const session = (repo: Repo, id: string): Promise<SessionState> =>
  repo.read((reader) => getSession(reader, id))

async function loggedIn(repo: Repo, id: string): Promise<{ oid: Oid; time: string | null }[]> {
  const entries: { oid: Oid; time: string | null }[] = []
  for await (const { oid, time } of log(repo, id)) entries.push({ oid, time })
  return entries.reverse()
}

async function conversation(repo: Repo): Promise<{ id: string; oids: Oid[] }> {
  const id = await createSession(repo, { title: 'A talk', cwd: '/there' })
  const oids = await append(repo, id, ['1', '2', '3', '4'].map(says))
  return { id, oids }
}

/** Returns what a fork behind so many entries writes: the keys of pairs that are new or changed, and how many bytes. */
async function costAfter(entries: number, forks = 0): Promise<{ keys: string[]; bytes: number }> {
  const repo = await openRepo()
  let id = await createSession(repo, { title: 'A talk' })
  await append(
    repo,
    id,
    Array.from({ length: entries }, (_, i) => says(`number ${i}`)),
  )
  for (let i = 0; i < forks; i++) {
    id = (await fork(repo, id)).session
    await append(repo, id, [says(`fork ${i}`)])
  }
  await repo.close()
  const journal = (): number => statSync(join(repo.dir, 'refs.journal')).size
  const before = new Map((await pairsOf(repo.dir)).map(([key, value]) => [hexOf(key), hexOf(value)]))
  const journalBefore = journal()
  const again = await openRepo(repo.dir)
  await fork(again, id)
  await again.close()
  const put = (await pairsOf(repo.dir)).filter(([key, value]) => before.get(hexOf(key)) !== hexOf(value))
  const keys = put.map(([key]) => {
    const space = String.fromCharCode(key[0] as number)
    const name = Buffer.from(key.subarray(1)).toString().split('/').slice(2).join('/')
    return space === 'r' ? `r ${name}` : space
  })
  const bytes = put.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  return { keys, bytes: bytes + journal() - journalBefore }
}

describe('fork', () => {
  it('shares the path of an entry and stores none of it again', async () => {
    const repo = await openRepo()
    const { id, oids } = await conversation(repo)
    const before = await repo.read(async (reader) => reader.sizes())
    const forked = await fork(repo, `${id}~1`)
    expect(forked.tip).toBe(oids[2])
    expect(await repo.read(async (reader) => reader.sizes())).toEqual(before)
    const made = await session(repo, forked.session)
    const native = nativeOf(await session(repo, id))
    expect(made).toMatchObject({
      meta: {
        title: null,
        cwd: '/there',
        format: 'sess',
        fork: { base: [[native!.log, 4]], entries: 3 },
      },
      head: { branch: 'main' },
      hasHead: false,
      natives: new Map(),
    })
    expect([...made.branches]).toEqual([['main', oids[2]]])
    expect(logsOf(made)).toEqual([[native!.log, 4]])
  })

  it('counts the entries that it shares, and has a log of its own once it is appended to', async () => {
    const repo = await openRepo()
    const { id } = await conversation(repo)
    const { session: forked } = await fork(repo, `${id}~1`, { title: 'Another way' })
    const shown = async () => listed(await session(repo, forked))
    expect(await shown()).toMatchObject({ title: 'Another way', entries: 3, records: 0, head: 'main' })
    await append(repo, forked, [says('4b'), says('5b')])
    expect(await shown()).toMatchObject({ entries: 5, records: 2 })
    const copy = await session(repo, forked)
    const { meta } = copy
    const [native, first] = [nativeOf(copy), nativeOf(await session(repo, id))]
    expect([native?.count, native?.entries]).toEqual([2, 2])
    expect(native?.log).not.toBe(first?.log)
    expect(meta.fork).toEqual({ base: [[first?.log, 4]], entries: 3 })
  })

  it('N10: costs the same after a few entries and after thousands', async () => {
    const [few, thousand, thousands] = [await costAfter(3), await costAfter(1000), await costAfter(9000)]
    expect(few.keys).toEqual(['c', 'e', 'm', 'o', 'r branches/main', 'r meta'])
    expect([thousand.keys, thousands.keys]).toEqual([few.keys, few.keys])
    expect(thousands.bytes).toBe(thousand.bytes)
    expect(thousands.bytes).toBeLessThan(1024)
    // Larger counts have more digits.
    expect(thousands.bytes - few.bytes).toBeLessThan(32)
  })

  it('costs less than 80 bytes more for each fork on the way to it', async () => {
    const [none, ten] = [await costAfter(3), await costAfter(3, 10)]
    expect(ten.keys).toEqual(none.keys)
    // The name of each log and a count, in the ref and in the journal.
    expect(ten.bytes - none.bytes).toBeLessThan(10 * 80)
  })

  it('goes its own way, and the other does not notice', async () => {
    const repo = await openRepo()
    const { id, oids } = await conversation(repo)
    const { session: other } = await fork(repo, oids[1]!, { title: 'Another way' })
    const more = await append(repo, other, [says('3b'), says('4b')])
    const rest = await append(repo, id, [says('5')])
    expect((await loggedIn(repo, other)).map(({ oid }) => oid)).toEqual([...oids.slice(0, 2), ...more])
    expect((await loggedIn(repo, id)).map(({ oid }) => oid)).toEqual([...oids, ...rest])
    expect((await session(repo, other)).meta).toMatchObject({ title: 'Another way', cwd: '/work' })
    // The same words from the same place are the same entry.
    const third = await fork(repo, oids[1]!)
    expect(await append(repo, third.session, [says('3')])).toEqual([oids[2]])
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('of a fork keeps the times of what they share', async () => {
    const repo = await openRepo()
    const { id, oids } = await conversation(repo)
    const times = await loggedIn(repo, id)
    expect(times.every(({ time }) => time !== null)).toBe(true)
    const one = await fork(repo, id)
    const [five] = (await append(repo, one.session, [says('5')])) as [Oid]
    const two = await fork(repo, one.session)
    await append(repo, two.session, [says('6')])
    const logged = await loggedIn(repo, two.session)
    expect(logged.slice(0, 4)).toEqual(times)
    expect(logged[4]).toEqual((await loggedIn(repo, one.session))[4])
    expect([logged[4]!.oid, logged.length]).toEqual([five, 6])
    expect(oids.length).toBe(4)
  })

  it('is one operation, and needs an entry', async () => {
    const repo = await openRepo()
    const { id } = await conversation(repo)
    const before = await repo.read(async (reader) => (await reader.operationLog()).latest)
    await fork(repo, id)
    expect(await repo.read(async (reader) => (await reader.operationLog()).latest)).toBe(before + 1)
    await expectFailure('no-revision', () => fork(repo, 'nothing like it'))
    await expectFailure('empty-session', async () => fork(repo, await createSession(repo)))
    expect(await repo.read(async (reader) => (await reader.operationLog()).latest)).toBe(before + 2)
  })
})

describe('a fork before a message of the user', () => {
  it('N6: parts from its parent and gives its text', async () => {
    const { store, session: own, oids, repo } = await talk()
    await own.label('early', oids.a1)
    await own.label('late', oids.a2)
    const { session: id, tip, text } = await fork(repo, `${oids.q2}`, { before: true })
    expect([tip, text]).toEqual([oids.a1, 'q2'])
    const named = await fork(repo, 'Talk~3', { before: true })
    expect(await (await store.session(named.session)).tip()).toBe(oids.a1)
    expect(Object.keys((await (await store.session(named.session)).info()).labels)).toEqual(['early'])
    expect(id).not.toBe(named.session)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('N6: is empty before the first, and remembers what it was forked from', async () => {
    const { store, session: own, repo } = await talk()
    const made = await fork(repo, 'Talk~5', { before: true })
    const forked = await store.session(made.session)
    expect([made.tip, made.text, await forked.tip()]).toEqual([null, 'q1', null])
    const { meta } = await repo.read((reader) => getSession(reader, made.session))
    expect(meta.fork).toMatchObject({ entries: 0, from: own.id })
    const root = await forked.append(asks('q1 again'))
    expect((await store.show(root)).parents).toEqual([])
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('N6: must be a message of the user, as a fork behind an entry need not', async () => {
    const { repo, oids, session: own } = await talk()
    const custom = await own.append({ type: 'custom_message', body: { content: 'x' } })
    for (const oid of [oids.a2, custom])
      await expectFailure('no-prompt', () => fork(repo, `${oid}`, { before: true }))
    expect((await fork(repo, `${oids.a2}`)).tip).toBe(oids.a2)
  })
})

describe('what is noted of where a fork reaches', () => {
  /** Returns which of some entries a session may reach, and how many it reaches at most. */
  const reachOf = (repo: Repo, id: string, oids: readonly Oid[]): Promise<unknown> =>
    repo.read(async (reader) => {
      const covered = await reader.index.session(id)
      const entries = await reader.findMany(oids)
      const mayReach = oids.map((oid) => covered?.mayReach(entries.get(oid) as EntryHandle))
      return covered && { size: covered.size, mayReach }
    })

  it('is its own path, on and beside that of the session', async () => {
    const repo = await openRepo()
    const another = await append(repo, await createSession(repo), [says('another')])
    const { id, oids } = await conversation(repo)
    const forked = (await fork(repo, `${id}~2`)).session
    expect(await reachOf(repo, forked, [...another, ...oids])).toEqual({
      size: 2,
      mayReach: [false, true, true, false, false],
    })
    await createBranch(repo, id, 'side', `${id}~2`)
    const beside = await append(repo, id, [says('beside')], { branch: 'side' })
    const aside = (await fork(repo, `${id}/side`)).session
    expect(await reachOf(repo, aside, [...another, ...oids, ...beside])).toEqual({
      size: 5,
      mayReach: [false, true, true, true, true, true],
    })
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('is there too where nothing is noted of the session', async () => {
    const repo = await openRepo()
    const { id, oids } = await conversation(repo)
    await repo.write({}, ({ writer }) => writer.index.clear())
    expect(await reachOf(repo, id, oids)).toBeUndefined()
    const forked = (await fork(repo, `${id}~1`)).session
    expect(await reachOf(repo, forked, oids)).toEqual({ size: 3, mayReach: [true, true, true, false] })
  })
})
