import { describe, expect, it } from 'vitest'
import type { EntryInput } from '../../src/library/session.ts'
import { branchList } from '../../src/ops/branchlist.ts'
import { answers, asks, talk } from '../support/tree.ts'

const call = (id: string) => ({ type: 'toolCall', id, name: 'read', arguments: { path: `${id}.txt` } })
const result = (id: string): EntryInput => ({
  body: { role: 'tool', content: [{ type: 'toolResult', id, text: 'x' }] },
})

describe('a list of branches', () => {
  it('tells where each parts and what it has of its own', async () => {
    const { repo, session, oids } = await talk()
    await session.branch('inner', oids.a2)
    await session.branch('other', oids.a1)
    await session.appendAll([asks('q2b'), answers('a2b'), asks('q3b')], { branch: 'other' })
    await session.branch('below', 'Talk/other')
    await session.append(answers('a3b'), { branch: 'below' })
    const { branches, head, tip } = await branchList(repo, session.id, { figures: true })
    const told = branches.map((one) => [one.name, one.forkPoint, one.entries, one.figures?.messages])
    const [below, , , other] = branches
    expect(told).toEqual([
      ['below', oids.a1, 4, 4],
      ['inner', oids.a2, 0, 0],
      ['main', null, 6, 6],
      ['other', other?.oid, 0, 0],
    ])
    expect([head, tip]).toEqual([{ branch: 'main' }, oids.a3])
    expect([below?.figures?.lastActivity?.slice(0, 16), below?.estimated]).toEqual(['2026-01-01T00:00', 4])
  })

  it('takes parallel tool calls for no fork point', async () => {
    const { repo, session } = await talk(1)
    const both: EntryInput = { body: { role: 'assistant', content: [call('a'), call('b')] } }
    await session.appendAll([both, result('a'), result('b'), answers('both')])
    const { branches } = await branchList(repo, session.id)
    expect(branches.map(({ name, forkPoint, calls, entries }) => [name, forkPoint, calls, entries])).toEqual([
      ['main', null, 2, 6],
    ])
  })

  it('tells of roots that share nothing, of labels, and of branches with one tip', async () => {
    const { repo, session, oids } = await talk()
    await session.label('end', oids.a3)
    await session.branch('twin')
    await session.switchToRoot('anew')
    await session.append(asks('something else'))
    const { branches } = await branchList(repo, session.id, { figures: true })
    expect(branches.map((one) => [one.name, one.forkPoint, one.entries, one.current, one.labels])).toEqual([
      ['anew', null, 1, true, []],
      ['main', null, 6, false, ['end']],
      ['twin', null, 6, false, ['end']],
    ])
    expect(branches[1]?.figures).toEqual(branches[2]?.figures)
  })
})
