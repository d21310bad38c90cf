import { expect, it } from 'vitest'
import { metaRef } from '../../../src/model/refname.ts'
import { resolveSessionId } from '../../../src/repo/oplog/removedsession.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { expectFailure } from '../../support/errors.ts'
import { makeSession } from '../../support/sessions.ts'
import { openRepo } from '../../support/store.ts'

const named = (repo: Repo, text: string): Promise<string> =>
  repo.read((reader) => resolveSessionId(reader, text, '/work'))

const remove = (repo: Repo, session: string): Promise<void> =>
  repo.write({}, async ({ reader, move }) =>
    move(metaRef(session), await reader.ref(metaRef(session)), undefined),
  )

it('finds a removed session by id, prefix or title, the last removed first', async () => {
  const repo = await openRepo()
  for (const id of ['abcd-1', 'abcd-2', 'wxyz']) await makeSession(repo, id, { title: 'Tea' })
  for (const id of ['abcd-1', 'abcd-2']) await remove(repo, id)
  expect(await named(repo, 'wxyz')).toBe('wxyz')
  expect(await named(repo, 'Tea')).toBe('wxyz')
  expect(await named(repo, 'abcd-1')).toBe('abcd-1')
  expect(await named(repo, 'abcd')).toBe('abcd-2')
  await remove(repo, 'wxyz')
  expect(await named(repo, 'Tea')).toBe('wxyz')
  await expectFailure('no-session', () => named(repo, 'abc'))
  await expectFailure('no-session', () => named(repo, 'Coffee'))
})
