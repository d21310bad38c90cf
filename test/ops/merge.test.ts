import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { contextOf } from '../../src/ops/context/context.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { merge } from '../../src/ops/merge.ts'
import { rebase } from '../../src/ops/rebase.ts'
import { show } from '../../src/ops/show.ts'
import { undo } from '../../src/ops/undo.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'
import { answers, calls, Talk } from '../support/talk.ts'

const mark = (from: string): string => `[What follows was said on '${from}' and is merged here.]`

describe('merge', () => {
  it('moves a branch forward that has nothing of its own, and is up to date with what a branch has', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b', 'c?')
    await talk.branch('old', 'main~2')
    const options = { session: talk.id, into: 'old' }
    expect(await merge(talk.repo, 'main', { ...options, forward: 'only' })).toMatchObject({
      change: 'fast-forward',
      entries: 2,
      tip: await talk.tip('main'),
    })
    expect(await merge(talk.repo, 'main~1', options)).toMatchObject({ change: 'up-to-date', entries: 0 })
    await talk.append('old', 'd')
    expect(await merge(talk.repo, 'main', options)).toMatchObject({ change: 'up-to-date' })
    await talk.branch('try', 'main~1', 'e')
    await merge(talk.repo, 'try', options)
    expect(await merge(talk.repo, 'old', { ...options, into: 'try' })).toMatchObject({
      change: 'fast-forward',
    })
  })

  it('asks whose branch is meant where nobody says, and no session is of this folder', async () => {
    const repo = await openRepo()
    const id = await createSession(repo, { cwd: '/elsewhere' })
    await append(repo, id, [{ body: { role: 'user', content: 'a?' } }])
    const { message, remedy } = await expectFailure('no-branch', () => merge(repo, id, { into: 'other' }))
    expect([message, remedy]).toEqual(["no branch is called 'other'", { kind: 'name-session-of-branch' }])
  })

  it('makes an entry that brings what only the other side has behind the own path', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b', 'c?')
    const [, e] = await talk.branch('try', 'main~1', 'd?', 'e')
    const before = await talk.tip('main')
    const done = await merge(talk.repo, 'try', { session: talk.id })
    await talk.append('main', 'f')
    expect(await talk.context('main')).toEqual(['a?', 'b', 'c?', mark('try'), 'd?', 'e', 'f'])
    expect(await talk.context('main~2')).toEqual(['a?', 'b', 'c?'])
    expect(done).toMatchObject({ change: 'merged', before, other: e, entries: 2, settled: [] })
    const { parents, body, record, around } = await show(talk.repo, `${talk.id}/main~1`)
    expect(parents).toEqual([before, e])
    expect(body).toEqual({ from: 'try' })
    expect(record).toEqual({ body, origin: { verb: 'merge', oid: e, session: talk.id } })
    expect(around.before?.oid).toBe(before)
    expect((await fsck(talk.repo)).findings).toEqual([])
    await undo(talk.repo, { any: true })
    await undo(talk.repo, { any: true })
    expect(await talk.tip('main')).toBe(before)
  })

  it('lets a summary stand instead, also where the branch could move forward', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?')
    await talk.branch('try', 'main', 'b', 'c?')
    await merge(talk.repo, 'try', { session: talk.id, summary: 'b came of it' })
    expect(await talk.context('main')).toEqual(['a?', "From 'try':\nb came of it"])
    const { messages } = await contextOf(talk.repo, talk.id)
    expect(messages.map(({ part }) => part)).toEqual(['message', 'branch-summary'])
    await talk.branch('never', 'main~1')
    await merge(talk.repo, 'try', { session: talk.id, into: 'never', forward: 'never' })
    expect(await talk.context('never')).toEqual(['a?', mark('try'), 'b', 'c?'])
  })

  it('refuses to move forward only where both sides have entries', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    await talk.branch('try', 'main~1', 'c?')
    await expectFailure('diverged', () => merge(talk.repo, 'try', { session: talk.id, forward: 'only' }))
  })

  it('keeps model, thinking level and mode of the first side, and says how the other differs', async () => {
    const model = (id: string) => ({ type: 'sess/model_change', body: { model: id } })
    const talk = await Talk.begin(await openRepo(), 'a?', model('one'))
    await talk.branch('try', 'main', model('two'), { type: 'sess/mode_change', body: { mode: 'plan' } }, 'x')
    await talk.append('main', 'b')
    const { settled } = await merge(talk.repo, 'try', { session: talk.id })
    expect(settled).toEqual([
      { setting: 'model', kept: { id: 'one' }, other: { id: 'two' } },
      { setting: 'mode', kept: null, other: 'plan' },
    ])
    expect((await show(talk.repo, talk.id)).body).toEqual({ from: 'try', settled })
    expect((await contextOf(talk.repo, talk.id)).model).toEqual({ id: 'one' })
    expect((await contextOf(talk.repo, talk.id)).mode).toBeUndefined()
  })

  it('pairs the calls of each side apart', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', calls('1'))
    await talk.branch('try', 'main', answers('1'), 'b', calls('2'))
    await talk.append('main', 'c?')
    await merge(talk.repo, 'try', { session: talk.id })
    await talk.append('main', answers('2'), 'd')
    expect(await talk.context('main')).toEqual([
      'a?',
      'toolCall 1',
      'toolResult 1',
      'c?',
      mark('try'),
      'b',
      'toolCall 2',
      'toolResult 2',
      'd',
    ])
    const { repairs } = await contextOf(talk.repo, talk.id)
    expect(repairs.map(({ kind, call }) => `${kind} ${call}`)).toEqual([
      'closed-call 1',
      'dropped-result 1',
      'closed-call 2',
      'dropped-result 2',
    ])
  })

  it('brings what was merged into the other side too, each entry once where histories crossed', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?')
    await talk.branch('one', 'main', 'b')
    await talk.branch('two', 'main', 'c')
    const [b, c] = [await talk.tip('one'), await talk.tip('two')]
    await merge(talk.repo, `${c}`, { session: talk.id, into: 'one' })
    await merge(talk.repo, `${b}`, { session: talk.id, into: 'two' })
    await talk.append('one', 'd')
    await talk.append('two', 'e')
    await merge(talk.repo, 'two', { session: talk.id, into: 'one' })
    const [short, other] = [`${c}`.slice(0, 10), `${b}`.slice(0, 10)]
    expect(await talk.context('one')).toEqual([
      'a?',
      'b',
      mark(short),
      'c',
      'd',
      mark('two'),
      mark(other),
      'e',
    ])
    await talk.append('main', 'f')
    await merge(talk.repo, 'one', { session: talk.id, into: 'main' })
    expect(await talk.context('main')).toEqual([
      'a?',
      'f',
      mark('one'),
      'b',
      mark(short),
      'c',
      'd',
      mark('two'),
      mark(other),
      'e',
    ])
    expect((await fsck(talk.repo)).findings).toEqual([])
  })

  it('brings of a side that was compacted what its model saw, without what came before both parted', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    const [, d, e] = await talk.branch('try', 'main', 'c?', 'd', 'e?')
    await talk.link('try', 'sess/compaction', { summary: 'S' }, { firstKept: d as Oid })
    await talk.branch('whole', 'try~1')
    await talk.link(
      'whole',
      'sess/compaction',
      { summary: 'S' },
      { firstKept: (await talk.tip('main')) as Oid },
    )
    await talk.branch('listed', 'try~1')
    await talk.link(
      'listed',
      'sess/compaction',
      { summary: 'S' },
      { kept: [(await talk.tip('main')) as Oid, e as Oid] },
    )
    await talk.append('main', 'f')
    for (const [branch, kept] of [
      ['try', ['d', 'e?']],
      ['whole', ['c?', 'd', 'e?']],
      ['listed', ['e?']],
    ] as const) {
      await talk.branch(`into-${branch}`, 'main')
      await merge(talk.repo, branch, { session: talk.id, into: `into-${branch}` })
      await talk.append(`into-${branch}`, 'g')
      expect(await talk.context(`into-${branch}`)).toEqual(['a?', 'b', 'f', mark(branch), 'S', ...kept, 'g'])
    }
  })

  it('applies edits of each side to itself, and later ones to what was merged', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    const [c, d] = await talk.branch('try', 'main', 'c?', 'd')
    await talk.link('try', 'sess/edit', { replacement: 'other c?' }, { target: c as Oid })
    await talk.link(
      'try',
      'sess/edit',
      { replacement: 'other b' },
      { target: (await talk.tip('main')) as Oid },
    )
    await talk.append('main', 'e')
    await merge(talk.repo, 'try', { session: talk.id })
    expect(await talk.context('main')).toEqual(['a?', 'b', 'e', mark('try'), 'other c?', 'd'])
    await talk.link('main', 'sess/edit', { replacement: null }, { target: d as Oid })
    expect(await talk.context('main')).toEqual(['a?', 'b', 'e', mark('try'), 'other c?'])
  })

  it('merges histories with nothing in common, and what is replayed merges again', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    const other = await Talk.begin(talk.repo, 'x?', 'y')
    expect(await merge(talk.repo, other.id, { session: talk.id })).toMatchObject({ base: null, entries: 2 })
    const from = `${other.id.slice(0, 8)}/main`
    expect(await talk.context('main')).toEqual(['a?', 'b', mark(from), 'x?', 'y'])
    await talk.branch('root', 'main~2')
    await talk.append('root', 'c')
    const done = await rebase(talk.repo, 'root', { session: talk.id })
    expect(done.map.length).toBe(2)
    expect(await talk.context('main')).toEqual(['a?', 'c', 'b', mark(from), 'x?', 'y'])
    const again = await rebase(talk.repo, other.id, { session: talk.id })
    expect(again.map.at(-1)).toMatchObject({ to: null })
    expect(await talk.context('main')).toEqual(['x?', 'y', 'a?', 'c', 'b'])
  })

  it('is the first entry of a session that has none', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    const empty = await Talk.begin(talk.repo)
    expect(await merge(talk.repo, talk.id, { session: empty.id, forward: 'never' })).toMatchObject({
      change: 'fast-forward',
      before: null,
    })
    await append(talk.repo, empty.id, [{ body: { role: 'user', content: 'c' } }])
    expect(await empty.path('main')).toEqual(['a?', 'b', 'c'])
  })
})
