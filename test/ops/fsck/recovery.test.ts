import { expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { Recovery } from '../../../src/ops/fsck/recover.ts'
import type { Reader } from '../../../src/repo/reader.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession } from '../../../src/repo/session.ts'
import { expectFailure } from '../../support/errors.ts'
import { nativeOf } from '../../support/nativelogs.ts'
import { openRepo } from '../../support/store.ts'

const FOREIGN = { role: 'user', content: 'never said' }

/** Returns an object with other values of some properties. */
const lying = <T extends object>(honest: T, lies: Partial<T>): T =>
  new Proxy(honest, {
    get: (target, key) => {
      const value: unknown = Reflect.get(key in lies ? lies : target, key)
      return typeof value === 'function' ? (value.bind(key in lies ? lies : target) as unknown) : value
    },
  })

async function said(...texts: string[]): Promise<{ repo: Repo; id: string; oids: Oid[] }> {
  const repo = await openRepo()
  const id = await createSession(repo)
  const oids = await append(
    repo,
    id,
    texts.map((content) => ({ body: { role: 'user', content } })),
  )
  return { repo, id, oids }
}

/** Runs work with a copier from one store into another. */
const recovering = <T>(
  there: Repo,
  here: Repo,
  work: (recovery: Recovery, other: Reader) => Promise<T>,
  lies: (other: Reader) => Partial<Reader> = () => ({}),
): Promise<T> =>
  there.read((other) =>
    here.write({}, ({ reader, writer }) =>
      work(new Recovery(reader, lying(other, lies(other)), writer), other),
    ),
  )

it('recovers the entry with the first handle of the other store', async () => {
  const [{ repo: there, oids }, here] = [await said('one', 'two'), await openRepo()]
  const [first, last] = oids as [Oid, Oid]
  expect(await recovering(there, here, (recovery) => recovery.entry(first))).toBe(true)
  expect(await here.read((reader) => reader.find(first))).toBeDefined()
  expect(await here.read((reader) => reader.find(last))).toBeUndefined()
})

it.each<readonly [string, (other: Reader) => Partial<Reader>]>([
  ['another body', () => ({ body: () => FOREIGN })],
  [
    'another type',
    (other) => ({ node: async (at) => lying(await other.node(at), { type: 'sess/summary' }) }),
  ],
  ['another parent', (other) => ({ node: async (at) => lying(await other.node(at), { parents: [] }) })],
  [
    'the entry of another oid',
    (other) => ({ find: async () => other.find((await said('else')).oids[0] as Oid) }),
  ],
])('refuses an entry for which the other store gives %s', async (_, lies) => {
  const [{ repo: there, oids }, here] = [await said('one', 'two'), await openRepo()]
  const [first, last] = oids as [Oid, Oid]
  expect(await recovering(there, here, (recovery) => recovery.entry(last), lies)).toBe(false)
  expect(await here.read((reader) => reader.find(last))).toBeUndefined()
  expect(await recovering(there, here, (recovery) => recovery.entry(last))).toBe(true)
  expect(await here.read((reader) => reader.find(first))).toBeDefined()
  expect((await fsck(here)).findings).toEqual([])
})

it('refuses a log with a record of a foreign body', async () => {
  const [{ repo: there, id }, here] = [await said('one', 'two'), await openRepo()]
  const { log, count } = nativeOf(await there.read((reader) => getSession(reader, id)))!
  const taken = recovering(
    there,
    here,
    (recovery) => recovery.prefix(log, count),
    () => ({ body: () => FOREIGN }),
  )
  await expectFailure('corrupt', () => taken)
  expect(await recovering(there, here, (recovery) => recovery.prefix(log, count))).toBe(log)
})

it('computes traits and weight of what it takes from the body', async () => {
  const [{ repo: there, oids }, here] = [await said('one'), await openRepo()]
  const lies = (other: Reader): Partial<Reader> => ({
    node: async (at) =>
      lying(await other.node(at), { weight: { calls: 99, tokens: 1e9, prompts: 99, texts: 99 } }),
  })
  await recovering(there, here, (recovery) => recovery.entry(oids[0] as Oid), lies)
  expect((await fsck(here)).findings).toEqual([])
})
