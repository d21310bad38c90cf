import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { EntryHandle } from '../../src/model/node.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import type { Reader } from '../../src/repo/reader.ts'
import { getSession } from '../../src/repo/session.ts'
import { newHolder } from '../../src/storage/directory/holder.ts'
import { openDatabase } from '../../src/storage/leveldb/database.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

const says = (content: string) => ({ body: { role: 'user', content } })

/** Returns a signal that aborts in a later turn of the event loop. */
function soon(): AbortSignal {
  const stopping = new AbortController()
  setTimeout(() => stopping.abort(), 30)
  return stopping.signal
}

/** Yields oids of no entry without end. */
function* endlessOids(): Generator<Oid> {
  for (let n = 0; ; n++) yield n.toString(16).padStart(64, '0') as Oid
}

const drain = async (items: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of items);
}

describe('a call that is stopped', () => {
  it.each<[string, (reader: Reader, entry: EntryHandle, session: string) => unknown]>([
    ['nodes', (reader, entry) => reader.node(entry)],
    ['oids', (reader, entry) => reader.oid(entry)],
    ['bodies', (reader, entry) => reader.body(entry)],
    ['canonical bodies', (reader, entry) => reader.canonicalBody(entry)],
    ['entries', (reader) => drain(reader.entries())],
    ['refs', (reader) => drain(reader.refs(''))],
    ['sizes', (reader) => reader.sizes()],
    ['many oids', (reader) => reader.findMany(endlessOids())],
    ['operations', (reader) => drain(reader.operations({ after: 0, upTo: 10 }))],
    ['sessions', (reader, _, session) => getSession(reader, session)],
  ])('ends while it reads %s without end', async (_, read) => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [oid] = await append(repo, id, [says('hello')])
    const call = repo.call({ signal: soon() })
    await expectFailure('stopped', () =>
      call.read(async (reader) => {
        const entry = (await reader.find(oid as never)) as EntryHandle
        for (;;) await read(reader, entry, id)
      }),
    )
    expect((await repo.read((reader) => getSession(reader, id))).id).toBe(id)
  })

  it('throws nothing where a late read was dropped, but what it waits for', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [oid] = await append(repo, id, [says('hello')])
    const call = repo.call({ signal: soon() })
    await expectFailure('stopped', () =>
      call.read(async (reader) => {
        const entry = (await reader.find(oid as never)) as EntryHandle
        for (let n = 0; n < 1e8; n++) {
          const atHand = reader.oid(entry)
          if (atHand instanceof Promise) await call.yieldToEvents()
        }
      }),
    )
  })

  it('ends while it waits for another unit of work, which goes on', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    let finish: () => void = () => undefined
    let other: Promise<void> | undefined
    await new Promise<void>((begun) => {
      other = repo.write({}, () => {
        begun()
        return new Promise<void>((resolve) => void (finish = resolve))
      })
    })
    await expectFailure('stopped', () => createSession(repo.call({ signal: soon() })))
    const { message } = await expectFailure('stopped', () =>
      append(repo.call({ signal: soon() }), id, [says('hello')]),
    )
    expect(message).toBe('stopped: it was begun and may still be written')
    finish()
    await other
    await createSession(repo)
  })

  it.each<[string, (...of: Parameters<typeof append>) => Promise<unknown>]>([
    ['an append', append],
    ['another change', (repo) => createSession(repo)],
  ])('ends while %s waits for a process that has the database', async (_, change) => {
    const repo = await openRepo(undefined, { lockTimeout: 20_000 })
    const id = await createSession(repo)
    await repo.close()
    const waiting = await openRepo(repo.dir, { lockTimeout: 20_000 })
    const holder = await openDatabase(repo.dir, { lockTimeout: 0, holder: newHolder('test', 0) })
    try {
      await expectFailure('stopped', () => change(waiting.call({ signal: soon() }), id, [says('hello')]))
    } finally {
      await holder.close()
    }
    await append(waiting, id, [says('later')])
  })

  it('reads and writes nothing where it was stopped before', async () => {
    const repo = await openRepo()
    const call = repo.call({ signal: AbortSignal.abort() })
    await expectFailure('stopped', () => call.read(() => undefined))
    await expectFailure('stopped', () => call.readSnapshot(() => undefined))
    await expectFailure('stopped', () => call.stream((reader) => reader.entries()).next())
    await expectFailure('stopped', () => createSession(call))
  })
})
