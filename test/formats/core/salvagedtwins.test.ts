import { describe, expect, it } from 'vitest'
import { dash } from '../../../src/formats/dash.ts'
import { droid } from '../../../src/formats/droid.ts'
import { ohMyPi } from '../../../src/formats/oh-my-pi.ts'
import { openclaw } from '../../../src/formats/openclaw.ts'
import { pi } from '../../../src/formats/pi/index.ts'
import { qwen } from '../../../src/formats/qwen-code.ts'
import { field, type Json } from '../../../src/model/json.ts'
import { ALL } from '../../support/amount.ts'
import { type Read, readText } from '../read.ts'

const AT = '2026-01-02T03:04:05.000Z'

/** Returns the records of a conversation in a format, from their ids, the ids of their parents and their words. */
type Record = (id: string, parent: string | null, words: string) => Json

const piRecord: Record = (id, parentId, words) => ({
  type: 'message',
  id,
  parentId,
  timestamp: AT,
  message: { role: 'user', content: [{ type: 'text', text: words }] },
})

const FORMATS = [
  { format: pi, header: { type: 'session', version: 3, id: 's' }, record: piRecord },
  { format: ohMyPi, header: { type: 'session', version: 3, id: 's' }, record: piRecord },
  { format: openclaw, header: { type: 'session', version: 3, id: 's' }, record: piRecord },
  {
    format: dash,
    header: { type: 'session', version: 1, id: 's' },
    record: (id, parentId, content) => ({
      type: 'message',
      id,
      parentId,
      timestamp: AT,
      role: 'user',
      content,
    }),
  },
  {
    format: droid,
    header: { type: 'session_start', id: 's' },
    record: (id, parentId, text) => ({
      type: 'message',
      id,
      parentId,
      timestamp: AT,
      message: { role: 'user', content: [{ type: 'text', text }] },
    }),
  },
  {
    format: qwen,
    header: { uuid: 'h', type: 'system', systemPayload: {}, parentUuid: null },
    record: (uuid, parentUuid, text) => ({
      type: 'user',
      uuid,
      parentUuid,
      timestamp: AT,
      message: { role: 'user', parts: [{ text }] },
    }),
  },
] as const satisfies readonly { format: typeof pi; header: Json; record: Record }[]

const line = (...values: readonly Json[]): string => `${values.map((one) => JSON.stringify(one)).join('')}\n`

/** Returns the entries that count, in the order of the file: each with its native id and that of its parent. */
function treeOf({ readings }: Read): string[] {
  const ids: (string | undefined)[] = []
  const gone = new Set<number>()
  const entries: { at: number; parent: number | null }[] = []
  let at = 0
  for (const { entry, native, superseded = [], rechained = [] } of readings) {
    for (const one of superseded) gone.add(one)
    ids[at] = native
    if (entry) entries.push({ at, parent: entry.parent })
    at++
    for (const again of rechained) {
      ids[at] = again.native
      entries.push({ at: at++, parent: again.parent })
    }
  }
  return entries
    .filter((entry) => !gone.has(entry.at))
    .map((entry) => `${ids[entry.at]} < ${entry.parent === null ? '-' : ids[entry.parent]}`)
}

const bodies = ({ readings }: Read): string =>
  JSON.stringify(readings.flatMap(({ entry }) => (entry ? [entry.body] : [])))

describe.each(FORMATS)('a salvaged record of $format.name', ({ format, header, record }) => {
  const [a, b, c] = [record('a', null, 'A'), record('b', 'a', 'B'), record('c', 'b', 'C')]

  it('stays the entry where no complete record has its id', () => {
    const read = readText(format, line(header) + line(a) + `{"torn":"${line(b)}` + line(c))
    expect(treeOf(read)).toEqual(['a < -', 'b < a', 'c < b'])
  })

  it('is the same entry as an equal complete one that follows', () => {
    const read = readText(format, line(header) + line(a) + `{"torn":"${line(b)}` + line(c) + line(b))
    expect(treeOf(read)).toEqual(['a < -', 'b < a', 'c < b'])
    expect(read.readings.at(-1)?.entry).toBeUndefined()
  })

  it('is replaced by a complete one that continues another record, and what continues it is chained again', () => {
    const read = readText(
      format,
      line(header) + line(a) + `{"torn":"${line(record('b', null, 'B'))}` + line(c) + line(b),
    )
    expect(treeOf(read)).toEqual(['a < -', 'b < a', 'c < b'])
    expect(read.readings.at(-1)).toMatchObject({ native: 'b', rechained: [{ native: 'c' }] })
    expect(read.reader.active()).not.toBeNull()
  })

  it('is no entry where a complete one came before', () => {
    const read = readText(format, line(header) + line(a) + line(b) + `{"torn":"${line(b)}` + line(c))
    expect(treeOf(read)).toEqual(['a < -', 'b < a', 'c < b'])
    expect(bodies(read).split('"B"')).toHaveLength(2)
  })

  it('is the first one of two on a line, too', () => {
    const other = record('b', null, 'B')
    const read = readText(format, line(header) + line(a) + line(other, record('x', 'a', 'X')) + line(b))
    expect(treeOf(read)).toEqual(['a < -', 'x < a', 'b < a'])
  })

  it('keeps the readings of the lines before, however the file grows', () => {
    const lines = [
      line(header),
      line(a),
      `{"torn":"${line(record('b', null, 'B'))}`,
      line(c),
      line(b),
      line(c),
    ]
    const whole = readText(format, lines.join('')).readings
    for (let end = 1; end <= lines.length; end++) {
      const { readings } = readText(format, lines.slice(0, end).join(''))
      expect(readings).toEqual(whole.slice(0, readings.length))
    }
    expect(field(whole.at(-1)?.entry?.body, 'role')).not.toBe('')
  })

  it('moves others a bounded number of times, however many complete ones follow', () => {
    const ids = Array.from({ length: ALL ? 1500 : 500 }, (_, i) => `n${i}`)
    const before = (i: number) => (i === 0 ? null : `after-n${i - 1}`)
    const cut = ids.map(
      (id, i) => `{"torn":"${line(record(id, before(i), 'cut'))}${line(record(`after-${id}`, id, 'after'))}`,
    )
    const whole = ids.map((id) => line(record(id, null, 'cut')))
    const { readings } = readText(format, [line(header), ...cut, ...whole].join(''))
    const again = readings.reduce((sum, { rechained = [] }) => sum + rechained.length, 0)
    expect(again).toBeGreaterThan(ids.length)
    expect(again).toBeLessThan(150 * ids.length)
  })
})

it('an entry of pi that is chained again keeps its links, to the entries as they are now', () => {
  const kept = {
    type: 'compaction',
    id: 'k',
    parentId: 'c',
    timestamp: AT,
    summary: 'S',
    firstKeptEntryId: 'c',
  }
  const text =
    line({ type: 'session', version: 3, id: 's' }) +
    line(piRecord('a', null, 'A')) +
    `{"torn":"${line(piRecord('b', 'a', 'cut'))}` +
    line(piRecord('c', 'b', 'C')) +
    line(kept) +
    line(piRecord('b', 'a', 'whole'))
  const { readings } = readText(pi, text)
  const at = readings.length - 1
  expect(readings[at]?.rechained).toMatchObject([
    { native: 'c', parent: at },
    { native: 'k', parent: at + 1, links: { firstKept: at + 1 } },
  ])
})
