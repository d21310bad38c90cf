import { expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { listBranches } from '../../src/ops/branch.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import {
  addToSwarm,
  compareSwarm,
  createSwarm,
  createSwarmBranch,
  getSwarm,
  listSwarms,
  removeFromSwarm,
  switchSwarm,
} from '../../src/ops/swarm.ts'
import { undo } from '../../src/ops/undo.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

const says = (content: string) => ({ body: { role: 'user', content } })

it('groups branches of its own session and other sessions', async () => {
  const repo = await openRepo()
  const made = await createSwarm(repo, 'tides', { task: 'Find the tide' })
  expect(made).toMatchObject({
    name: 'tides',
    task: 'Find the tide',
    branches: [{ name: 'main', entries: 1, current: true }],
  })
  const branch = await createSwarmBranch(repo, 'tides', 'by-moon', { about: 'by the moon' })
  expect(branch).toMatchObject({ session: made.session, branch: 'by-moon', about: 'by the moon', entries: 1 })
  const other = await createSession(repo, { title: 'Other' })
  await append(repo, other, [says('one'), says('two')])
  expect(await addToSwarm(repo, 'tides', 'whole', { of: other })).toMatchObject({ branch: null, entries: 2 })
  expect(await addToSwarm(repo, 'tides', 'main of it', { of: `${other}/main` })).toMatchObject({
    branch: 'main',
  })
  await append(repo, made.session, [says('moon')], { branch: 'by-moon' })
  const names = (await getSwarm(repo, 'tides')).branches.map(({ name, entries }) => [name, entries])
  expect(names).toEqual([
    ['main', 1],
    ['by-moon', 2],
    ['whole', 2],
    ['main of it', 2],
  ])
  expect((await listSwarms(repo)).map(({ name }) => name)).toEqual(['tides'])
  const { sides, winner } = await compareSwarm(repo, 'tides', ['by-moon', 'whole'], { metric: 'entries' })
  expect([sides.map(({ revision, entries }) => [revision, entries]), winner]).toEqual([
    [
      ['by-moon', 2],
      ['whole', 2],
    ],
    'by-moon',
  ])
})

it('moves its current member, and the branch of the session with it', async () => {
  const repo = await openRepo()
  const { session } = await createSwarm(repo, 'tides', { task: 'Find the tide' })
  await createSwarmBranch(repo, 'tides', 'by-moon')
  await switchSwarm(repo, 'tides', 'by-moon')
  const { branches } = await getSwarm(repo, 'tides')
  expect(branches.filter(({ current }) => current).map(({ name }) => name)).toEqual(['by-moon'])
  expect((await listBranches(repo, session)).find(({ current }) => current)?.name).toBe('by-moon')
})

it('loses members and itself, but no session', async () => {
  const repo = await openRepo()
  const { session } = await createSwarm(repo, 'tides', { task: 'Find the tide' })
  await createSwarmBranch(repo, 'tides', 'by-moon')
  const left = await removeFromSwarm(repo, 'tides', 'main')
  expect(left.branches.map(({ name, current }) => [name, current])).toEqual([['by-moon', false]])
  await removeFromSwarm(repo, 'tides')
  await expectFailure('no-swarm', () => getSwarm(repo, 'tides'))
  expect((await listBranches(repo, session)).map(({ name }) => name)).toEqual(['by-moon', 'main'])
  await undo(repo, { any: true })
  expect((await getSwarm(repo, 'tides')).branches).toHaveLength(1)
})

it('shows a member whose session is gone without entries', async () => {
  const repo = await openRepo()
  await createSwarm(repo, 'tides', { task: 'Find the tide' })
  const other = await createSession(repo, { title: 'Other' })
  await append(repo, other, [says('one')])
  await addToSwarm(repo, 'tides', 'other', { of: other })
  await removeSessions(repo, [other])
  expect((await getSwarm(repo, 'tides')).branches.at(-1)).toMatchObject({ oid: null, entries: 0 })
})

it('refuses names that are taken or that are none, and members that are not there', async () => {
  const repo = await openRepo()
  await createSwarm(repo, 'tides', { task: 'Find the tide' })
  await expectFailure('exists', () => createSwarm(repo, 'tides', { task: 'again' }))
  await expectFailure('bad-name', () => createSwarm(repo, '../x', { task: 'again' }))
  await expectFailure('bad-usage', () => createSwarm(repo, 'empty', {}))
  await expectFailure('no-session', () => createSwarm(repo, 'empty', { session: 'nothing' }))
  await expectFailure('exists', () => createSwarmBranch(repo, 'tides', 'main'))
  await expectFailure('bad-name', () => createSwarmBranch(repo, 'tides', '\u001b[2J'))
  await expectFailure('no-swarm', () => createSwarmBranch(repo, 'ebb', 'x'))
  await expectFailure('no-branch', () => switchSwarm(repo, 'tides', 'x'))
  await expectFailure('no-branch', () => switchSwarm(repo, 'tides', '__proto__'))
  await expectFailure('no-branch', () => compareSwarm(repo, 'tides', ['main', 'x']))
  await expectFailure('bad-usage', () => compareSwarm(repo, 'tides', []))
  await expectFailure('no-session', () => addToSwarm(repo, 'tides', 'y', { of: 'nothing' }))
  // What failed left nothing behind.
  expect((await listSwarms(repo)).map(({ name, branches }) => [name, branches.length])).toEqual([
    ['tides', 1],
  ])
})
