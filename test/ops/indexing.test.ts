import { expect, it } from 'vitest'
import { viewOf } from '../../src/formats/registry.ts'
import { encode } from '../../src/model/encoding/canonical.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { SessError } from '../../src/model/errors.ts'
import type { EntryHandle } from '../../src/model/node.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { addEntry } from '../../src/ops/append/nativelog.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { Indexer, indexWaiting } from '../../src/ops/indexing.ts'
import { search } from '../../src/ops/search/search.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { openRepo } from '../support/store.ts'

const said = (content: string) => ({ type: 'sess/message', body: { role: 'user', content } })

/** Adds entries and takes them into the index, and then fails, before or after what it added was written ahead. */
function failing(repo: Repo, flush: boolean): Promise<unknown> {
  return repo.write({ bulk: true }, async ({ reader, writer }) => {
    const indexer = new Indexer(reader, writer)
    let parents: EntryHandle[] = []
    for (let i = 0; i < 1500; i++) {
      const { type, body } = said(`abandoned ${i}`)
      const view = viewOf(type, body)
      const { handle } = await addEntry(
        { reader, writer },
        { type, body, canonical: encode(body), view, parents },
      )
      indexer.add(handle, view)
      parents = [handle]
    }
    if (flush) await writer.flush()
    await indexer.end()
    throw new Error('given up')
  })
}

it.each([false, true])(
  'skips no entry for good where work is given up (written ahead: %j)',
  async (flush) => {
    const repo = await openRepo()
    const id = await createSession(repo, { title: 'kept' })
    const found = async (query: string): Promise<number> =>
      (await search(repo, query, { limit: 1 })).hits.length
    await append(repo, id, [said('the first needle')])
    await expect(failing(repo, flush)).rejects.toThrow('given up')
    await append(repo, id, [said('the second needle')])
    for (let i = 0; i < 20; i++)
      await append(
        repo,
        id,
        Array.from({ length: 100 }, (_, j) => said(`straw ${i} ${j}`)),
      )
    await expect.poll(() => repo.read((reader) => reader.index.waiting())).toBeLessThan(1024)
    await append(repo, id, [said('the third needle')])
    expect([await found('first needle'), await found('second needle'), await found('third needle')]).toEqual([
      1, 1, 1,
    ])
    expect(await found('"straw 7 42"')).toBe(1)
    // Deleted text is added again: entries that exist already are found too.
    const again = await createSession(repo, { title: 'again' })
    await append(
      repo,
      again,
      Array.from({ length: 1500 }, (_, i) => said(`abandoned ${i}`)),
    )
    expect([await found('"abandoned 7"'), await found('"abandoned 1499"')]).toEqual([1, 1])
    expect((await fsck(repo)).findings).toEqual([])
  },
)

it('goes on beyond an entry that is damaged', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const straws = Array.from({ length: 1000 }, (_, i) => said(`straw ${i}`))
  const oids = await append(repo, id, straws)
  await append(repo, id, straws)
  const waiting = await repo.write({}, async ({ reader, writer }) => {
    const broken = await reader.find(oids[100] as Oid)
    const before = writer.index.waiting
    const damaged = new Proxy(reader, {
      get(target, name) {
        const part: unknown = Reflect.get(target, name)
        if (name === 'body')
          return (entry: EntryHandle) => {
            if (entry === broken) throw new SessError('corrupt', 'a body')
            return target.body(entry)
          }
        return typeof part === 'function' ? (part.bind(target) as unknown) : part
      },
    })
    await indexWaiting(damaged, writer)
    return { before, after: writer.index.waiting }
  })
  expect(waiting.before).toBeGreaterThanOrEqual(2000)
  expect(waiting.after).toBeLessThan(waiting.before - 100)
  expect((await search(repo, '"straw 99"', { limit: 1 })).hits).toHaveLength(1)
})
