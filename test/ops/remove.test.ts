import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { sessionPrefix } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { fork } from '../../src/ops/fork.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { log } from '../../src/ops/log.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { all } from '../conformance/laws/law.ts'
import { expectFailure } from '../support/errors.ts'
import { makeSession } from '../support/sessions.ts'
import { openRepo } from '../support/store.ts'

const refsOf = (repo: Repo, id: string): Promise<unknown[]> =>
  repo.read((reader) => all(reader.refs(sessionPrefix(id))))
const operations = (repo: Repo): Promise<number> =>
  repo.read(async (reader) => (await reader.operationLog()).latest)

describe('removing sessions', () => {
  it('takes all their refs in one operation, whose moves give them back', async () => {
    const repo = await openRepo()
    const oids = (await makeSession(repo, 'a', { title: 'A', path: '/a', texts: ['1', '2'] })) as [Oid, Oid]
    await makeSession(repo, 'a b', { texts: ['3'], labels: { one: oids[0] } })
    await makeSession(repo, 'aa', { texts: ['4'] })
    const before = [...(await refsOf(repo, 'a')), ...(await refsOf(repo, 'a b'))]
    const count = await operations(repo)
    expect(await removeSessions(repo, ['a', 'a b', 'A'])).toEqual([
      { session: 'a', title: 'A', tip: oids[1], source: '/a' },
      expect.objectContaining({ session: 'a b', title: null, source: null }),
    ])
    expect([await refsOf(repo, 'a'), await refsOf(repo, 'a b'), (await refsOf(repo, 'aa')).length]).toEqual([
      [],
      [],
      3,
    ])
    expect(await operations(repo)).toBe(count + 1)
    const moves = (await repo.read((reader) => reader.operation(count + 1)))?.moves ?? []
    expect(moves.map(({ name, old }) => [name, old])).toEqual(before)
  })

  it('leaves their forks whole', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await append(
      repo,
      id,
      ['1', '2'].map((content) => ({ body: { role: 'user', content } })),
    )
    const { session } = await fork(repo, id)
    const told = async () => (await all(log(repo, session))).map(({ text, time }) => [text, time])
    const before = await told()
    await removeSessions(repo, [id])
    expect(await told()).toEqual(before)
    expect(before.every(([, time]) => time !== null)).toBe(true)
    await append(repo, session, [{ body: { role: 'user', content: '3' } }])
    expect((await fsck(repo)).findings).toEqual([])
    await expectFailure('no-session', () => append(repo, id, [{ body: { role: 'user', content: '3' } }]))
  })
})
