import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SessionTable } from '../../../src/cli/render/sessions.ts'
import { columnsOf, FIELDS, type ListCells, type ListField } from '../../../src/repo/listcolumns.ts'
import type { Listed } from '../../../src/repo/listedsession.ts'
import { firstLine, lineText } from '../../../src/text/text.ts'
import { cut } from '../../../src/text/width.ts'
import { runs } from '../../support/amount.ts'
import { listedSession, withoutSpending } from '../../support/listed.ts'

function tableFor(sessions: readonly Listed[], columns: number): SessionTable {
  const all = columnsOf(withoutSpending(sessions), FIELDS)
  const list = {
    count: sessions.length,
    map: <F extends ListField, T>(field: F, make: (cell: ListCells[F]) => T): T[] =>
      (all[field] as readonly ListCells[F][]).map(make),
    short: (): string[] => sessions.map(({ id }) => id),
    costComputed: (): boolean[] => sessions.map(() => false),
  }
  return new SessionTable(list, { columns, zone: () => 0, now: Date.UTC(2026, 5, 1) })
}

const text = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.string({ minLength: 1, maxLength: 9, unit: 'grapheme-ascii' }) },
      fc.constantFrom('  ', '\n', 'ü', '日本', '🚀', 'e\u0301', '\u200b', '\x1b[31m', '…'),
    ),
    { maxLength: 30 },
  )
  .map((words) => words.join(' '))

describe('the table of sessions', () => {
  it('shows of a prompt the first words that fit, in quotes', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 40, max: 160 }), (prompt, columns) => {
        const bare = { tokens: null, cost: null, updated: null, format: '', entries: 1, id: 'one' }
        const table = tableFor([listedSession({ ...bare, prompt })], columns)
        const [[line = ''] = []] = [...table.texts()]
        const [before] = [...table.lines()].map((pieces) => lineText(pieces.slice(0, -1)))
        const room = columns - (before ?? '').length
        expect(line).toBe(`${before}${cut(`"${firstLine(prompt)}"`, room)}`)
      }),
      { numRuns: runs(500) },
    )
  })

  it('is the same with colours and without', () => {
    const some = fc.record({
      id: fc.oneof(fc.uuid(), text),
      title: fc.option(text),
      prompt: fc.option(text),
      entries: fc.nat(),
      cost: fc.option(fc.nat(1000)),
      head: fc.constantFrom('main', null),
      updated: fc.constantFrom(null, '2026-01-02T00:00:00.000Z', '2026-05-31T23:59:00.000Z'),
    })
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 9 }), (abouts) => {
        const table = tableFor(abouts.map(listedSession), 100)
        const colored = [...table.lines()].map(lineText)
        expect([...table.texts()].flat()).toEqual(colored)
      }),
    )
  })

  it('shows all of many sessions', () => {
    const ids = Array.from({ length: 1203 }, (_, i) => `session-${i}`)
    const texts = [
      ...tableFor(
        ids.map((id) => listedSession({ id })),
        100,
      ).texts(),
    ].flat()
    expect(texts.map((line) => line.split(' ')[0])).toEqual(ids)
  })
})
