import { describe, expect, it } from 'vitest'
import type { Format, Reading } from '../../src/formats/core/format.ts'
import { noCorpus, SKIPPED } from '../support/corpus.ts'
import { caseOf, samplesByFormat, wrongWith } from '../support/readerfuzz.ts'

/** How many cases each reader gets, from which on; or for how many seconds. SESS_FIRST=123 SESS_CASES=1 repeats one. */
const CASES = Number(process.env.SESS_CASES ?? 150)
const FIRST = Number(process.env.SESS_FIRST ?? 1)
const SECONDS = Number(process.env.SESS_FUZZ ?? 0)

/** The memory in bytes that a reader may use for any case of 100 kB. */
const MOST = 400 << 20

const BY_FORMAT = samplesByFormat()
const ALL = [...BY_FORMAT.values()].flat()

describe('the harness', () => {
  const bytes = Buffer.from('{"a":1}\n{"b":2}\n')
  const sound = [...BY_FORMAT.keys()].find(({ name }) => name === 'jsonl') as Format
  const reader = (...readings: Reading[]): Format['reader'] => {
    let at = 0
    return () => ({ read: () => readings[at++] ?? {}, active: () => null, facts: () => ({}) })
  }
  const lossy: Format['splitter'] = () => {
    const splitter = sound.splitter()
    return { push: (piece) => splitter.push(piece).slice(1), end: () => splitter.end() }
  }
  const said = (parent: number | null, more: object = {}): Reading => ({
    entry: { type: 'x/y', body: {}, parent, ...more },
  })

  it.each([
    ['nothing wrong', {}, undefined],
    ['lost bytes', { splitter: lossy }, 'bytes are lost'],
    ['a parent that is no entry', { reader: reader(said(1)) }, '0 continues 1, which is no entry'],
    [
      'a link to what is not before',
      { reader: reader(said(null), said(null, { links: { target: 0 } })) },
      '1 links 0, which is not before it',
    ],
    [
      'what is superseded unsaid',
      { reader: reader({ superseded: [3] }) },
      '3 is superseded and was not read',
    ],
    [
      'a name of nothing',
      { reader: () => ({ read: () => ({}), active: () => 7, facts: () => ({}) }) },
      '7 is named and is no entry',
    ],
    ['another reading in pieces', { reader: reader(said(null), {}, {}, {}) }, 'pieces are read otherwise'],
  ])('finds %s', (_, broken, found) => {
    expect(wrongWith({ ...sound, ...broken }, { name: 'x.jsonl', bytes }, 1)).toBe(found)
  })
})

describe.each([...BY_FORMAT].map(([format, own]) => ({ name: format.name, format, own })))(
  'the reader of $name',
  { timeout: SECONDS > 0 ? (SECONDS + 60) * 1000 : 600_000 },
  ({ name, format, own }) => {
    it.skipIf(noCorpus)(`has samples${noCorpus ? ` ${SKIPPED}` : ''}`, () =>
      expect(own.length).toBeGreaterThan(0),
    )

    it.skipIf(own.length === 0)('keeps every byte of what is broken, and reads it soundly', () => {
      const wrong: string[] = []
      const begun = performance.now()
      let [number, slowest, slowestAt, most, bytes] = [FIRST, 0, 0, 0, 0]
      const rss = process.memoryUsage().rss
      const goesOn = (): boolean =>
        SECONDS > 0 ? performance.now() - begun < SECONDS * 1000 : number < FIRST + CASES
      for (; goesOn() && wrong.length < 20; number++) {
        const made = caseOf(number, own, ALL)
        const from = performance.now()
        let failure: string | undefined
        try {
          failure = wrongWith(format, made, number)
        } catch (error) {
          failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
        }
        const took = performance.now() - from
        if (took > slowest) [slowest, slowestAt] = [took, number]
        bytes += made.bytes.length
        if (number % 100 === 0) most = Math.max(most, process.memoryUsage().rss - rss)
        if (failure !== undefined) wrong.push(`${name} ${number} ${made.name}: ${made.by}: ${failure}`)
      }
      if (SECONDS > 0)
        process.stdout.write(
          `${[name, number - FIRST, Math.round(bytes / 1e6), Math.round(slowest), slowestAt, Math.round(most / 1e6), wrong.length].join('\t')}\n`,
        )
      expect(wrong).toEqual([])
      expect(most).toBeLessThan(MOST)
    })
  },
)
