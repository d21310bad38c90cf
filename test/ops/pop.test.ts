import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { expectFailure } from '../support/errors.ts'
import { refsOf } from '../support/store.ts'
import { answers, asks, type Talk, talk } from '../support/tree.ts'

const branchesOf = async ({ session }: Talk): Promise<Record<string, Oid>> =>
  Object.fromEntries((await session.branches()).map(({ name, oid }) => [name, oid]))

const pathOf = async ({ session }: Talk): Promise<(string | null)[]> => {
  const texts: (string | null)[] = []
  for await (const { text, type } of session.log()) texts.push(text ?? type)
  return texts.reverse()
}

describe('pop', () => {
  it('goes back to before the last message of the user, and keeps what is left on a branch', async () => {
    const made = await talk()
    const { session, oids, store } = made
    const done = await session.pop(undefined, { summary: 'Asked for the third time.' })
    expect(done).toMatchObject({
      text: 'q3',
      abandoned: 2,
      commonAncestor: oids.a2,
      head: { branch: 'main' },
      kept: `at-${oids.q3?.slice(0, 8)}`,
      tip: done.summary,
      beforeTip: oids.a3,
    })
    expect(await pathOf(made)).toEqual(['q1', 'a1', 'q2', 'a2', 'sess/branch_summary'])
    expect(await branchesOf(made)).toEqual({ main: done.summary, [`${done.kept}`]: oids.a3 })
    expect((await store.show(`${done.summary}`)).body).toMatchObject({ summary: 'Asked for the third time.' })
  })

  it('goes back to an entry that is named, and before a message of the user', async () => {
    const made = await talk()
    const to = await made.session.pop('Talk~3', { summary: 'x' })
    expect([to.text, to.abandoned, to.commonAncestor]).toEqual(['q2', 4, made.oids.a1])
    const other = await talk()
    const answer = await other.session.pop(`${other.oids.a1}`, { summary: 'x' })
    expect([answer.text, answer.abandoned, answer.commonAncestor]).toEqual([null, 4, other.oids.a1])
  })

  it('makes a digest of what was left where no summary is given', async () => {
    const { session, store } = await talk()
    const { summary } = await session.pop()
    const { body } = await store.show(`${summary}`)
    expect((body as { summary: string }).summary).toContain('q3')
  })

  it('nests, however often', async () => {
    const made = await talk()
    const { repo, session, oids } = made
    const first = await session.pop(undefined, { summary: 'one' })
    await session.appendAll([asks('q3 again'), answers('a3 again')])
    const second = await session.pop(undefined, { summary: 'two' })
    const third = await session.pop(undefined, { summary: 'three' })
    expect([first.text, second.text, third.text]).toEqual(['q3', 'q3 again', 'q2'])
    expect(second.commonAncestor).toBe(first.summary)
    expect([third.abandoned, third.commonAncestor]).toEqual([4, oids.a1])
    expect(await pathOf(made)).toEqual(['q1', 'a1', 'sess/branch_summary'])
    expect(Object.keys(await branchesOf(made))).toHaveLength(4)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('goes back to before the first entry, where the summary is another root', async () => {
    const made = await talk(1)
    const { session, store } = made
    const { summary, text, kept } = await session.pop()
    expect([text, (await store.show(`${summary}`)).parents]).toEqual(['q1', []])
    expect(await store.resolve(`${session.id}/${kept}`)).toBe(made.oids.a1)
    const other = await talk()
    const root = await other.session.pop(undefined, { root: true, summary: 'all of it' })
    expect([root.text, root.abandoned, root.commonAncestor]).toEqual([null, 6, null])
    expect(await pathOf(other)).toEqual(['sess/branch_summary'])
  })

  it('makes no branch for what another branch names, and goes back detached where the session stands so', async () => {
    const { session, oids, store } = await talk()
    await session.branch('all')
    expect((await session.pop(undefined, { summary: 'x' })).kept).toBeNull()
    await session.switch(`${oids.a2}`)
    const { head, summary, kept } = await session.pop(undefined, { summary: 'y' })
    expect([head, kept]).toEqual([{ oid: summary }, null])
    expect(await store.resolve('Talk')).toBe(summary)
  })

  it('passes over what agents put in the name of the user', async () => {
    const { session } = await talk(1)
    await session.append({ type: 'custom_message', body: { content: 'a reminder' } })
    await session.append(asks('<system-reminder>be brief</system-reminder>'))
    const { text, commonAncestor } = await session.pop(undefined, { summary: 'x' })
    expect([text, commonAncestor]).toEqual(['q1', null])
  })

  it('refuses where nothing was asked, where there is nothing, and what is not on the path', async () => {
    const { repo, session, store, oids } = await talk()
    await session.pop(`${oids.a1}`, { summary: 'x' })
    const before = await refsOf(repo)
    await expectFailure('no-entry', () => session.pop(`${oids.a3}`))
    const empty = await store.createSession()
    await expectFailure('empty-session', () => empty.pop())
    await empty.append(answers('hello'))
    await expectFailure('nothing-to-pop', () => empty.pop())
    await session.switchToRoot()
    await expectFailure('before-first', () => session.pop())
    await store.undo()
    await store.remove([empty.id])
    expect(await refsOf(repo)).toEqual(before)
  })

  it('is one operation, which undo takes back', async () => {
    const { repo, session, store } = await talk()
    const before = await refsOf(repo)
    await session.pop(undefined, { label: 'gone' })
    await store.undo()
    expect(await refsOf(repo)).toEqual(before)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('lets a handler cancel it, or give the summary', async () => {
    const { repo, session, store } = await talk()
    const before = await refsOf(repo)
    const off = store.on('before-tree', ({ reason, preparation }) => ({
      cancel: reason === 'pop' && preparation.userWantsSummary,
    }))
    expect(await session.pop()).toMatchObject({ cancelled: true, aborted: false, summary: null })
    expect(await refsOf(repo)).toEqual(before)
    off()
    store.on('before-tree', () => ({ summary: { summary: 'By hand.' } }))
    const { summary } = await session.pop()
    expect((await store.show(`${summary}`)).body).toEqual({ summary: 'By hand.', fromHook: true })
  })

  it.each([' ', undefined])('refuses a summary of a handler that is no text: %j', async (summary) => {
    const { repo, session, store } = await talk()
    const before = await refsOf(repo)
    store.on('before-tree', () => ({ summary: { summary: summary as string } }))
    await expectFailure('bad-summary', () => session.pop())
    expect(await refsOf(repo)).toEqual(before)
  })
})
