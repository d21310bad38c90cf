import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { compare } from '../../src/ops/compare.ts'
import { diffContexts } from '../../src/ops/context/compare.ts'
import { diff, diffStat } from '../../src/ops/diff.ts'
import { fork } from '../../src/ops/fork.ts'
import { log } from '../../src/ops/log.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { runs } from '../support/amount.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

const asked = (content: string) => ({ body: { role: 'user', content } })

/** Makes sessions: each forks another one at some place, or begins anew, and says some more. */
async function grown(repo: Repo, steps: readonly (readonly [from: number, back: number, says: number])[]) {
  const ids: string[] = []
  for (const [from, back, says] of steps) {
    const source = ids[from % (ids.length + 1)]
    const behind = source === undefined ? 0 : back % (await pathOf(repo, source)).length
    const id =
      source === undefined
        ? await createSession(repo)
        : (await fork(repo, `${source}~${behind}`, { title: `fork ${ids.length}` })).session
    await append(
      repo,
      id,
      Array.from({ length: says }, (_, i) => asked(`${ids.length} says ${i}`)),
    )
    ids.push(id)
  }
  return ids
}

async function pathOf(repo: Repo, revision: string): Promise<string[]> {
  const oids: string[] = []
  for await (const { oid } of log(repo, revision)) oids.push(oid)
  return oids.reverse()
}

const some = fc.array(fc.tuple(fc.nat(5), fc.nat(20), fc.integer({ min: 1, max: 4 })), {
  minLength: 1,
  maxLength: 5,
})

describe('diff', () => {
  it('is empty between a revision and itself, and else leads from the one path to the other', async () => {
    const repo = await openRepo()
    await fc.assert(
      fc.asyncProperty(some, fc.nat(), fc.nat(), async (steps, n, m) => {
        const ids = await grown(repo, steps)
        const [a = '', b = ''] = [ids[n % ids.length], ids[m % ids.length]]
        expect(await diff(repo, a, a)).toMatchObject({ left: [], right: [], pairs: [] })
        const { base, left, right, pairs } = await diff(repo, a, b)
        const [from, to] = [await pathOf(repo, a), await pathOf(repo, b)]
        const common = base === null ? [] : from.slice(0, from.indexOf(base) + 1)
        expect([...common, ...left.map(({ oid }) => oid)]).toEqual(from)
        expect([...common, ...right.map(({ oid }) => oid)]).toEqual(to)
        expect(pairs.flatMap((pair) => pair.left?.oid ?? [])).toEqual(left.map(({ oid }) => oid))
        expect(pairs.flatMap((pair) => pair.right?.oid ?? [])).toEqual(right.map(({ oid }) => oid))
        const dots = await diff(repo, `${a}...${b}`)
        expect([dots.base, dots.left, dots.right]).toEqual([base, [], right])
        const stat = await diffStat(repo, a, b)
        expect(stat.entries.removed.count + stat.same).toBe(left.length)
        expect(stat.entries.added.count + stat.same).toBe(right.length)
        const { sides } = await compare(repo, [a, b])
        expect(sides.map(({ entries }) => entries)).toEqual([left.length, right.length])
      }),
      { numRuns: runs(20) },
    )
  })

  it('needs two revisions or a range', async () => {
    const repo = await openRepo()
    const [id = ''] = await grown(repo, [[0, 0, 2]])
    await expectFailure('bad-usage', () => diff(repo, id))
    await expectFailure('no-revision', () => diff(repo, `${id}...nothing`))
  })
})

describe('diffContexts', () => {
  it('tells what an edit hides or changes, and what a compaction leaves', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await append(repo, id, [asked('one'), asked('two'), asked('three')])
    const before = (await pathOf(repo, id)).at(-1) ?? ''
    await append(repo, id, [
      { type: 'sess/compaction', body: { summary: 'one and two' } },
      { type: 'sess/mode_change', body: { mode: 'plan' } },
    ])
    const { pairs, prefix, ...seen } = await diffContexts(repo, before, id)
    expect(seen).toEqual({
      before: { messages: 3, tokens: 4 },
      after: { messages: 1, tokens: 3, mode: 'plan' },
    })
    expect(prefix).toBe(0)
    expect(pairs.map(({ left, right, same }) => [left?.part, right?.part, same])).toEqual([
      ['message', undefined, false],
      ['message', undefined, false],
      ['message', undefined, false],
      [undefined, 'compaction-summary', false],
    ])
    const none = await diffContexts(repo, id, id)
    expect(none.pairs.every(({ same }) => same)).toBe(true)
    expect(none.prefix).toBe(1)
  })
})
