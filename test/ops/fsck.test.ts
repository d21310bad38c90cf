import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/oid.ts'
import { headRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append.ts'
import { fsck } from '../../src/ops/fsck.ts'
import { switchTo } from '../../src/ops/switch.ts'
import { openRepo } from '../support/store.ts'

const GONE = 'ab'.repeat(32) as Oid

describe('fsck', () => {
  it('finds a session that stands detached on an entry that is missing', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [oid] = await append(repo, id, [{ body: { role: 'user', content: 'Hi' } }])
    await switchTo(repo, oid as Oid, id)
    expect((await fsck(repo)).findings).toEqual([])
    await repo.write({}, ({ move }) => move(headRef(id), { oid: oid as Oid }, { oid: GONE }))
    expect((await fsck(repo)).findings).toEqual([
      { code: 'missing', subject: `${id}/HEAD`, message: `the entry ${GONE} that it names is missing` },
    ])
  })
})
