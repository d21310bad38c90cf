import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { labelRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { fork } from '../../src/ops/fork.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { listLabels, removeLabel, setLabel } from '../../src/ops/label.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { all } from '../conformance/laws/law.ts'
import { runs } from '../support/amount.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

async function conversation(repo: Repo): Promise<string> {
  const id = await createSession(repo)
  const says = ['1', '2', '3', '4'].map((content) => ({ body: { role: 'user', content } }))
  await append(repo, id, says)
  return id
}

const labels = async (repo: Repo, id: string): Promise<[string, string | null][]> =>
  (await listLabels(repo, id)).map(({ name, entry }) => [name, entry.text])

describe('a label', () => {
  it('set and removed leaves the refs as they were', async () => {
    const repo = await openRepo()
    const id = await conversation(repo)
    await setLabel(repo, 'kept', `${id}~1`)
    const refs = () => repo.read((reader) => all(reader.refs('')))
    const name = fc
      .stringMatching(/^[a-z0-9](?:[a-z0-9/ é._-]{0,8}[a-z0-9])?$/)
      .filter((text) => !/\.\.|\/\/|^main$|^kept$/.test(text))
    await fc.assert(
      fc.asyncProperty(name, fc.nat(3), async (label, steps) => {
        const before = await refs()
        const made = await setLabel(repo, label, `${id}~${steps}`)
        expect(await repo.read((reader) => reader.ref(labelRef(id, label)))).toBe(made.oid)
        expect(
          await repo.read(async (reader) => (await reader.ref(labelRef(id, 'kept'))) !== undefined),
        ).toBe(true)
        expect(await removeLabel(repo, label, id)).toEqual({ session: id, name: label, oid: made.oid })
        expect(await refs()).toEqual(before)
      }),
      { numRuns: runs(20) },
    )
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('moves with force alone, and writes nothing where it stands there already', async () => {
    const repo = await openRepo()
    const id = await conversation(repo)
    const first = await setLabel(repo, 'good', `${id}~1`)
    const operations = () => repo.read(async (reader) => (await reader.operationLog()).latest)
    const before = await operations()
    expect(await setLabel(repo, 'good', `${id}~1`)).toEqual({ ...first, before: first.oid })
    await expectFailure('exists', () => setLabel(repo, 'good', id))
    expect(await operations()).toBe(before)
    expect(await setLabel(repo, 'good', id, { force: true })).toMatchObject({ before: first.oid })
    expect(await labels(repo, id)).toEqual([['good', '4']])
  })

  it('goes with a fork of its path, as far as that is shared', async () => {
    const repo = await openRepo()
    const id = await conversation(repo)
    for (const steps of [0, 1, 2, 3]) await setLabel(repo, `at-${4 - steps}`, `${id}~${steps}`)
    const { session } = await fork(repo, `${id}~1`)
    expect(await labels(repo, session)).toEqual([
      ['at-1', '1'],
      ['at-2', '2'],
      ['at-3', '3'],
    ])
    await removeLabel(repo, 'at-1', id)
    expect((await labels(repo, session)).length).toBe(3)
    expect((await labels(repo, id)).length).toBe(3)
  })

  it('of an entry alone is of the session of the folder that has it, or of none', async () => {
    const repo = await openRepo()
    const other = await createSession(repo, { cwd: '/elsewhere' })
    const [oid] = await append(repo, other, [{ body: { role: 'user', content: 'else' } }])
    await expectFailure('bad-usage', () => setLabel(repo, 'lost', oid))
    const id = await conversation(repo)
    await expectFailure('bad-usage', () => setLabel(repo, 'lost', oid))
    expect(await setLabel(repo, 'lost', oid, { session: id })).toMatchObject({ session: id })
    const { oid: second } = await setLabel(repo, 'two', `${id}~2`)
    expect(await setLabel(repo, 'deux', second)).toMatchObject({ session: id, before: null })
    await expectFailure('empty-session', async () =>
      setLabel(repo, 'none', undefined, { session: await createSession(repo) }),
    )
  })
})
