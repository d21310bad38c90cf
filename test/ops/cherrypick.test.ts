import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { cherryPick } from '../../src/ops/cherrypick.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { show } from '../../src/ops/show.ts'
import { stats } from '../../src/ops/stats.ts'
import { getSession } from '../../src/repo/session.ts'
import { expectFailure } from '../support/errors.ts'
import { nativeOf } from '../support/nativelogs.ts'
import { openRepo } from '../support/store.ts'
import { answers, calls, Talk } from '../support/talk.ts'

describe('cherryPick', () => {
  it('says entries again at the end of a branch, and says where they come from', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    const [, d] = await talk.branch('try', 'main~1', 'c?', 'd')
    const before = await talk.tip('main')
    const { objects } = await sizes(talk)
    const done = await cherryPick(talk.repo, ['try'], { session: talk.id })
    expect(await talk.path('main')).toEqual(['a?', 'b', 'd'])
    expect(done).toEqual({
      session: talk.id,
      branch: 'main',
      before,
      tip: await talk.tip('main'),
      map: [{ from: d, to: done.tip }],
      lost: [],
      along: [],
      skipped: [],
    })
    const shown = await show(talk.repo, `${talk.id}/main`)
    expect(shown.record).toEqual({
      body: { role: 'assistant', content: 'd' },
      origin: { verb: 'cherry-pick', oid: d, session: talk.id },
    })
    expect(shown.digest).toBe((await show(talk.repo, `${d}`)).digest)
    expect((await sizes(talk)).objects).toBe(objects + 1)
    expect((await fsck(talk.repo)).findings).toEqual([])
  })

  it('counts once what was taken by an entry that is said again', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const usage = { input: 10, output: 5, cost: { total: 0.25 } }
    const body = { message: { role: 'assistant', content: 'b', provider: 'p', model: 'm', usage } }
    const [, dear] = await append(repo, id, [
      { body: { role: 'user', content: 'a?' } },
      { type: 'pi/message', body },
    ])
    await cherryPick(repo, [`${dear}`], { session: id })
    const native = nativeOf(await repo.read((reader) => getSession(reader, id)))
    expect(native).toMatchObject({ entries: 3, summary: { input: 10, output: 5, cost: 0.25 } })
  })

  it('takes ranges in path order, and several revisions in the order in which they are named', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    await talk.branch('try', 'main~1', 'c?', 'd', 'e?')
    await cherryPick(talk.repo, ['try', 'main..try~1'], { session: talk.id })
    expect(await talk.path('main')).toEqual(['a?', 'b', 'e?', 'c?', 'd'])
  })

  it('takes the result of a call, the call of a result, and what was called beside it', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?')
    const said = ['go?', calls('1', '2'), answers('2'), answers('1'), 'done', calls('3'), answers('3')]
    const [, call, second, first, , third, fourth] = await talk.branch('try', 'main', ...said)
    const cases = [
      [`${call}`, ['toolCall 1,toolCall 2', 'toolResult 2', 'toolResult 1'], [second, first]],
      [`${first}`, ['toolCall 1,toolCall 2', 'toolResult 2', 'toolResult 1'], [call, second]],
      ['try~1', ['toolCall 3', 'toolResult 3'], [fourth]],
      ['try~2..try', ['toolCall 3', 'toolResult 3'], []],
      ['try', ['toolCall 3', 'toolResult 3'], [third]],
    ] as const
    for (const [at, [picked, path, along]] of cases.entries()) {
      const name = `case-${at}`
      await talk.branch(name, 'main')
      const done = await cherryPick(talk.repo, [picked], { session: talk.id, onto: name })
      expect(await talk.path(name)).toEqual(['a?', ...path])
      expect(done.along).toEqual(along)
    }
  })

  it('leaves a call open that was never answered: the context closes it', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?')
    await talk.branch('try', 'main', calls('1'))
    await cherryPick(talk.repo, ['try'], { session: talk.id })
    expect(await talk.path('main')).toEqual(['a?', 'toolCall 1'])
    expect(await talk.context('main')).toEqual(['a?', 'toolCall 1', 'toolResult 1'])
  })

  it('takes again what is there, unless told to leave it out', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    await talk.branch('try', 'main~1', 'c?', 'd')
    const picked = () => cherryPick(talk.repo, ['try', `${talk.id}/main~0`], { session: talk.id })
    await picked()
    expect(await talk.path('main')).toEqual(['a?', 'b', 'd', 'b'])
    const tip = await talk.tip('main')
    const options = { session: talk.id, skipPresent: true }
    const done = await cherryPick(talk.repo, ['try~1..try', 'main~3'], options)
    expect(done).toMatchObject({ map: [], tip, before: tip })
    expect(done.skipped.length).toBe(2)
  })

  it('follows links to what came along, and names those that did not', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?')
    const [b] = await talk.branch('try', 'main', 'b', 'x?', 'c')
    const firstKept = b as Oid
    const compaction = await talk.link('try', 'sess/compaction', { summary: 'S' }, { firstKept })
    await talk.link('try', 'sess/edit', { replacement: 'other' }, { target: firstKept })
    await talk.branch('all', 'main')
    await cherryPick(talk.repo, ['main..try'], { session: talk.id, onto: 'all' })
    expect(await talk.context('all')).toEqual(['S', 'other', 'x?', 'c'])
    const some = await cherryPick(talk.repo, ['try~2', 'try~1', 'try'], { session: talk.id })
    expect(some.lost).toEqual([
      { oid: some.map[1]?.to, link: 'firstKept', to: b },
      { oid: some.map[2]?.to, link: 'target', to: b },
    ])
    expect(some.map[1]?.from).toBe(compaction)
    expect(await talk.context('main')).toEqual(['S', 'c'])
  })

  it('goes to a session without entries, to one that stands on no branch, and from another session', async () => {
    const talk = await Talk.begin(await openRepo(), 'a?', 'b')
    const empty = await createSession(talk.repo)
    const done = await cherryPick(talk.repo, [talk.id], { session: empty })
    expect(done).toMatchObject({ session: empty, branch: 'main', before: null })
    await append(talk.repo, empty, [{ body: { role: 'user', content: 'more' } }])
    await expectFailure('no-branch', () => cherryPick(talk.repo, [empty], { session: empty, onto: 'none' }))
    await expectFailure('bad-usage', () =>
      cherryPick(talk.repo, [`${talk.id}...${empty}`], { session: empty }),
    )
  })
})

async function sizes({ repo }: Talk): Promise<{ objects: number }> {
  return { objects: (await stats(repo)).entries }
}
