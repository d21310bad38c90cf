import { describe, expect, it } from 'vitest'
import { TreeView } from '../../src/ops/rows/treeview.ts'
import { getSession } from '../../src/repo/session.ts'
import { getTrunk } from '../../src/repo/trunk.ts'
import { talk } from '../support/tree.ts'

/** A session with so many branches besides `main` at one entry, the last of them current, and a label. */
async function branched(count: number) {
  const made = await talk(2)
  const { repo, session, oids } = made
  for (let i = 1; i <= count; i++) await session.branch(`b${i}`, oids.a1)
  await session.label('good', oids.q1)
  await session.switch(`b${count}`)
  const trunk = (branches: number, logs = false) =>
    repo.read((reader) => getTrunk(reader, session.id, { branches, logs }))
  return { ...made, trunk }
}

describe('a session without most of its branches', () => {
  it('has the current one, main, some others and all labels', async () => {
    const { oids, trunk } = await branched(4)
    const { session, hasAllBranches } = await trunk(1)
    expect(hasAllBranches).toBe(false)
    expect([...session.branches.keys()].sort()).toEqual(['b1', 'b4', 'main'])
    expect(session).toMatchObject({ head: { branch: 'b4' }, natives: new Map() })
    expect(session.labels).toEqual(new Map([['good', oids.q1]]))
  })

  it('is the session where it has no more, with the heads of its logs where they are asked for', async () => {
    const {
      repo,
      session: { id },
      trunk,
    } = await branched(4)
    const { session, hasAllBranches } = await trunk(5, true)
    expect(hasAllBranches).toBe(true)
    const whole = await repo.read((reader) => getSession(reader, id))
    expect({ ...session, refs: [] }).toEqual({ ...whole, refs: [] })
    const other = repo.read((reader) => getTrunk(reader, 'other', { branches: 1, logs: false }))
    await expect(other).rejects.toMatchObject({ code: 'no-session' })
  })

  it('is what the first rows of a tree are of, also where many branches name one entry', async () => {
    const { repo, session } = await branched(36)
    const view = await TreeView.open(repo, session.id, { filter: 'all' })
    expect((await view.window()).isExact).toBe(false)
    await view.settled()
    const { rows } = await view.window()
    expect(rows.find(({ text }) => text === 'a1')?.refs).toHaveLength(36)
  })
})
