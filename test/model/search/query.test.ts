import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery, type Query } from '../../../src/model/search/query.ts'
import { runs } from '../../support/amount.ts'
import { expectFailure } from '../../support/errors.ts'

const NOW = Date.UTC(2026, 3, 2)

/** Returns a query in short: clauses of terms, `!` before those that are turned round. */
const told = ({ clauses }: Query): string =>
  clauses
    .map((clause) =>
      clause
        .map((term) => {
          const value =
            'text' in term
              ? term.text
              : 'source' in term
                ? term.source
                : 'value' in term
                  ? term.value
                  : 'role' in term
                    ? term.role
                    : 'time' in term
                      ? new Date(term.time).toISOString().slice(0, 10)
                      : ''
          return `${term.not ? '!' : ''}${term.kind}=${value}`
        })
        .join('|'),
    )
    .join(' ')

const read = (text: string): string => told(parseQuery(text, NOW))

describe('a query', () => {
  it('is words, phrases, expressions and fields', () => {
    expect(read('Tide  "Saint Malo" -moon')).toBe('text=tide text=saint malo !text=moon')
    expect(read('re:a.c re:"a b+" -re:x')).toBe('pattern=a.c pattern=a b+ !pattern=x')
    expect(read('tool:Bash role:USER agent:codex cwd:. session:"my one" branch:main')).toBe(
      'tool=Bash role=user agent=codex cwd=. session=my one branch=main',
    )
    expect(read('tool:bash failed')).toBe('tool=bash failed=')
    expect(read('failed "failed"')).toBe('text=failed text=failed')
    expect(read('tool:bash "failed" -failed')).toBe('tool=bash text=failed !failed=')
    expect(read('label:good title:x is:failed since:3d until:2026-03')).toBe(
      'label=good title=x failed= since=2026-03-30 until=2026-03-01',
    )
  })

  it('takes either of two terms around OR', () => {
    expect(read('a OR b c OR -d OR role:user')).toBe('text=a|text=b text=c|!text=d|role=user')
    expect(read('"OR" or -OR')).toBe('text=or text=or !text=or')
  })

  it('takes what is no field as it is', () => {
    expect(read('http://x std::vector error: a-b -- "a:b" -')).toMatchInlineSnapshot(
      `"text=http://x text=std::vector text=error: text=a-b !text=- text=a:b text=-"`,
    )
  })

  it('fits phrases whatever white space stands between the words, and nothing else', () => {
    const fits = (query: string, text: string): boolean => {
      const [[term] = []] = parseQuery(query, NOW).clauses
      return term !== undefined && 'pattern' in term && term.pattern.test(text)
    }
    expect(fits('"a b"', 'x a\n  b')).toBe(true)
    expect(fits('a.b', 'axb')).toBe(false)
    expect(fits('a.b(c)*[d]', 'a.b(c)*[d]')).toBe(true)
  })

  it('says where it is wrong', async () => {
    const place = async (text: string): Promise<unknown> => {
      const { at } = await expectFailure('bad-query', () => parseQuery(text, NOW))
      return at && [at.from, at.to]
    }
    expect(await place('tide "table')).toEqual([5, 11])
    expect(await place('x re:(a')).toEqual([5, 7])
    expect(await place('x re:"(a"')).toEqual([6, 9])
    expect(await place('role:robot')).toEqual([5, 10])
    expect(await place('since:soon')).toEqual([6, 10])
    expect(await place('OR a')).toEqual([0, 2])
    expect(await place('a OR OR b')).toEqual([5, 7])
    expect(await place('a OR')).toEqual([2, 4])
    expect(await place('a ""')).toEqual([2, 4])
    expect(await place(' ')).toBe(undefined)
  })

  it('is read, or refused with a place in it, whatever is typed', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab":- (\\\\[', 'OR', 're:', 'role:', 'since:', 'é') })
    fc.assert(
      fc.property(text, (typed) => {
        try {
          expect(parseQuery(typed, NOW).clauses.length).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad-query' })
          const { at } = error as { at?: { from: number; to: number } }
          if (at) expect(at.from >= 0 && at.from < at.to && at.to <= typed.length).toBe(true)
          else expect(typed.trim()).toBe('')
        }
      }),
      { numRuns: runs(1000) },
    )
  })
})
