import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PlanStep } from '../../../src/model/plan.ts'
import { cherryPick } from '../../../src/ops/cherrypick.ts'
import { contextOf, REQUESTS, type RequestFormat, requestOf } from '../../../src/ops/context/context.ts'
import { edit, editable } from '../../../src/ops/edit.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { merge } from '../../../src/ops/merge.ts'
import { rebase } from '../../../src/ops/rebase.ts'
import { runs } from '../../support/amount.ts'
import { FINDINGS } from '../../support/requests.ts'
import { openRepo } from '../../support/store.ts'
import { answers, calls, Talk, type TalkInput } from '../../support/talk.ts'

const BRANCHES = ['main', 'one', 'two'] as const

interface Step {
  readonly verb: string
  readonly from: string
  readonly to: string
  readonly n: number
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom('say', 'pick', 'range', 'rebase', 'merge', 'summary', 'compact', 'edit'),
  from: fc.constantFrom(...BRANCHES),
  to: fc.constantFrom(...BRANCHES),
  n: fc.nat(5),
})

/** Says something that no step has said, of which a call may stay open. */
const words = (at: number, n: number): TalkInput[] =>
  [`ask ${at}?`, calls(`${at}a`, `${at}b`), answers(`${at}b`), answers(`${at}a`), `told ${at}`].slice(
    0,
    n + 1,
  )

async function take(talk: Talk, at: number, { verb, from, to, n }: Step): Promise<void> {
  const [repo, session] = [talk.repo, talk.id]
  if (verb === 'say') await talk.append(to, ...words(at, n))
  else if (verb === 'pick') await cherryPick(repo, [from, `${from}~0`], { session, onto: to })
  else if (verb === 'range') await cherryPick(repo, [`${to}..${from}`], { session, onto: to })
  else if (verb === 'rebase') await rebase(repo, from, { session, branch: to })
  else if (verb === 'merge') await merge(repo, from, { session, into: to, forward: n > 3 ? 'auto' : 'never' })
  else if (verb === 'summary') await merge(repo, from, { session, into: to, summary: `summary ${at}` })
  else if (verb === 'compact') {
    const { entries } = await editable(repo, to, session)
    const firstKept = entries[Math.max(0, entries.length - n)]?.oid
    await talk.link(
      to,
      'sess/compaction',
      { summary: `S${at}` },
      firstKept === undefined ? {} : { firstKept },
    )
  } else {
    const { entries } = await editable(repo, to, session)
    const plan = entries.map(
      ({ oid }, i): PlanStep => ({ verb: i > 0 && i % 4 === n ? 'drop' : 'pick', oid }),
    )
    if (n % 2 === 1) plan.reverse()
    await edit(repo, to, plan, { session, move: true })
  }
}

it('is valid for every API, whatever was brought where', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
      const talk = await Talk.begin(await openRepo(), ...words(100, 4))
      await talk.branch('one', 'main~1', ...words(200, 3))
      await talk.branch('two', 'main~3', ...words(300, 4))
      for (const [at, one] of steps.entries()) await take(talk, at, one)
      for (const branch of BRANCHES) {
        const revision = `${talk.id}/${branch}`
        for (const format of Object.keys(REQUESTS) as RequestFormat[]) {
          const { request } = await requestOf(talk.repo, revision, format)
          expect(FINDINGS[format](request)).toEqual([])
        }
        const open: string[] = []
        const { messages } = await contextOf(talk.repo, revision)
        for (const block of messages.flatMap(({ blocks }) => blocks)) {
          if (block.kind === 'toolCall') open.push(block.id)
          if (block.kind === 'toolResult')
            expect(open.splice(open.lastIndexOf(block.id), 1)).toEqual([block.id])
        }
        expect(open).toEqual([])
      }
      expect((await fsck(talk.repo)).findings).toEqual([])
      await talk.repo.close()
    }),
    { numRuns: runs(20) },
  )
})
