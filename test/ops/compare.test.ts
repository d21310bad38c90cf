import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch } from '../../src/ops/branch.ts'
import { compare } from '../../src/ops/compare.ts'
import { fork } from '../../src/ops/fork.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { runs } from '../support/amount.ts'
import { openRepo } from '../support/store.ts'

const asked = (content: string) => ({ body: { role: 'user', content } })
const reply = (content: string, usage?: object) => ({
  body: { role: 'assistant', content, ...(usage && { usage }) } as never,
})

/** A session with branches `b0`, `b1`, … that part after its first prompt, each with a reply of some cost or of none. */
async function raced(repo: Repo, costs: readonly (number | undefined)[]): Promise<string[]> {
  const id = await createSession(repo, { title: `race ${costs.join()}` })
  await append(repo, id, [asked('Go')])
  for (const i of costs.keys()) await createBranch(repo, id, `b${i}`)
  for (const [i, cost] of costs.entries())
    await append(repo, id, [reply(`reply ${i}`, cost === undefined ? { output: 1 } : { cost })], {
      branch: `b${i}`,
    })
  return costs.map((_, i) => `${id}/b${i}`)
}

describe('compare', () => {
  it('lets the lowest known cost win, the first of equals, and nobody where none is known', async () => {
    const repo = await openRepo()
    const some = fc.array(fc.option(fc.constantFrom<number[]>(0, 0.5, 1, 2), { nil: undefined }), {
      minLength: 2,
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(some, async (costs) => {
        const names = await raced(repo, costs)
        const { winner, differences } = await compare(repo, names)
        const known = costs.filter((cost) => cost !== undefined)
        const lowest = known.length === 0 ? -1 : costs.indexOf(Math.min(...known))
        expect(winner).toBe(names[lowest] ?? null)
        const told = differences.filter(({ metric }) => metric === 'cost')
        expect(told).toHaveLength((costs.length * (costs.length - 1)) / 2)
        for (const { a, b, diff, percent } of told) {
          const [x, y] = [costs[names.indexOf(a)], costs[names.indexOf(b)]]
          const both = x !== undefined && y !== undefined
          expect(diff).toBe(both ? y - x : null)
          expect(percent).toBe(both ? (x === 0 ? 0 : ((y - x) / x) * 100) : null)
        }
      }),
      { numRuns: runs(25) },
    )
  })

  it('finds no difference between a revision and itself', async () => {
    const repo = await openRepo()
    const [a = ''] = await raced(repo, [1, 2])
    const { base, sides, total, differences } = await compare(repo, [a, a])
    expect(base).toBe(sides[0]?.oid)
    expect(sides.map(({ entries }) => entries)).toEqual([0, 0])
    expect(total.entries).toBe(0)
    expect(differences.every(({ diff }) => diff === null || diff === 0)).toBe(true)
    const whole = await compare(repo, [a, a], { whole: true })
    expect(whole.sides.map(({ entries }) => entries)).toEqual([2, 2])
    expect(whole.total.entries).toBe(2)
    expect(whole.total.cost).toBe(1)
  })

  it('counts what forks share once in all, and since the last entry that all of them have', async () => {
    //  Go ─ 1 ─┬─ 2 (trunk)
    //          └─ 3 ─┬─ 4 (fork)
    //                └─ 5 (other)
    const repo = await openRepo()
    const id = await createSession(repo, { title: 'trunk' })
    await append(repo, id, [asked('Go'), reply('1', { cost: 1 })])
    const { session } = await fork(repo, id, { title: 'fork' })
    await append(repo, id, [reply('2', { cost: 2 })])
    await append(repo, session, [reply('3', { cost: 4 })])
    await fork(repo, session, { title: 'other' })
    await append(repo, session, [reply('4', { cost: 8 })])
    await append(repo, (await compare(repo, ['other', 'fork'])).sides[0]?.session ?? '', [
      reply('5', { cost: 16 }),
    ])
    const costs = async (whole: boolean) => {
      const { sides, total } = await compare(repo, ['trunk', 'fork', 'other'], { whole })
      return [...sides.map(({ cost }) => cost), total.cost]
    }
    expect(await costs(false)).toEqual([2, 12, 20, 30])
    expect(await costs(true)).toEqual([3, 13, 21, 31])
  })

  it('takes times from the session that a side is named by, and knows none of a bare entry', async () => {
    const repo = await openRepo()
    const [a = '', b = ''] = await raced(repo, [1, 2])
    const { sides } = await compare(repo, [a, b])
    expect(sides.map(({ duration }) => duration)).toEqual([0, 0])
    expect(sides[0]?.lastActivity).toMatch(/^2026-01-01T00:00:\d\d\.000Z$/)
    const bare = await compare(
      repo,
      sides.map(({ oid }) => oid),
    )
    expect(bare.sides.map(({ duration, lastActivity }) => [duration, lastActivity])).toEqual([
      [null, null],
      [null, null],
    ])
  })
})
