import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cherryPick } from '../../src/ops/cherrypick.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { rebase } from '../../src/ops/rebase.ts'
import { undo } from '../../src/ops/undo.ts'
import { runs } from '../support/amount.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'
import { Talk } from '../support/talk.ts'

describe('rebase', () => {
  it('lets a branch continue another entry', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b', 'c?')
    await talk.branch('try', 'main~2', 'd', 'e?')
    const before = await talk.tip('try')
    const done = await rebase(talk.repo, 'main', { session: talk.id, branch: 'try' })
    expect(await talk.path('try')).toEqual(['a?', 'b', 'c?', 'd', 'e?'])
    expect(await talk.path('main')).toEqual(['a?', 'b', 'c?'])
    expect(done).toMatchObject({ change: 'rebased', before, onto: await talk.tip('main'), branch: 'try' })
    expect(done.map.map(({ to }) => to).at(-1)).toBe(await talk.tip('try'))
    await undo(talk.repo, { any: true })
    expect(await talk.tip('try')).toBe(before)
    expect((await fsck(talk.repo)).findings).toEqual([])
  })

  it('lets it continue something else than what it is compared with', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b', 'c?')
    await talk.branch('try', 'main', 'd', 'e?')
    await rebase(talk.repo, 'main', { session: talk.id, branch: 'try', onto: 'main~2' })
    expect(await talk.path('try')).toEqual(['a?', 'd', 'e?'])
  })

  it('moves a branch forward that has nothing of its own', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b', 'c?')
    await talk.branch('old', 'main~1')
    expect(await rebase(talk.repo, 'main', { session: talk.id, branch: 'old' })).toMatchObject({
      change: 'fast-forward',
      map: [],
      tip: await talk.tip('main'),
    })
  })

  it('says the whole of a branch again that has nothing in common', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    const other = await Talk.begin(talk.repo, 'x?', 'y')
    await rebase(talk.repo, other.id, { session: talk.id })
    expect(await talk.path('main')).toEqual(['x?', 'y', 'a?', 'b'])
  })

  it('onto the own base is the identity', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(4), fc.nat(4), fc.integer({ min: 1, max: 5 }), async (common, more, own) => {
        const texts = (count: number, word: string) =>
          Array.from({ length: count }, (_, i) => `${word} ${i}?`)
        const talk = await Talk.begin(await openRepo(), 'root', ...texts(common, 'common'))
        await talk.branch('try', 'main', ...texts(own, 'own'))
        if (more > 0) await talk.append('main', ...texts(more, 'more'))
        const [before, seen] = [await talk.tip('try'), await talk.context('try')]
        const onto = { session: talk.id, branch: 'try', onto: `${talk.id}/try~${own}` }
        const done = await rebase(talk.repo, 'main', onto)
        expect(done).toMatchObject({ change: 'up-to-date', tip: before, before, map: [] })
        // Away and back: the same words at the same place are the same entries.
        await rebase(talk.repo, 'main', { ...onto, onto: 'main' })
        await rebase(talk.repo, 'main', { ...onto, onto: `${talk.id}/main~${more}` })
        expect([await talk.tip('try'), await talk.context('try')]).toEqual([before, seen])
      }),
      { numRuns: runs(15) },
    )
  })

  it('refuses what is no branch, and what has no entries', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    const empty = await Talk.begin(talk.repo)
    await expectFailure('no-branch', () => rebase(talk.repo, 'main', { session: talk.id, branch: 'none' }))
    await expectFailure('no-branch', () => rebase(talk.repo, 'main', { branch: `${talk.id}/main~1` }))
    await expectFailure('empty-session', () => rebase(talk.repo, talk.id, { session: empty.id }))
  })
})

it('a thousand entries go along, each said once', async () => {
  const talk = await Talk.begin(await openRepo(), 'a?', 'b')
  await talk.branch('try', 'main~1', ...Array.from({ length: 1000 }, (_, i) => `say ${i}`))
  const picked = await cherryPick(talk.repo, ['main..try'], { session: talk.id })
  expect(picked.map.length).toBe(1000)
  expect((await talk.path('main')).slice(-1)).toEqual(['say 999'])
})
