import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/library/session.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Json } from '../../src/model/json.ts'
import type { BeforeTree } from '../../src/ops/events.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { expectFailure } from '../support/errors.ts'
import { refsOf } from '../support/store.ts'
import { answers, asks, type Talk, talk } from '../support/tree.ts'

async function left(session: Session, revision: string | null): Promise<(string | null)[]> {
  const texts: (string | null)[] = []
  for await (const { text } of session.abandoned(revision)) texts.push(text)
  return texts
}

/** A talk with a second path from its first answer, on a branch `other` that the session stands on. */
async function forked(): Promise<Talk> {
  const made = await talk()
  const { session, oids } = made
  await session.branch('other', oids.a1)
  await session.switch('other')
  const [q2b, a2b] = await session.appendAll([asks('q2b'), answers('a2b')])
  return { ...made, oids: { ...oids, q2b: q2b as Oid, a2b: a2b as Oid } }
}

describe('navigating', () => {
  it('N1: leaves what lies behind the deepest entry of both paths, the oldest first', async () => {
    const { session, oids } = await forked()
    expect(await left(session, `${oids.a3}`)).toEqual(['q2b', 'a2b'])
    expect(await left(session, `${oids.a1}`)).toEqual(['q2b', 'a2b'])
    expect(await left(session, `${oids.q1}`)).toEqual(['a1', 'q2b', 'a2b'])
    expect(await left(session, null)).toEqual(['q1', 'a1', 'q2b', 'a2b'])
    const { commonAncestor, abandoned } = await session.navigate(`${oids.a3}`)
    expect([commonAncestor, abandoned]).toEqual([oids.a1, 2])
  })

  it('N1: has nothing to leave and no common ancestor without an old leaf', async () => {
    const { session, oids } = await talk()
    await session.switchToRoot()
    expect(await left(session, `${oids.a2}`)).toEqual([])
    const { commonAncestor, abandoned, tip } = await session.navigate(`${oids.a2}`)
    expect([commonAncestor, abandoned, tip]).toEqual([null, 0, oids.a2])
  })

  it('N1: leaves compactions as it leaves the rest', async () => {
    const { session, oids } = await talk(1)
    await session.append({ type: 'compaction', body: { summary: 'Short.' } })
    await session.append(asks('q2'))
    expect((await session.navigate(`${oids.a1}`)).abandoned).toBe(2)
  })

  it('N2: does nothing at the leaf, also where that is a message of the user', async () => {
    const { repo, store, session } = await talk()
    const asked = await session.append(asks('q4'))
    const told: unknown[] = []
    store.on('before-tree', (event) => void told.push(event))
    const before = await refsOf(repo)
    const { tip, text, abandoned, cancelled } = await session.navigate(asked, { label: 'here' })
    expect([tip, text, abandoned, cancelled]).toEqual([asked, null, 0, false])
    expect([await refsOf(repo), told]).toEqual([before, []])
  })

  it('N2: does nothing before the first entry where the session stands there, on a branch to be too', async () => {
    const { repo, store, session } = await talk()
    await session.switchToRoot()
    const begun = await store.createSession()
    const before = await refsOf(repo)
    expect(await session.navigate(null)).toMatchObject({ tip: null, before: { oid: null }, cancelled: false })
    expect((await begun.navigate(null)).head).toEqual({ branch: 'main' })
    expect(await refsOf(repo)).toEqual(before)
    expect((await begun.append(asks('q')), await begun.branches())).toHaveLength(1)
  })

  it('N3: goes before a message of the user and gives its text, and to any other entry', async () => {
    const { session, oids } = await talk()
    const { text, head, tip } = await session.navigate(`${oids.q2}`)
    expect([text, head, tip]).toEqual(['q2', { oid: oids.a1 }, oids.a1])
    const to = await session.navigate(`${oids.a2}`)
    expect([to.text, to.head]).toEqual([null, { oid: oids.a2 }])
  })

  it('N3: goes before a custom message, and to before the first entry', async () => {
    const { session, oids } = await talk(1)
    const custom = await session.append({ type: 'custom_message', body: { content: 'from outside' } })
    await session.append(asks('q2'))
    const before = await session.navigate(custom)
    expect([before.text, before.tip]).toEqual(['from outside', oids.a1])
    const first = await session.navigate(`${oids.q1}`)
    expect([first.text, first.head, first.tip]).toEqual(['q1', { oid: null }, null])
    const root = await session.append(asks('q1 again'))
    expect((await session.navigate(null)).head).toEqual({ oid: null })
    expect((await session.branches()).map(({ oid }) => oid)).toContain(root)
  })

  it('stands on the branch whose tip it comes to, and names what no branch names', async () => {
    const { session, oids } = await talk()
    await session.switch(`${oids.a1}`)
    const leaf = await session.append(asks('another'))
    const { head, kept } = await session.navigate(`${oids.a3}`)
    expect([head, kept]).toEqual([{ branch: 'main' }, `at-${leaf.slice(0, 8)}`])
    const back = await session.navigate(`${kept}`)
    expect([back.head, back.text, back.kept]).toEqual([{ oid: oids.a1 }, 'another', null])
  })

  it('N4: tells what the user wants, the instructions and the signal, then what came of it', async () => {
    const { store, session, oids } = await talk()
    const { signal } = new AbortController()
    let asked: BeforeTree | undefined
    const after: Json[] = []
    store.on('before-tree', (event) => {
      asked = event
    })
    store.on('tree', (event) => void after.push({ ...event }))
    const options = { wantsSummary: true, instructions: 'briefly', label: 'tried', signal }
    const { summary, tip } = await session.navigate(`${oids.a2}`, options)
    const { entriesToSummarize, ...preparation } = asked?.preparation ?? { entriesToSummarize: null }
    const about = { session: session.id, reason: 'navigate' }
    expect(asked).toMatchObject({ ...about, signal })
    expect(preparation).toEqual({
      target: oids.a2,
      oldLeaf: oids.a3,
      commonAncestor: oids.a2,
      userWantsSummary: true,
      customInstructions: 'briefly',
      label: 'tried',
    })
    const given: string[] = []
    for await (const { oid } of entriesToSummarize?.entries() ?? []) given.push(oid)
    expect(given).toEqual([oids.q3, oids.a3])
    const places = { newLeaf: tip, oldLeaf: oids.a3, summaryEntry: summary }
    expect(after).toEqual([{ ...about, ...places, fromHandler: false }])
  })

  it('N4: changes nothing where a handler cancels or throws, or the name is taken', async () => {
    const { repo, store, session, oids } = await talk()
    await session.label('taken', oids.q1)
    const before = await refsOf(repo)
    await expectFailure('exists', () => session.navigate(`${oids.a1}`, { label: 'taken' }))
    const off = store.on('before-tree', () => ({ cancel: true, reason: 'not now' }))
    const { cancelled, reason, aborted, tip } = await session.navigate(`${oids.a1}`)
    expect([cancelled, reason, aborted, tip]).toEqual([true, 'not now', false, oids.a3])
    off()
    store.on('before-tree', () => Promise.reject(new RangeError('no')))
    await expect(session.navigate(`${oids.a1}`)).rejects.toThrow(new RangeError('no'))
    expect(await refsOf(repo)).toEqual(before)
  })

  it('N4: is cancelled where it is stopped, and throws what the summarizer throws', async () => {
    const { repo, session, oids } = await talk()
    const before = await refsOf(repo)
    const controller = new AbortController()
    const stopped = await session.navigate(`${oids.a1}`, {
      signal: controller.signal,
      summarize: (_, signal) => {
        controller.abort()
        return Promise.reject(new Error(`aborted: ${signal?.aborted}`))
      },
    })
    expect([stopped.cancelled, stopped.aborted, stopped.tip]).toEqual([true, true, oids.a3])
    const failing = () => Promise.reject(new RangeError('no model'))
    await expect(session.navigate(`${oids.a1}`, { summarize: failing })).rejects.toThrow('no model')
    expect(await refsOf(repo)).toEqual(before)
  })

  it('N4: takes the summary of a handler only where one is wanted, and its instructions and label', async () => {
    const { store, session, oids } = await talk()
    const off = store.on('before-tree', () => ({ summary: { summary: 'By hand.' }, label: 'mine' }))
    expect((await session.navigate(`${oids.a2}`)).summary).toBeNull()
    expect((await store.show(`${session.id}/mine`)).oid).toBe(oids.a2)
    await session.unlabel('mine')
    const { summary } = await session.navigate(`${oids.a1}`, { wantsSummary: true })
    expect((await store.show(`${summary}`)).body).toEqual({ summary: 'By hand.', fromHook: true })
    off()
    store.on('before-tree', () => ({ customInstructions: 'in French' }))
    let told: string | undefined
    await session.navigate(`${oids.a3}`, {
      instructions: 'in English',
      summarize: ({ instructions }) => {
        told = instructions
        return Promise.resolve({ summary: 'Court.' })
      },
    })
    expect(told).toBe('in French')
  })

  it('N5: hangs the summary at the new place, where the label goes too', async () => {
    const { repo, store, session, oids } = await forked()
    const { summary, head } = await session.navigate(`${oids.q3}`, { summary: 'Tried b.', label: 'tried' })
    const shown = await store.show(`${session.id}/tried`)
    expect([shown.oid, shown.parents, shown.type]).toEqual([summary, [oids.a2], 'sess/branch_summary'])
    expect(shown.record).toMatchObject({ origin: { by: 'navigate', from: oids.a2b } })
    expect(head).toEqual({ oid: summary })
    const { messages } = await session.context()
    expect(messages.map(({ part }) => part)).toEqual([...Array<string>(4).fill('message'), 'branch-summary'])
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('N5: hangs the summary at the end of a branch, and stands on that', async () => {
    const { session, oids, store } = await forked()
    const { summary, head } = await session.navigate('main', { wantsSummary: true })
    expect([head, await store.resolve(`${session.id}/main`)]).toEqual([{ branch: 'main' }, summary])
    expect((await store.show(`${summary}`)).parents).toEqual([oids.a3])
  })

  it('names what it leaves by the first entry that no branch has', async () => {
    const { session, oids } = await talk()
    await session.switch(`${oids.a2}`)
    const first = await session.append(asks('q3b'))
    await session.append(answers('a3b'))
    expect((await session.navigate(null)).kept).toBe(`at-${first.slice(0, 8)}`)
  })

  it('N5: labels what was chosen where there is no summary', async () => {
    const { store, session, oids } = await talk()
    await session.navigate(`${oids.q2}`, { label: 'asked' })
    expect(await store.resolve(`${session.id}/asked`)).toBe(oids.q2)
    await expectFailure('before-first', () => session.navigate(null, { label: 'nothing' }))
  })

  it('refuses where the session moved while the summary was made', async () => {
    const { session, oids } = await talk()
    await expectFailure('conflict', () =>
      session.navigate(`${oids.a1}`, {
        summarize: async () => {
          await session.append(asks('meanwhile'))
          return { summary: 'Too late.' }
        },
      }),
    )
    expect((await session.info()).head).toBe('main')
  })
})
