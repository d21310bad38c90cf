import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClaudeReader } from '../../../src/formats/claude-code/read.ts'
import type { Reading, RecordIndex } from '../../../src/formats/core/format.ts'
import { digestOf, type Links, oidOfEntry } from '../../../src/model/encoding/entry.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { isObject, type Json, type JsonObject } from '../../../src/model/json.ts'
import { assistant, fixture, readAll, readUnits, unit, user } from './records.ts'

/** Returns the oids of the entries that readings hold, by handle. */
function oidsOf(readings: readonly Reading[]): Map<RecordIndex, Oid> {
  const oids = new Map<RecordIndex, Oid>()
  const oid = (handle: RecordIndex): Oid => oids.get(handle) as Oid
  for (const [handle, { entry }] of readings.entries()) {
    if (!entry) continue
    const links: Links = {
      ...(entry.links?.kept && { kept: entry.links.kept.map(oid) }),
      ...(entry.links?.target !== undefined && { target: oid(entry.links.target) }),
    }
    const parents = entry.parent === null ? [] : [oid(entry.parent)]
    oids.set(handle, oidOfEntry({ parents, type: entry.type, digest: digestOf(entry.body), links }))
  }
  return oids
}

/** Fields of a message about the answer of the API, which the model does not see. */
const ADDED: JsonObject = {
  context_management: null,
  container: { id: 'container_1' },
  stop_reason: 'end_turn',
  stop_sequence: null,
  stop_details: null,
  diagnostics: {},
  usage: { input_tokens: 7, output_tokens: 9, service_tier: 'standard' },
  a_field_of_a_later_release: 1,
}

/** Returns a record with other fields in its message, and one that is not known in each of its blocks. */
function withMessage(record: JsonObject, fields: JsonObject): JsonObject {
  const { message } = record
  if (!isObject(message)) return record
  const content = Array.isArray(message.content)
    ? (message.content as JsonObject[]).map((block) => ({ ...block, cache_control: { type: 'ephemeral' } }))
    : (message.content ?? null)
  return { ...record, message: { ...message, content, ...fields } }
}

describe('reading a session', () => {
  it('puts messages of sub-agents in records of progress into conversations of their own', () => {
    const { readings, reader } = readAll(fixture('progress.jsonl'))
    const drawn = readings.map(({ entry, native }) => entry && [native, entry.parent])
    expect(drawn).toEqual([
      ['u1', null],
      ['a1', 0],
      ['a2', 1],
      ['s1', null], // of the first
      ['x1', null], // of the second
      ['s2', 3],
      ['s3', 5],
      undefined, // repeated
      undefined, // without blocks
      ['r1', 2],
      ['r2', 9],
      ['a3', 10],
    ])
    expect(readings[3]?.entry?.bodyPath).toEqual(['data', 'message'])
    expect(reader.active()).toBe(11)
    expect(reader.facts()).toMatchObject({
      subagents: new Map([
        ['agent-aa11bb1', 1],
        ['agent-aa11bb2', 2],
      ]),
      branches: new Map([
        ['agent-aa11bb1', 6],
        ['agent-aa11bb2', 4],
      ]),
    })
  })

  it('returns these entries', () => {
    const { readings } = readAll(fixture('session.jsonl'))
    const drawn = readings.map(
      ({ entry }) => entry && [entry.type.replace('claude/', ''), entry.parent, entry.links],
    )
    expect(drawn).toEqual([
      undefined, // file-history-snapshot
      ['user', null, undefined],
      ['attachment', 1, undefined],
      ['assistant', 2, undefined], // thinks
      ['assistant', 3, undefined], // calls a tool
      undefined, // progress
      ['assistant', 4, undefined], // calls another
      ['user', 6, undefined], // the first result: its parent in the file is the progress record
      ['user', 7, undefined], // the second
      ['assistant', 8, undefined],
      undefined, // turn_duration
      ['user', 9, undefined], // abandoned
      ['assistant', 11, undefined],
      ['user', null, undefined], // a sidechain
      ['assistant', 13, undefined],
      ['user', 9, undefined], // rewound
      ['assistant', 15, undefined],
      ['compact_boundary', 16, { kept: [15, 16] }],
      ['user', 17, undefined],
      ['user', 18, undefined],
      ['assistant', 19, undefined],
      undefined, // custom-title
    ])
    expect(readings.flatMap((reading) => reading.warnings ?? [])).toEqual([])
  })

  it('returns times and native ids of records that carry no entry too', () => {
    const { readings } = readAll(fixture('session.jsonl'))
    expect(readings[0]).toEqual({})
    expect(readings[5]).toEqual({
      time: Date.UTC(2026, 2, 1, 9, 0, 5),
      native: '00000000-0000-4000-8000-000000000005',
    })
    expect(readings[20]).toMatchObject({
      time: Date.UTC(2026, 2, 1, 9, 0, 20),
      native: '00000000-0000-4000-8000-000000000020',
    })
  })

  it("assigns an agent's copy the same oids, though every id is new", () => {
    const oids = oidsOf(readAll(fixture('session.jsonl')).readings)
    const copies = [...oidsOf(readAll(fixture('fork.jsonl')).readings).values()]
    const sidechain = [13, 14]
    expect(copies).toEqual([...oids].filter(([handle]) => !sidechain.includes(handle)).map(([, oid]) => oid))
  })

  it('assigns copies the same oids, whatever a release adds to their messages', () => {
    const records = fixture('session.jsonl')
    const copies = records.map((record) => withMessage(record, ADDED))
    expect(copies).not.toEqual(records)
    expect(oidsOf(readAll(copies).readings)).toEqual(oidsOf(readAll(records).readings))
  })

  it('assigns other oids to another model, message id or content', () => {
    const records = fixture('session.jsonl')
    const oids = [...oidsOf(readAll(records).readings).values()]
    for (const change of [{ model: 'another' }, { id: 'msg_other' }, { content: 'other words' }]) {
      const copies = records.map((record) => withMessage(record, change))
      expect([...oidsOf(readAll(copies).readings).values()]).not.toEqual(oids)
    }
  })

  it('takes a complete record in the place of a salvaged one with its uuid, wherever it follows', () => {
    const user2 = user('u2', 'a1')
    const records = [user('u1', null), assistant('a1', 'u1', 'm1'), assistant('a2', 'a1', 'm1'), user2]
    const whole = [...oidsOf(readAll(records).readings).values()]
    // The salvaged block comes before the one that it follows, so its place is another.
    const damaged = readUnits([
      unit(records[0] as Json, 1),
      { ...unit(records[2] as Json, 2), salvaged: true },
      unit(records[1] as Json, 3),
      unit(records[2] as Json, 4),
      unit(records[3] as Json, 5),
    ])
    const oids = oidsOf(damaged.readings)
    expect([0, 2, 3, 4].map((at) => oids.get(at))).toEqual(whole)
    expect(damaged.readings[3]?.superseded).toEqual([1])
    expect(damaged.reader.active()).toBe(4)
  })

  it('takes the first of two records on one line for salvaged too', () => {
    const records = [user('u1', null), assistant('a1', 'u1', 'm1'), assistant('a2', 'a1', 'm1')]
    const whole = [...oidsOf(readAll(records).readings).values()]
    const glued = readUnits([
      unit(records[0] as Json, 1),
      unit(records[2] as Json, 2),
      { ...unit({ type: 'summary', summary: 'S', leafUuid: 'u1' }, 2), salvaged: true },
      unit(records[1] as Json, 3),
      unit(records[2] as Json, 4),
    ])
    const oids = oidsOf(glued.readings)
    expect([0, 3, 4].map((at) => oids.get(at))).toEqual(whole)
  })

  it('keeps a salvaged record as the entry where no complete one follows', () => {
    const records = [user('u1', null), assistant('a1', 'u1', 'm1'), user('u2', 'a1')]
    const whole = [...oidsOf(readAll(records).readings).values()]
    const damaged = readUnits(records.map((one, i) => ({ ...unit(one, i + 1), salvaged: i === 1 })))
    expect([...oidsOf(damaged.readings).values()]).toEqual(whole)
    expect(damaged.readings.flatMap(({ superseded }) => superseded ?? [])).toEqual([])
  })

  it('chains again what continues a salvaged record that differs from the complete one', () => {
    const cut = { ...assistant('a1', 'u1', 'm1'), message: { id: 'm1', role: 'assistant', content: 'cut' } }
    const records = [user('u1', null), assistant('a1', 'u1', 'm1'), user('u2', 'a1'), user('u3', 'u2')]
    const whole = [...oidsOf(readAll(records).readings).values()]
    const { reader, readings } = readUnits([
      unit(records[0] as Json, 1),
      { ...unit(cut, 2), salvaged: true },
      unit(records[2] as Json, 3),
      unit(records[1] as Json, 4),
      unit(records[3] as Json, 5),
    ])
    expect(readings[3]).toMatchObject({
      entry: { parent: 0 },
      superseded: [1, 2],
      rechained: [{ original: 2, parent: 3, native: 'u2' }],
    })
    expect(readings[4]?.entry?.parent).toBe(4)
    expect(reader.active()).toBe(5)
    expect(whole).toContain(oidsOf(readings).get(3))
  })

  it('keeps the links of a compaction that is chained again, to the entries as they are now', () => {
    const cut = { ...assistant('a1', 'u1', 'm1'), message: { id: 'm1', role: 'assistant', content: 'cut' } }
    const boundary = {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'k',
      parentUuid: null,
      logicalParentUuid: 'u2',
      compactMetadata: { preservedMessages: { uuids: ['u1', 'u2'] } },
    }
    const { readings } = readUnits([
      unit(user('u1', null), 1),
      { ...unit(cut, 2), salvaged: true },
      unit(user('u2', 'a1'), 3),
      unit(boundary, 4),
      unit(assistant('a1', 'u1', 'm1'), 5),
    ])
    expect(readings[3]?.entry?.links).toEqual({ kept: [0, 2] })
    expect(readings[4]?.rechained).toMatchObject([
      { original: 2, parent: 4 },
      { original: 3, parent: 5, links: { kept: [0, 5] } },
    ])
  })

  it('chains entries again a bounded number of times', () => {
    const ids = Array.from({ length: 1500 }, (_, i) => `u${i}`)
    const fields = (i: number, content: string) => ({
      ...user(`u${i}`, i === 0 ? null : `after-u${i - 1}`),
      message: { role: 'user', content },
    })
    const { readings } = readUnits([
      ...ids.flatMap((id, i) => [
        { ...unit(fields(i, 'cut'), 2 * i + 1), salvaged: true },
        unit(user(`after-${id}`, id), 2 * i + 2),
      ]),
      ...ids.map((_, i) => unit(fields(i, `whole ${i}`), 2 * ids.length + i)),
    ])
    const again = readings.reduce((sum, { rechained = [] }) => sum + rechained.length, 0)
    expect(again).toBeGreaterThan(ids.length)
    expect(again).toBeLessThan(150 * ids.length)
  })

  it('returns the oids of reading 3', () => {
    const oids = oidsOf(readAll(fixture('session.jsonl')).readings)
    expect([oids.get(1), oids.get(14), oids.get(20)]).toEqual(FROZEN)
  })

  it('reports what does not hold together and reads on', () => {
    const { readings, reader } = readAll(fixture('damaged.jsonl'))
    const U = '00000000-0000-4000-8000-0000000000'
    const strange = '99999999-0000-4000-8000-000000000099'
    const drawn = readings.map(({ entry, warnings }) => [entry?.parent, warnings?.map(({ code }) => code)])
    expect(drawn).toEqual([
      [undefined, undefined], // last-prompt
      [null, ['dangling-parent']],
      [1, undefined],
      [undefined, ['duplicate-id']],
      [undefined, ['no-id']],
      [null, ['dangling-parent']], // its own parent
      [undefined, undefined],
      [undefined, undefined],
      [null, ['dangling-parent']], // below a circle
      [undefined, undefined], // an unknown type
      [8, undefined],
    ])
    expect(readings[1]?.warnings?.[0]?.message).toBe(
      `'${U}01' begins a conversation: its parent '${strange}' is not before it in the file`,
    )
    expect(reader.active()).toBe(10)
  })

  it.each<[Json]>([[null], [7], ['text'], [[]], [[{ type: 'user', uuid: 'u' }]]])(
    'makes nothing of %j',
    (value) => {
      const reader = new ClaudeReader('some.jsonl')
      expect(reader.read(unit(value))).toEqual({})
      const { value: _, ...bytes } = unit(null)
      expect(reader.read(bytes)).toEqual({})
      expect(reader.read(unit({ type: 'user', uuid: 'u' })).entry?.parent).toBeNull()
      expect(reader.active()).toBe(2)
    },
  )
})

/**
 * Of the root, the end of the sidechain and the active leaf. They never change while the reading
 * is 1.
 */
const FROZEN = [
  '281693ecfd457973395432bcee85194d2e1da450dad4cccb0a38bc9d2ef4aa87',
  'f9c53d06e746884d9b59bee737db487d82da52b89007a9a20d194cbc9eba1fc9',
  'e73341ef8754c0399539f24340c2cd4d06be0ff3d00f666be05832279c0fdf2b',
]

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
const blocks = fc.array(
  fc.record(
    { type: fc.constantFrom('text', 'tool_use', 'tool_result'), id: ids, tool_use_id: ids },
    { requiredKeys: ['type'] },
  ),
  { maxLength: 2 },
)
/** Records without sense: ids that recur, parents anywhere, circles. */
const nonsense = fc.array(
  fc.record(
    {
      type: fc.constantFrom('user', 'assistant', 'attachment', 'system', 'progress', 'summary', 'strange'),
      subtype: fc.constantFrom('compact_boundary', 'microcompact_boundary', 'other'),
      uuid: ids,
      parentUuid: fc.option(ids),
      logicalParentUuid: ids,
      isSidechain: fc.boolean(),
      message: fc.record({ id: ids, content: blocks }, { requiredKeys: ['content'] }),
      compactMetadata: fc.oneof(
        fc.record({ preservedMessages: fc.record({ uuids: fc.array(ids) }) }),
        fc.record({ preservedSegment: fc.record({ headUuid: ids, tailUuid: ids }) }),
      ),
      microcompactMetadata: fc.record({ compactedToolIds: fc.array(ids, { maxLength: 2 }) }),
    },
    { requiredKeys: ['type', 'uuid'] },
  ),
  { maxLength: 30 },
) as fc.Arbitrary<Json[]>

describe('a growing file', () => {
  it('changes nothing that was read, whatever is asked in between', () => {
    fc.assert(
      fc.property(nonsense, fc.nat(30), (records, cut) => {
        const { readings } = readAll(records)
        const reader = new ClaudeReader('some.jsonl')
        const prefix = records.slice(0, cut).map((record) => {
          const reading = reader.read(unit(record))
          reader.active()
          reader.facts()
          return reading
        })
        expect(prefix).toEqual(readings.slice(0, cut))
      }),
    )
  })

  it('continues only what was read before, and links only to ancestors', () => {
    fc.assert(
      fc.property(nonsense, (records) => {
        const { readings, reader } = readAll(records)
        const paths = new Map<RecordIndex, ReadonlySet<RecordIndex>>()
        for (const [handle, { entry }] of readings.entries()) {
          if (!entry) continue
          const above =
            entry.parent === null
              ? new Set<RecordIndex>()
              : (paths.get(entry.parent) as ReadonlySet<RecordIndex>)
          const links = [
            ...(entry.links?.kept ?? []),
            ...(entry.links?.target === undefined ? [] : [entry.links.target]),
          ]
          for (const link of links) expect(above.has(link)).toBe(true)
          paths.set(handle, new Set([...above, handle]))
        }
        const active = reader.active()
        if (active !== null) expect(paths.has(active)).toBe(true)
      }),
    )
  })
})
