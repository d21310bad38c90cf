import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Oid } from '../../src/model/oid.ts'
import type { RefName } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append.ts'
import { WORKS } from '../../src/ops/store/works.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

it('an append is told that the store is busy where who has it was asked for it and goes on with it', async () => {
  const holder = await openRepo(undefined, { works: WORKS })
  const { dir } = holder
  const session = await createSession(holder)
  const end = new AbortController()
  const long = holder.write({}, async () => {
    // It makes steps all the time: nobody takes the store over from it.
    while (!end.signal.aborted) {
      holder.checkStop()
      await pause(5)
    }
  })
  const [asks, appends] = [
    await openRepo(dir, { lockTimeout: 200 }),
    await openRepo(dir, { lockTimeout: 200 }),
  ]
  const says = (content: string) => [{ body: { role: 'user', content } }]
  await expectFailure('busy', () => asks.write({}, ({ move }) => move('a' as RefName, undefined, 1)))
  await expectFailure('busy', () => append(appends, session, says('too soon')))
  end.abort()
  await long
  const [oid] = await append(appends, session, says('then'))
  expect((await holder.read((backend) => backend.sizes())).entries).toBe(1)
  expect(await holder.read((backend) => backend.find(oid as Oid))).toBeDefined()
})
