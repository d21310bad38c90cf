import { expect, it } from 'vitest'
import { branchRef, labelRef } from '../../src/model/refname.ts'
import { partOf } from '../../src/ops/export/selection.ts'
import { show } from '../../src/ops/show.ts'
import { asks, talk } from '../support/tree.ts'

it('a name that a branch and a label of a source have is that of the branch in an export', async () => {
  const { repo, session, oids } = await talk(2)
  await repo.write({}, ({ move }) => {
    move(branchRef(session.id, 'x'), undefined, oids.a1)
    move(labelRef(session.id, 'x'), undefined, oids.q1)
  })
  const tip = await repo.read(async (reader) => {
    const part = await partOf(reader, session.id, { branch: 'x', onePath: true })
    return part.tip === undefined ? undefined : reader.oid(part.tip)
  })
  expect(tip).toBe(oids.a1)
})

it('what follows an entry beside the current path is on the first branch by name, not the one stored first', async () => {
  const { repo, session, oids } = await talk(2)
  for (const name of ['b2', 'b1']) {
    await session.branch(name, oids.q1)
    await session.switch(name)
    await session.append(asks(`on ${name}`))
  }
  await session.switch(oids.q1 as string)
  const { around } = await show(repo, oids.q1 as string, session.id)
  expect(around.after?.view.blocks).toMatchObject([{ text: 'on b1' }])
})
