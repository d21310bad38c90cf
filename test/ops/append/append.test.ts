import { describe, expect, it } from 'vitest'
import { digestOf, NO_LINKS, oidOfEntry } from '../../../src/model/encoding/entry.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { Json } from '../../../src/model/json.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import { branchRef, headRef } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../../src/ops/append/handlers.ts'
import type { Append } from '../../../src/ops/append/request.ts'
import { createBranch } from '../../../src/ops/branch.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { readHeaders } from '../../../src/repo/records.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession, nativeLogs, refValue, type SessionState, tipOf } from '../../../src/repo/session.ts'
import { listedIn, renewList } from '../../../src/repo/sessionlist.ts'
import { ALL } from '../../support/amount.ts'
import { expectFailure } from '../../support/errors.ts'
import { nativeOf } from '../../support/nativelogs.ts'
import { BEGIN, openRepo } from '../../support/store.ts'

const says = (content: string, role = 'user'): Append => ({ body: { role, content } })

/** Returns the oids of a path of messages. */
function oidsOf(bodies: readonly Json[], type = 'sess/message', before?: Oid): Oid[] {
  const oids: Oid[] = []
  for (const body of bodies) {
    const parent = oids.at(-1) ?? before
    oids.push(oidOfEntry({ parents: parent ? [parent] : [], type, digest: digestOf(body), links: NO_LINKS }))
  }
  return oids
}

const session = (repo: Repo, id: string): Promise<SessionState> =>
  repo.read((reader) => getSession(reader, id))

/** Returns the bodies from the root to the tip of a session. */
const pathOf = (repo: Repo, id: string): Promise<Json[]> =>
  repo.read(async (reader) => {
    const bodies: Json[] = []
    const tip = tipOf(await getSession(reader, id))
    let row = tip === undefined ? undefined : await reader.find(tip)
    while (row !== undefined) {
      bodies.unshift(await reader.body(row))
      row = (await reader.node(row)).parents[0]
    }
    return bodies
  })

/** Returns the bodies and times that the records of a session's own logs stand for. */
const recordsOf = (repo: Repo, id: string): Promise<[Json, number | undefined][]> =>
  repo.read(async (reader) => {
    const native = nativeOf(await getSession(reader, id))
    const found: [Json, number | undefined][] = []
    for (const [log, count] of nativeLogs(native!).toReversed()) {
      const before = found.length
      for await (const [position, { entry, tip, time }] of readHeaders(reader, log, 0, count)) {
        expect([before + position, tip]).toEqual([found.length, entry])
        found.push([await reader.body(entry as EntryHandle), time])
      }
    }
    return found
  })

const contents = (bodies: readonly Json[]): unknown[] =>
  bodies.map((body) => (body as { content: string }).content)

const sound = async (repo: Repo): Promise<void> => expect((await fsck(repo)).findings).toEqual([])

describe('createSession', () => {
  it('makes an empty session on main', async () => {
    const repo = await openRepo()
    const id = await createSession(repo, { title: 'A title' })
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(await session(repo, id)).toMatchObject({
      meta: { title: 'A title', cwd: '/work', format: 'sess', native: null, path: null },
      head: { branch: 'main' },
      natives: new Map(),
      source: undefined,
    })
    expect(await createSession(repo, { cwd: '/else' })).not.toBe(id)
  })
})

describe('append', () => {
  it('gives oids that are those of the conversation, and keeps all in order', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const bodies = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }))
    const first = await append(repo, id, [{ body: bodies[0]! }])
    const rest = await append(repo, id, [{ body: bodies[1]! }, { body: bodies[2]! }])
    expect([...first, ...rest]).toEqual(oidsOf(bodies))
    expect(await pathOf(repo, id)).toEqual(bodies)
    expect(contents((await recordsOf(repo, id)).map(([body]) => body))).toEqual(['one', 'two', 'three'])
    const times = (await recordsOf(repo, id)).map(([, time]) => time!)
    expect(times).toEqual(times.toSorted((x, y) => x - y))
    expect(times[0]).toBeGreaterThan(BEGIN)
    expect(nativeOf(await session(repo, id))).toMatchObject({ count: 3, entries: 3, updated: times[2] })
    await sound(repo)
  })

  it('stores once what two sessions say alike', async () => {
    const repo = await openRepo()
    const [a, b] = [await createSession(repo), await createSession(repo)]
    const same = [says('hello'), says('hi', 'assistant')]
    expect(await append(repo, a, same)).toEqual(await append(repo, b, same))
    expect(await repo.read(async (reader) => reader.sizes())).toEqual({ entries: 2, blobs: 0 })
    expect(await pathOf(repo, b)).toEqual(await pathOf(repo, a))
    // Said twice in a row it is another conversation.
    expect(new Set(await append(repo, a, [says('again'), says('again')])).size).toBe(2)
    await sound(repo)
  })

  it('takes any type and any body', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const bodies: Json[] = [null, 7, 'text', ['list'], { 'any key': { deep: 'x'.repeat(5000) } }]
    for (const body of bodies) await append(repo, id, [{ type: 'my-agent/event', body }])
    await append(repo, id, [{ type: 'note', body: { n: 1 } }])
    expect(await pathOf(repo, id)).toEqual([...bodies, { n: 1 }])
    const types = await repo.read(async (reader) => {
      const tip = tipOf(await getSession(reader, id))
      return (await reader.node((await reader.find(tip!))!)).type
    })
    expect(types).toBe('sess/note')
  })

  it('refuses what is no entry, and appends none of what comes with it', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const wrong: [Append, string][] = [
      [{ body: 'text' }, 'the body of a message is an object'],
      [{ body: { content: 'x' } }, 'the role is none of user, assistant, tool, system'],
      [{ body: { role: 'robot', content: 'x' } }, 'the role is none of user, assistant, tool, system'],
      [{ body: { role: 'user' } }, 'the content is no text and no list of blocks'],
      [{ type: 'a/b/c', body: 1 }, "'a/b/c' is no type"],
      [{ type: '', body: 1 }, "'' is no type"],
    ]
    for (const [entry, why] of wrong) {
      const { message } = await expectFailure('bad-entry', () => append(repo, id, [says('fine'), entry]))
      expect(message).toBe(`invalid entry: ${why}`)
    }
    expect(await pathOf(repo, id)).toEqual([])
    expect(await append(repo, id, [])).toEqual([])
    await expectFailure('no-session', () => append(repo, 'none', [says('x')]))
    expect(await repo.read(async (reader) => (await reader.operationLog()).latest)).toBe(1)
  })

  it('appends only to the tip that is expected', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [one] = (await append(repo, id, [says('1')], { expected: null })) as [Oid]
    const { message } = await expectFailure('conflict', () =>
      append(repo, id, [says('2')], { expected: null }),
    )
    expect(message).toBe(`'${id}' changed meanwhile (expected no entry, found ${one})`)
    const [two] = (await append(repo, id, [says('2')], { expected: one })) as [Oid]
    await expectFailure('conflict', () => append(repo, id, [says('3')], { expected: one }))
    expect(contents(await pathOf(repo, id))).toEqual(['1', '2'])
    const attempts = Array.from({ length: 10 }, (_, i) =>
      append(repo, id, [says(`racer ${i}`)], { expected: two }),
    )
    const results = await Promise.allSettled(attempts)
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      ...Array.from({ length: 9 }, () => 'rejected'),
    ])
    expect(contents(await pathOf(repo, id))).toEqual(['1', '2', 'racer 0'])
    await sound(repo)
  })

  it('keeps 64 appends that are in flight at once, all of them and in order', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const texts = Array.from({ length: 640 }, (_, i) => `message ${i}`)
    const oids: Oid[] = []
    for (let i = 0; i < texts.length; i += 64) {
      const flight = texts.slice(i, i + 64).map((text) => append(repo, id, [says(text)]))
      oids.push(...(await Promise.all(flight)).flat())
    }
    expect(oids).toEqual(oidsOf(texts.map((content) => ({ role: 'user', content }))))
    expect(contents(await pathOf(repo, id))).toEqual(texts)
    expect(contents((await recordsOf(repo, id)).map(([body]) => body))).toEqual(texts)
    // Appends through one open handle are one operation.
    expect(await repo.read(async (reader) => (await reader.operationLog()).latest)).toBe(2)
    await repo.close()
    const again = await openRepo(repo.dir)
    expect(contents(await pathOf(again, id))).toEqual(texts)
    await sound(again)
  })

  it('keeps appends of all sizes in the order in which they were asked for', async () => {
    const repo = await openRepo()
    const [a, b] = [await createSession(repo), await createSession(repo)]
    const said: Record<string, string[]> = { [a]: [], [b]: [] }
    const flights: Promise<unknown>[] = []
    for (let i = 0; i < (ALL ? 60 : 20); i++) {
      const id = i % 3 === 0 ? b : a
      const size = [1, 2, 40, 1, 700][i % 5]!
      const texts = Array.from({ length: size }, (_, n) => `${i}.${n}`)
      said[id]!.push(...texts)
      flights.push(
        append(
          repo,
          id,
          texts.map((text) => says(text)),
        ),
      )
    }
    await Promise.all(flights)
    for (const id of [a, b]) {
      expect(contents(await pathOf(repo, id))).toEqual(said[id])
      expect(contents((await recordsOf(repo, id)).map(([body]) => body))).toEqual(said[id])
    }
    await sound(repo)
  })

  it('moves the entry on which a session stands when it is on no branch', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [one, two] = (await append(repo, id, [says('1'), says('2')])) as [Oid, Oid]
    await repo.write({}, async ({ reader, move }) =>
      move(headRef(id), await reader.ref(headRef(id)), refValue({ oid: one })),
    )
    const [three] = await append(repo, id, [says('3')])
    const now = await session(repo, id)
    expect([now.head, now.branches.get('main')]).toEqual([{ oid: three }, two])
    expect(contents(await pathOf(repo, id))).toEqual(['1', '3'])
    expect(nativeOf(now)).toMatchObject({ count: 3, entries: 3 })
  })

  it('begins a new log where records stand behind its own that were undone', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await append(repo, id, [says('1')])
    const before = new Map<string, Json>()
    await repo.read(async (reader) => {
      for await (const [name, value] of reader.refs('')) before.set(name, value)
    })
    for (const text of ['2', '3', '4', '5', '6']) await append(repo, id, [says(text)])
    await repo.write({}, async ({ reader, move }) => {
      for await (const [name, value] of reader.refs('')) move(name, value, before.get(name))
    })
    const { log } = nativeOf(await session(repo, id))!
    await append(repo, id, [says('b'), says('c'), says('d')])
    await append(repo, id, [says('e')])
    const native = nativeOf(await session(repo, id))
    expect(native).toMatchObject({ count: 4, entries: 5, earlier: [[log, 1]] })
    expect(native!.log).not.toBe(log)
    expect(contents((await recordsOf(repo, id)).map(([body]) => body))).toEqual(['1', 'b', 'c', 'd', 'e'])
    await sound(repo)
  })

  it('continues any branch of a session, wherever it stands, several in one turn', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [one] = (await append(repo, id, [says('1')])) as [Oid]
    await createBranch(repo, id, 'side')
    const [[main], [side]] = await Promise.all([
      append(repo, id, [says('2')], { branch: 'main', expected: one }),
      append(repo, id, [says('2b')], { branch: 'side', expected: one }),
      expectFailure('conflict', () => append(repo, id, [says('3b')], { branch: 'side', expected: one })),
    ])
    const now = await session(repo, id)
    expect([...now.branches]).toEqual([
      ['main', main],
      ['side', side],
    ])
    expect(nativeOf(now)).toMatchObject({ count: 3, entries: 3 })
    await expectFailure('no-branch', () => append(repo, id, [says('x')], { branch: 'none' }))
    await sound(repo)
  })

  it('begins a second root where a session stands before its first entry', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [one] = (await append(repo, id, [says('1')])) as [Oid]
    await repo.write({}, ({ move }) => move(headRef(id), undefined, refValue({ oid: null })))
    expect(tipOf(await session(repo, id))).toBeUndefined()
    const [root] = (await append(repo, id, [says('other')], { expected: null })) as [Oid]
    expect([root]).toEqual(oidsOf([{ role: 'user', content: 'other' }]))
    const now = await session(repo, id)
    expect([now.head, now.branches.get('main')]).toEqual([{ oid: root }, one])
    await sound(repo)
  })
})

it('refuses what another process asks for on what is no branch, and does what others ask at the same time', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const ask = async (text: string, to: { readonly [name: string]: Json }) =>
    REQUEST_HANDLERS['append']?.(repo, {
      session: id,
      entries: [{ ...says(text), type: 'sess/message' }],
      token: 'aa',
      ...to,
    })
  const asked = [ask('before', {}), ask('there', { branch: { a: 1 } }), ask('behind', { branch: 'main' })]
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await pathOf(repo, id)).toEqual([says('before').body, says('behind').body])
})

it('refuses what another process asks for that is no entry, and does what others ask at the same time', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const wrong: Json[] = [null, [null], [{ type: 7, body: {} }], [{ body: { role: 'nobody', content: 'x' } }]]
  const ask = async (entries: Json) =>
    REQUEST_HANDLERS['append']?.(repo, { session: id, entries, token: 'aa' })
  const right = ['before', 'behind'].map((text): Json[] => [{ ...says(text), type: 'sess/message' }])
  const [before, behind] = right as [Json[], Json[]]
  const outcomes = await Promise.allSettled([before, ...wrong, behind].map(ask))
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    ...wrong.map(() => 'rejected'),
    'fulfilled',
  ])
  expect(await pathOf(repo, id)).toEqual([says('before').body, says('behind').body])
})

/** Returns a value nested so deep that it has no bytes. */
function tooDeep(): Json {
  let deep: Json = 1
  for (let level = 0; level < 200_000; level++) deep = [deep]
  return deep
}

it('refuses a body that has no bytes, and does what others ask at the same time', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const bodies = ['before', tooDeep(), 'behind'].map(
    (content): Json => ({
      role: 'user',
      content: [content],
    }),
  )
  const outcomes = await Promise.allSettled(bodies.map((body) => append(repo, id, [{ body }])))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await pathOf(repo, id)).toEqual([bodies[0], bodies[2]])
})

it('refuses many that another process asks for where one has no bytes, and does what others ask at the same time', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const [before, wrong, behind] = ['before', tooDeep(), 'behind'].map((last): Json[] =>
    Array.from({ length: 20 }, (_, i) => ({
      type: 'sess/message',
      body: { role: 'user', content: i < 19 ? `${i}` : [last] },
    })),
  ) as [Json[], Json[], Json[]]
  const ask = async (entries: Json) =>
    REQUEST_HANDLERS['append']?.(repo, { session: id, entries, token: 'aa' })
  const outcomes = await Promise.allSettled([before, wrong, behind].map(ask))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await pathOf(repo, id)).toEqual(
    [...before, ...behind].map((entry) => (entry as { body: Json }).body),
  )
})

it('appends none of many of which one has no bytes, and others afterwards', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const many = Array.from({ length: 20 }, (_, i) => says(`${i}`))
  const wrong = [...many, { body: { role: 'user', content: [tooDeep()] } }]
  await expect(append(repo, id, wrong)).rejects.toThrow(RangeError)
  expect(await pathOf(repo, id)).toEqual([])
  await append(repo, id, many)
  expect(contents(await pathOf(repo, id))).toEqual(contents(many.map(({ body }) => body)))
  await sound(repo)
})

describe('an append to a session', () => {
  it('reports the entry and its time to the search index, and keeps its names', async () => {
    const repo = await openRepo()
    const id = await createSession(repo, { title: 'lamp' })
    const [oid] = await append(repo, id, [{ ...says('light'), time: BEGIN + 5 }])
    const covered = await repo.read(async (reader) => {
      const known = await reader.index.session(id)
      const entry = (await reader.find(oid as Oid)) as EntryHandle
      return { time: known?.time, names: known?.names, mayReach: known?.mayReach(entry) }
    })
    expect(covered).toEqual({ time: BEGIN + 5, names: ['lamp'], mayReach: true })
  })

  it('fails with `corrupt` where the branch names no entry', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await repo.write({}, ({ move }) => move(branchRef(id, 'main'), undefined, 'nothing'))
    const { message } = await expectFailure('corrupt', () => append(repo, id, [says('light')]))
    expect(message).toContain(`the ref '${branchRef(id, 'main')}' cannot be read`)
  })

  it('begins another operation once a list of sessions was kept that includes the last one', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const latest = (): Promise<number> => repo.read(async (reader) => (await reader.operationLog()).latest)
    await append(repo, id, [says('a')])
    const first = await latest()
    await append(repo, id, [says('b')])
    expect(await latest()).toBe(first)
    await renewList(repo, listedIn, 1)
    await append(repo, id, [says('c')])
    expect(await latest()).toBe(first + 1)
  })
})
