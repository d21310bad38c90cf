import { describe, expect, it } from 'vitest'
import { parsePlan } from '../../src/model/plan.ts'
import { expectFailure } from '../support/errors.ts'

describe('parsePlan', () => {
  it('reads a step a line, with what it says instead', () => {
    const plan = `
# a comment
pick 12ab  # user  hello # there
  drop ABCD0
reword 34cd
> other words
>
>   in three lines # and no comment
squash 56ef#
`
    expect(parsePlan(plan)).toEqual([
      { verb: 'pick', oid: '12ab', line: 3 },
      { verb: 'drop', oid: 'abcd0', line: 4 },
      { verb: 'reword', oid: '34cd', line: 5, text: 'other words\n\n  in three lines # and no comment' },
      { verb: 'squash', oid: '56ef', line: 9 },
    ])
    expect(parsePlan('')).toEqual([])
    expect(parsePlan('\r\n# nothing\r\n')).toEqual([])
  })

  it('says in which line a plan is wrong, and which words it knows', async () => {
    for (const [plan, message] of [
      ['pik 12ab', "line 1: 'pik' is none of pick, drop, reword, squash"],
      ['pick 12ab\npick', "line 2: 'pick' is not followed by an oid of 4 or more digits"],
      ['pick xyz1', "line 1: 'pick' is not followed by an oid of 4 or more digits"],
      ['pick 12ab 34cd', "line 1: 'pick' is not followed by an oid of 4 or more digits"],
      ['\nreword 12ab\npick 34cd', "line 2: 'reword' is not followed by its new text, each line after '>'"],
      ['pick 12ab\n> words', "line 2: '>' does not follow a reword"],
    ] as const) {
      const error = await expectFailure('bad-plan', () => parsePlan(plan))
      expect(error.message).toBe(`cannot follow the plan: ${message}`)
    }
    const { at, choices } = await expectFailure('bad-plan', () => parsePlan('  pik 12ab'))
    expect(at).toEqual({ text: '  pik 12ab', from: 2, to: 5 })
    expect(choices).toContain('pick')
  })
})
