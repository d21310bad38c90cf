import { describe, expect, it } from 'vitest'
import { branchRef, metaRef } from '../../src/model/refname.ts'
import { TreeView } from '../../src/ops/rows/treeview.ts'
import {
  allBranches,
  allTrunks,
  branchTip,
  findTrunk,
  getSession,
  getTrunk,
  isWhole,
  MOST_BRANCHES,
} from '../../src/repo/session.ts'
import { listedIn } from '../../src/repo/sessionlist.ts'
import { talk } from '../support/tree.ts'

/** A session with so many branches besides `main` at one entry, the last of them by name current, and a label. */
async function branched(count: number) {
  const made = await talk(2)
  const { repo, session, oids } = made
  await session.label('good', oids.q1)
  await repo.write({}, ({ move }) => {
    for (let i = 1; i <= count; i++) move(branchRef(session.id, nameOf(i)), undefined, oids.a1)
  })
  await session.switch(nameOf(count))
  return { ...made, last: nameOf(count), trunk: () => repo.read((reader) => getTrunk(reader, session.id)) }
}

const nameOf = (at: number): string => `b${`${at}`.padStart(5, '0')}`

describe('a session with very many branches', () => {
  it('is read without most of them, with the current one, main, all labels and logs', async () => {
    const { repo, session, oids, last, trunk } = await branched(2 * MOST_BRANCHES)
    const read = await trunk()
    expect(isWhole(read)).toBe(false)
    expect(read.someBranches.get(last)).toBe(oids.a1)
    expect(read.someBranches.has('main')).toBe(true)
    expect(read.someBranches.size).toBe(MOST_BRANCHES + 3)
    expect(read.labels).toEqual(new Map([['good', oids.q1]]))
    const {
      refs: _,
      branches,
      someBranches,
      ...whole
    } = await repo.read((reader) => getSession(reader, session.id))
    expect({ ...read, someBranches }).toEqual({ ...whole, someBranches })
    expect(branches.size).toBe(2 * MOST_BRANCHES + 1)
    expect(await repo.read((reader) => allBranches(reader, read))).toEqual(branches)
  })

  it('has the tip of each of them', async () => {
    const { repo, oids, trunk } = await branched(2 * MOST_BRANCHES)
    const read = await trunk()
    const names = [nameOf(1), nameOf(2 * MOST_BRANCHES - 1), 'none']
    const tips = await repo.read((reader) => Promise.all(names.map((name) => branchTip(reader, read, name))))
    expect(tips).toEqual([oids.a1, oids.a1, undefined])
  })

  it('stands between the sessions before and after it', async () => {
    const { repo, session } = await branched(2 * MOST_BRANCHES)
    await repo.write({}, ({ move }) => {
      for (const id of ['0', 'zz']) move(metaRef(id), undefined, { format: 'sess' })
    })
    const ids = await repo.read(async (reader) => {
      const all: string[] = []
      for await (const { id } of allTrunks(reader)) all.push(id)
      return all
    })
    expect(ids).toHaveLength(3)
    expect(ids[1]).toBe(session.id)
    expect(await repo.read(async (reader) => (await listedIn(reader, ['id'])).id)).toEqual(ids)
  })

  it('is known until one of its refs moves', async () => {
    const { repo, session, trunk } = await branched(2 * MOST_BRANCHES)
    expect(await trunk()).toBe(await trunk())
    const before = await trunk()
    await session.branch('a', 'HEAD')
    expect((await trunk()).someBranches.has('a')).toBe(true)
    expect(await repo.read((reader) => findTrunk(reader, 'other'))).toBeUndefined()
    expect(before.someBranches.has('a')).toBe(false)
  })

  it('has all its branches where it has no more', async () => {
    const { trunk } = await branched(MOST_BRANCHES - 1)
    expect(isWhole(await trunk())).toBe(true)
  })

  it('shows the names of all of them in its tree, which is read after the first rows', async () => {
    const { repo, session } = await branched(MOST_BRANCHES + 36)
    const view = await TreeView.open(repo, session.id, { filter: 'all' })
    expect((await view.window()).isExact).toBe(false)
    await view.settled()
    const { rows } = await view.window()
    expect(rows.find(({ text }) => text === 'a1')?.refs).toHaveLength(MOST_BRANCHES + 36)
  })
})
