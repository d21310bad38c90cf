import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlanStep, PlanVerb } from '../../src/model/plan.ts'
import { cherryPick } from '../../src/ops/cherrypick.ts'
import { contextOf } from '../../src/ops/context/context.ts'
import { edit, editable } from '../../src/ops/edit.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { show } from '../../src/ops/show.ts'
import { runs } from '../support/amount.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'
import { answers, calls, Talk, type TalkInput } from '../support/talk.ts'

/** Begins a session, and gives plans of what it says by the places of its entries. */
async function talking(...said: readonly TalkInput[]) {
  const talk = await Talk.begin(await openRepo(), ...said)
  const { entries } = await editable(talk.repo, talk.id)
  const step = (at: number, verb: PlanVerb = 'pick', text?: string): PlanStep => ({
    verb,
    oid: entries[at]!.oid.slice(0, 12),
    ...(text !== undefined && { text }),
  })
  const run = (...plan: readonly PlanStep[]) => edit(talk.repo, talk.id, plan, { branch: 'new' })
  return { talk, entries, step, run, oids: entries.map(({ oid }) => oid) }
}

describe('edit', () => {
  it('drops, rewords, joins and reorders onto a new branch, and says what that saves', async () => {
    const { talk, step, run, oids } = await talking('a?', 'b', 'c?', 'd?', 'e')
    const before = await talk.tip('main')
    const done = await run(step(0), step(2), step(3, 'squash'), step(4, 'reword', 'other e'), step(1, 'drop'))
    expect(await talk.path('new')).toEqual(['a?', 'c?\n\nd?', 'other e'])
    expect(await talk.path('main')).toEqual(['a?', 'b', 'c?', 'd?', 'e'])
    const [c, e] = [done.map[0]?.to, done.map[2]?.to]
    expect(done).toMatchObject({
      change: 'edited',
      branch: 'new',
      before,
      tip: await talk.tip('new'),
      map: [
        { from: oids[2], to: c },
        { from: oids[3], to: c },
        { from: oids[4], to: e },
      ],
      dropped: [oids[1]],
      along: [],
      lifted: [],
      tokens: { before: 5, after: 5 },
    })
    expect((await show(talk.repo, `${c}`)).parents).toEqual([oids[0]])
    const { record } = await show(talk.repo, `${talk.id}/new~1`)
    const origin = { verb: 'edit', oid: oids[2], also: [oids[3]], session: talk.id }
    expect(record).toEqual({ body: { role: 'user', content: 'c?\n\nd?' }, origin })
    expect((await fsck(talk.repo)).findings).toEqual([])
  })

  it('names the branch after its tip, or moves the one that ended there', async () => {
    const { talk, step } = await talking('a?', 'b', 'c?')
    const plan = [step(0), step(2)]
    const done = await edit(talk.repo, talk.id, plan)
    expect(done.branch).toBe(`edit-${done.tip?.slice(0, 8)}`)
    expect(await edit(talk.repo, talk.id, plan)).toMatchObject({ branch: done.branch, tip: done.tip })
    await expectFailure('exists', () => edit(talk.repo, talk.id, plan, { branch: 'main' }))
    const moved = await edit(talk.repo, `${talk.id}/main`, plan, { move: true })
    expect(moved).toMatchObject({ branch: 'main', tip: done.tip })
    expect(await talk.path('main')).toEqual(['a?', 'c?'])
    const range = `${talk.id}/main~1..${talk.id}/main~0`
    await expectFailure('bad-plan', () => edit(talk.repo, range, [step(1)]))
  })

  it('changes nothing by a plan without steps, or by one that keeps all as it is', async () => {
    const { talk, step, run, oids } = await talking('a?', 'b')
    const same = { change: 'unchanged', branch: null, tip: oids[1], map: [], tokens: { before: 2, after: 2 } }
    expect(await run()).toMatchObject(same)
    expect(await run(step(0), step(1))).toMatchObject(same)
    expect(await run(step(0), step(1, 'reword', 'b'))).toMatchObject(same)
    expect(await talk.tip('new')).toBeUndefined()
  })

  it('lets calls and results go together and stay together', async () => {
    const { talk, step, run, oids } = await talking(
      'a?',
      calls('1', '2'),
      answers('2'),
      answers('1'),
      'b',
      'c?',
    )
    expect(await run(step(0), step(1), step(2), step(4), step(5))).toMatchObject({
      dropped: [oids[3]],
      along: [oids[1], oids[2]],
    })
    expect(await talk.path('new')).toEqual(['a?', 'b', 'c?'])
    const order = [step(0), step(3), step(5), step(1), step(4), step(2)]
    const done = await edit(talk.repo, talk.id, order, { branch: 'order' })
    expect(done.lifted).toEqual([oids[3], oids[2]])
    expect(await talk.path('order')).toEqual([
      'a?',
      'c?',
      'toolCall 1,toolCall 2',
      'toolResult 1',
      'toolResult 2',
      'b',
    ])
    expect((await contextOf(talk.repo, `${talk.id}/order`)).repairs).toEqual([])
  })

  it('edits what follows an entry, or a range, and keeps what precedes it', async () => {
    const { talk, step, oids } = await talking('a?', 'b', 'c?', 'd')
    const behind = await editable(talk.repo, `${talk.id}~2`)
    expect(behind.entries.map(({ oid }) => oid)).toEqual([oids[2], oids[3]])
    await edit(talk.repo, `${talk.id}~2`, [step(3)], { branch: 'behind' })
    expect(await talk.path('behind')).toEqual(['a?', 'b', 'd'])
    const range = await editable(talk.repo, `${talk.id}~3..${talk.id}~1`)
    expect(range.entries.map(({ oid }) => oid)).toEqual([oids[1], oids[2]])
    await edit(talk.repo, 'main~3..main~1', [step(2), step(1)], { branch: 'range', session: talk.id })
    expect(await talk.path('range')).toEqual(['a?', 'c?', 'b'])
    await edit(talk.repo, `${talk.id}~2`, [step(2, 'drop'), step(3, 'drop')], { branch: 'none' })
    expect(await talk.path('none')).toEqual(['a?', 'b'])
  })

  it('refuses a plan that does not fit, with its line', async () => {
    const { talk, step, run, entries } = await talking('a?', 'b', calls('1'))
    const wrong = async (says: string, ...plan: readonly PlanStep[]) => {
      expect((await expectFailure('bad-plan', () => run(...plan))).message).toBe(
        `cannot follow the plan: ${says}`,
      )
    }
    await wrong("'00000000' is none of the entries that are edited", { verb: 'pick', oid: '00000000' })
    const twice = `'${entries[0]!.oid.slice(0, 12)}' is in the plan twice`
    await wrong(`line 7: ${twice}`, step(0), { ...step(0), line: 7 })
    await wrong('nothing precedes the entry to be squashed', step(0, 'squash'))
    await wrong('only texts of one role can be squashed', step(0), step(1, 'squash'))
    const call = entries[2]!.oid.slice(0, 12)
    await wrong(`'${call}' says nothing in words that others could stand for`, step(2, 'reword', 'words'))
    await wrong('it keeps nothing', step(0, 'drop'))
    await expectFailure('bad-usage', () => edit(talk.repo, entries[1]!.oid, [step(0)]))
  })

  it('cherry-pick then drop is the identity: the tip and the context are what they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.nat(3), fc.nat(3), async (own, other, picked) => {
        const texts = (count: number, word: string): TalkInput[] =>
          Array.from({ length: count }, (_, i) => `${word} ${i}${i % 2 ? '' : '?'}`)
        const talk = await Talk.begin(await openRepo(), ...texts(own, 'own'))
        const exchange = [calls('1', '2'), answers('1'), answers('2')]
        await talk.branch('other', 'main', ...texts(other, 'other'), ...exchange)
        const [before, seen] = [await talk.tip('main'), await talk.context('main')]
        const { map } = await cherryPick(talk.repo, [`other~${picked % 3}`], { session: talk.id })
        const { entries } = await editable(talk.repo, talk.id)
        const brought = new Set(map.map(({ to }) => to))
        const plan = entries.map(({ oid }): PlanStep => ({ verb: brought.has(oid) ? 'drop' : 'pick', oid }))
        const done = await edit(talk.repo, talk.id, plan, { move: true })
        expect(map.length).toBe(3)
        expect(done.tip).toBe(before)
        expect(await talk.context('main')).toEqual(seen)
      }),
      { numRuns: runs(15) },
    )
  })
})
