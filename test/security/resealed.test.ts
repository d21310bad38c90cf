import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import { MemoryLevel } from 'memory-level'
import { expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { SessError } from '../../src/model/errors.ts'
import { logId } from '../../src/model/record.ts'
import type { RefName } from '../../src/model/refname.ts'
import { demandsOf } from '../../src/model/search/words.ts'
import { Utf8Buffer } from '../../src/model/spelling/utf8buffer.ts'
import { append } from '../../src/ops/append/append.ts'
import { gc } from '../../src/ops/gc.ts'
import { addRecord, readRecord, readRecords } from '../../src/repo/records.ts'
import { Repo } from '../../src/repo/repo.ts'
import { shortestPrefix } from '../../src/repo/revision.ts'
import { listedIn, renewList } from '../../src/repo/sessionlist.ts'
import { addChecksum } from '../../src/storage/checksum.ts'
import { compress, decompress } from '../../src/storage/levelbackend/compression.ts'
import { LevelBackend } from '../../src/storage/levelbackend/levelbackend.ts'
import { runs } from '../support/amount.ts'
import { Random } from '../support/random.ts'
import { smallStore } from '../support/smallstore.ts'
import { wronged } from '../support/wronged.ts'

type Pair = readonly [key: Uint8Array, value: Uint8Array]

const BINARY = { keyEncoding: 'view', valueEncoding: 'view' } as const

/** Values whose bytes lie packed. */
const PACKED = 'blow'
const SPACES = 'bcdehilmorstw'

/** Returns all that lies in the database of a store which has something of every kind, and the oids of its entries. */
async function everything(): Promise<{ readonly pairs: readonly Pair[]; readonly oids: readonly Oid[] }> {
  const { dir, sessions } = await smallStore()
  const during = async <T>(work: (repo: Repo) => Promise<T>): Promise<T> => {
    const repo = await Repo.open(dir)
    const result = await work(repo)
    await repo.close()
    return result
  }
  await during((repo) => gc(repo, { grace: 0, operations: 1000 }))
  const says = (n: number) => ({ body: { role: 'user', content: `${n} says ${'so '.repeat(40 * n)}`, n } })
  const oids = await during(async (repo) => {
    await append(
      repo,
      sessions[0] as string,
      Array.from({ length: 20 }, (_, n) => says(n)),
    )
    for (const id of sessions.slice(0, 3)) await append(repo, id, [says(30)])
    return repo.read(async (backend) => {
      const all: Oid[] = []
      for await (const entry of backend.entries()) all.push(await backend.oid(entry))
      return all
    })
  })
  await during((repo) => renewList(repo, listedIn, 1))
  const generation = readFileSync(join(dir, 'generation'), 'utf8').trim()
  const level = new Level<Uint8Array, Uint8Array>(join(dir, `db.${generation}`), BINARY)
  const pairs = await level.iterator().all()
  await level.close()
  return { pairs, oids }
}

/** Reads all that can be read of a database, and gives the errors that say nothing of damage. */
async function oddErrors(
  level: MemoryLevel<Uint8Array, Uint8Array>,
  oids: readonly Oid[],
): Promise<unknown[]> {
  const odd: unknown[] = []
  const tried = async (work: () => unknown): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof SessError) || error.kind === 'bug') odd.push(error)
    }
  }
  const each = <T>(all: AsyncIterable<T> | Iterable<T>, work: (one: T) => unknown = () => undefined) =>
    tried(async () => {
      for await (const one of all) await tried(() => work(one))
    })
  let backend: LevelBackend | undefined
  await tried(() => {
    backend = new LevelBackend(level, { existing: true })
  })
  if (!backend) return odd
  const is = backend
  await tried(() => is.findMany(oids))
  for (const oid of oids.slice(0, 5)) await tried(() => is.find(oid))
  await tried(() => is.findByPrefix((oids[0] as Oid).slice(0, 4), 9))
  await tried(() => shortestPrefix(is, oids[1] as Oid))
  await each(is.entries(), async (entry) => {
    await tried(() => {
      const { oid, parents, type, digest, links, jump, merge, near } = is.node(entry)
      return [is.oid(entry), oid, parents, type, digest, links, jump, merge, near]
    })
    await tried(() => is.body(entry))
  })
  await each(is.logs())
  for (let number = 0; number < 10; number++) {
    const log = logId(is.writer, number)
    await tried(() => is.logLength(log))
    await tried(() => readRecord(is, log, 1))
    await each(readRecords(is, log, 0, 999), ([, record]) => addRecord(new Utf8Buffer(), is, record))
  }
  await each(is.refs(''), ([name]) => is.ref(name))
  await tried(() => is.ref('expunged' as RefName))
  for (let number = 1; number <= Math.min(60, is.operationLog().latest); number++)
    await tried(() => is.operation(number))
  await tried(async () => {
    const candidates = await is.index.lookup([[demandsOf('says')]])
    for (const { id } of await is.index.sessions())
      for (const group of candidates.groups(id)) await each(group.entries())
  })
  await tried(() => is.sizes())
  await tried(() => [is.cache.list(), is.cache.listState()])
  await each(is.verify())
  for await (const key of level.keys({ gte: Buffer.from('s'), lt: Buffer.from('t') }))
    await tried(() => is.cache.source(Buffer.from(key.subarray(1)).toString()))
  return odd
}

it('whatever stands behind a checksum that is right: what is none of what it should be is damage', async () => {
  const { pairs, oids } = await everything()
  const random = new Random(7)
  for (let round = 0; round < runs(32); round++)
    for (const space of SPACES) {
      const those = pairs.filter(([key]) => key[0] === space.charCodeAt(0))
      expect([space, those.length > 0]).toEqual([space, true])
      const [key, value] = random.pick(those)
      const content = space === 'i' ? value : value.subarray(8)
      const isInside = PACKED.includes(space) && !random.once(4)
      const next = isInside
        ? await compress(wronged(decompress(content), random), 3)
        : wronged(content, random)
      const level = new MemoryLevel<Uint8Array, Uint8Array>({ ...BINARY, storeEncoding: 'view' })
      await level.open()
      await level.batch(pairs.map(([of, is]) => ({ type: 'put' as const, key: of, value: is })))
      await level.put(key, space === 'i' ? next : addChecksum(key, next))
      const told = `${space} ${round}: ${Buffer.from(next.subarray(0, 40)).toString('hex')}`
      expect([told, await oddErrors(level, oids)]).toEqual([told, []])
    }
})
