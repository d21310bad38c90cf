import { describe, expect, it } from 'vitest'
import { oidOf } from '../../src/model/encoding/oid.ts'
import { sha256 } from '../../src/model/encoding/sha256.ts'
import type { RefValue } from '../../src/model/operation.ts'
import {
  branchRef,
  exportRef,
  fileRef,
  headRef,
  labelRef,
  leafRef,
  metaRef,
  nativesRef,
  type RefName,
  sourceLogRef,
} from '../../src/model/refname.ts'
import { gc } from '../../src/ops/gc.ts'
import { reindex } from '../../src/ops/indexing.ts'
import { stateDigest } from '../../src/repo/listedsession.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { findSession, getSession } from '../../src/repo/session.ts'
import { renewList } from '../../src/repo/sessionlist.ts'
import { makeSession } from '../support/sessions.ts'
import { openRepo } from '../support/store.ts'

const oid = (text: string): RefValue => oidOf(sha256(Buffer.from(text)))

const state = async (repo: Repo, id = 'a'): Promise<string | undefined> => {
  const session = await repo.read((reader) => findSession(reader, id))
  return session && stateDigest(session)
}

const moveRef = (repo: Repo, name: RefName, value: RefValue | undefined): Promise<void> =>
  repo.write({}, async ({ reader, move }) => move(name, await reader.ref(name), value))

const WRITER = '0123456789abcdef'
const OTHER_WRITER = 'fedcba9876543210'

const head = (count: number, writer = WRITER) => ({
  log: `${writer}.${count}`,
  count,
  entries: count,
  hash: 'ab'.repeat(32),
})

const source = (count: number) => ({
  ...head(count),
  ...{ reading: 1, bytes: 9, sha256: 'cd'.repeat(32), tail: [], branches: {}, salvaged: 0 },
})

const REFS: readonly (readonly [RefName, RefValue])[] = [
  [metaRef('a'), { format: 'sess', title: 'T', set: { x: '1', y: '2' } }],
  [branchRef('a', 'main'), oid('1')],
  [branchRef('a', 'über/x'), oid('2')],
  [labelRef('a', 'good'), oid('3')],
  [sourceLogRef('a'), source(4)],
  [nativesRef('a', OTHER_WRITER), head(5, OTHER_WRITER)],
  [nativesRef('a', WRITER), head(7)],
  [fileRef('a', 'agent/todo.json'), source(6)],
]

async function storeOf(refs: readonly (readonly [RefName, RefValue])[]): Promise<Repo> {
  const repo = await openRepo()
  for (const [name, value] of refs) await moveRef(repo, name, value)
  return repo
}

describe('the state digest of a session', () => {
  it('is equal in stores with equal refs, in whatever order refs and fields were written', async () => {
    const one = await state(await storeOf(REFS))
    const reordered = { set: { y: '2', x: '1' }, title: 'T', format: 'sess' }
    const other = [...REFS.slice(1).reverse(), [metaRef('a'), reordered] as const]
    expect(one).toMatch(/^[0-9a-f]{64}$/)
    expect(await state(await storeOf(other))).toBe(one)
  })

  it('is over the refs in the order of their names, in whatever order they were read', async () => {
    const repo = await storeOf(REFS)
    const session = await repo.read((reader) => getSession(reader, 'a'))
    const reversed = { ...session, refs: session.refs.toReversed() }
    expect(stateDigest(reversed)).toBe(stateDigest(session))
  })

  it('changes with each ref that travels, and returns when the ref does', async () => {
    const repo = await storeOf(REFS)
    const before = await state(repo)
    const changed: readonly (readonly [RefName, RefValue])[] = [
      [metaRef('a'), { format: 'sess', title: 'T', set: { x: '2', y: '1' } }],
      ...REFS.slice(1, 4).map(([name]) => [name, oid('another')] as const),
      ...REFS.slice(4).map(([name]) => [name, source(9)] as const),
    ]
    for (const [name, value] of changed) {
      await moveRef(repo, name, value)
      expect([name, (await state(repo)) === before]).toEqual([name, false])
      const [, was] = REFS.find((ref) => ref[0] === name) as (typeof REFS)[number]
      await moveRef(repo, name, was)
      expect([name, await state(repo)]).toEqual([name, before])
    }
    for (const [name, was] of REFS.slice(1)) {
      await moveRef(repo, name, undefined)
      expect([name, (await state(repo)) === before]).toEqual([name, false])
      await moveRef(repo, name, was)
    }
    await moveRef(repo, labelRef('a', 'new'), oid('3'))
    expect(await state(repo)).not.toBe(before)
  })

  it('does not change with refs that stay in this store', async () => {
    const repo = await storeOf(REFS)
    const before = await state(repo)
    await moveRef(repo, headRef('a'), { branch: 'über/x' })
    await moveRef(repo, leafRef('a'), { record: 'n', bytes: 1 })
    await moveRef(repo, exportRef('a', 'there'), {
      ...source(2),
      format: 'pi',
      written: [`${WRITER}.2`, 2],
      tip: oid('1'),
    })
    expect(await state(repo)).toBe(before)
  })

  it('is the same after gc, from a cached list and from a list that was rebuilt', async () => {
    const repo = await openRepo()
    for (let i = 0; i < 40; i++) await makeSession(repo, `s${i}`, { texts: [`Says ${i}`, 'and on'] })
    const before = await state(repo, 's7')
    await renewList(repo)
    expect(await state(repo, 's7')).toBe(before)
    await gc(repo, { grace: 0, operations: 1000 })
    expect(await state(repo, 's7')).toBe(before)
    await reindex(repo)
    expect((await repo.read((reader) => reader.cache.list()))?.sessions).toBe(40)
    expect(await state(repo, 's7')).toBe(before)
    expect(await state(repo, 's8')).not.toBe(before)
  })
})
