import { isDeepStrictEqual } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { BlobRef, decodeStored as decode, encode } from '../../../src/model/encoding/canonical.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import { subtract } from '../../../src/model/envelope.ts'
import { parseJson } from '../../../src/model/value.ts'
import { decodeSegment, encodeSegment, openSegment } from '../../../src/storage/levelbackend/recordsegment.ts'
import { NO_ROW } from '../../../src/storage/levelbackend/rows.ts'
import type { Stored, StoredContent, StoredRecord } from '../../../src/storage/levelbackend/storedrecord.ts'
import { runs } from '../../support/amount.ts'
import { anyText, anyTree, spellTree } from '../../support/json.ts'

const NEWLINE = Uint8Array.of(10)
const NOTHING = new Uint8Array(0)

const whole = (...values: Stored[]): StoredRecord[] =>
  values.map((value) => recordOf({ shape: '1', values: [value], spelling: '' }))

const recordOf = (content: StoredContent, more: Partial<StoredRecord> = {}): StoredRecord => ({
  row: NO_ROW,
  tip: NO_ROW,
  lead: NEWLINE,
  content,
  ...more,
})

const spineOf = ({ row, tip, time, native, usage }: StoredRecord): Partial<StoredRecord> => ({
  row,
  tip,
  ...(time === undefined ? {} : { time }),
  ...(native === undefined ? {} : { native }),
  ...(usage === undefined ? {} : { usage }),
})

const contentOf = ({ content }: StoredRecord): StoredContent => content

function expectSame(records: readonly StoredRecord[]): void {
  const bytes = encodeSegment(records)
  const back = decodeSegment(bytes)
  expect(back).toEqual(records)
  // `toStrictEqual` asks objects for their constructor, which here may be a key like any other.
  expect(isDeepStrictEqual(back, records)).toBe(true)
  // The order of keys reaches the bytes that are exported, and equality of objects does not look at it.
  expect(JSON.stringify(back.map(contentOf))).toBe(JSON.stringify(records.map(contentOf)))
  expect(openSegment(0, bytes).headers).toStrictEqual(records.map(spineOf))
}

const uuid = (n: number, version = '4'): string => {
  const digits = (BigInt(n + 1) * 0x9e3779b97f4a7c15f39cc0605cedc835n)
    .toString(16)
    .padStart(32, '0')
    .slice(-32)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${version}${digits.slice(13, 16)}-b${digits.slice(17, 20)}-${digits.slice(20)}`
}

/** A log as agents write them: each record names the one before, the session, its own time. */
function chain(count: number): StoredRecord[] {
  const shape = '{"parent":1,"session":1,"body":0,"id":1,"at":1,"tokens":1,"cost":1}'
  return Array.from({ length: count }, (_, i) => {
    const time = 1_700_000_000_000 + i * 1237
    const values = [
      i === 0 ? null : uuid(i - 1),
      uuid(-7),
      uuid(i),
      new Date(time).toISOString(),
      1000 + i * i,
      i / 100,
    ]
    return recordOf({ shape, values, spelling: '' }, { row: 40 + i, tip: 40 + i, time, native: uuid(i) })
  })
}

describe('a segment', () => {
  it('takes no byte more where no record reports usage', () => {
    const records = chain(3)
    const reporting = records.map((record, i) =>
      i === 1 ? { ...record, usage: { input: 5, output: 2 } } : record,
    )
    expectSame(reporting)
    const grown = encodeSegment(reporting).length - encodeSegment(records).length
    expect(grown).toBeGreaterThan(0)
    expect(grown).toBeLessThan(20)
  })

  it.each([
    ['an index twice', [[0, 0], [1, 1], null, null, null, null, null]],
    ['an index of no record', [[3], [1], null, null, null, null, null]],
    ['a text as a count', [[0], ['1'], null, null, null, null, null]],
    ['too few counts', [[0, 1], [1], null, null, null, null, null]],
    ['an unknown kind of count', [[0], [1], null, null, null, null, null, [2]]],
  ])('refuses usage with %s', (_, usage) => {
    const parts = decode(encodeSegment(chain(3))) as unknown[]
    expect(() => decodeSegment(encode([...parts, usage] as never))).toThrow(RangeError)
  })
})

describe('a segment gives back', () => {
  it('no records', () => {
    expectSame([])
  })

  it('rows and tips in any order, and none', () => {
    const rows = [
      [5, 5],
      [6, 6],
      [-1, 6],
      [-1, -1],
      [0, 9],
      [2 ** 51, 2 ** 51],
      [3, -1],
      [-1, 2 ** 51],
      [-1, -1],
    ]
    expectSame(
      rows.map(([row = 0, tip = 0]) => recordOf({ shape: '1', values: [0], spelling: '' }, { row, tip })),
    )
  })

  it('times that are whole, broken, missing, or of no year', () => {
    const times = [
      0,
      1.5,
      undefined,
      1_700_000_000_000,
      1_700_000_000_001,
      -1,
      8.64e15,
      1e300,
      Number.NaN,
      253402300800000,
    ]
    expectSame(
      times.map((time) => {
        const content = { shape: '1', values: ['1970-01-01T00:00:00.000Z'], spelling: '' }
        return recordOf(content, time === undefined ? {} : { time })
      }),
    )
  })

  it('native ids of every form, once and again', () => {
    const natives = [
      uuid(1),
      uuid(2, '7'),
      '0a1b2c3d',
      'abc',
      'msg_01',
      '',
      uuid(1),
      'ABCDEF0123',
      'half \ud83d',
      'f'.repeat(65),
    ]
    expectSame(
      natives.map((native, i) =>
        recordOf({ shape: '{"id":1,"parent":1}', values: [i, null], spelling: '' }, { native }),
      ),
    )
  })

  it('leads and spellings with odd bytes', () => {
    const leads = [
      NOTHING,
      NEWLINE,
      Uint8Array.of(13, 10),
      Uint8Array.of(0, 255, 128, 10),
      NEWLINE,
      new Uint8Array(70_000),
    ]
    expectSame(
      leads.map((lead, i) =>
        recordOf({ shape: '1', values: [i], spelling: ['', ' ', 'é'][i % 3] ?? '' }, { lead }),
      ),
    )
  })

  it('raw bytes and blobs among other contents', () => {
    expectSame([
      recordOf({ raw: [] }),
      recordOf({ raw: [Uint8Array.of(123, 0, 255)] }),
      recordOf({ shape: '0', values: [], spelling: '' }),
      recordOf({ raw: [new BlobRef(7, 3), NOTHING, new BlobRef(2 ** 40, 0)] }),
    ])
  })

  it('shapes that do not fit their values, or are none', () => {
    expectSame([
      recordOf({ shape: '{"a":1,"b":1}', values: ['x'], spelling: '' }),
      recordOf({ shape: '{"a":1}', values: ['x', { y: [new BlobRef(1, 2)] }, null], spelling: '' }),
      recordOf({ shape: '{"a":1,', values: [true], spelling: '' }),
      recordOf({ shape: '{"2":1,"1":[1,0,{"x":1}]}', values: [1, 2, 3], spelling: '' }),
      recordOf({ shape: '', values: [], spelling: '' }),
    ])
  })

  it.each<[string, Stored[]]>([
    ['integers', [0, 1, -1, 63, 64, 2 ** 31, -(2 ** 31), 2 ** 52 - 1, 2 ** 52, -(2 ** 53), 1e21]],
    ['decimals', [0.1, -0.5, 1.005, 12345.678901, 1e-7, 0.1 + 0.2, 123456789.12345678]],
    ['odd numbers', [Number.NaN, Number.POSITIVE_INFINITY, Number.MIN_VALUE, Number.MAX_VALUE]],
    ['words', [null, true, false, null]],
    ['texts', ['', 'a', 'a', 'b', 'a', 'é', '\ufeffx', '😀', '😁', '😂', '\u0000']],
    ['texts that begin alike', ['req_a1', 'req_b2', 'req_', 'req_c3']],
    ['texts that begin with half the same pair', ['😀', '😁', '😂']],
    [
      'times',
      [
        '2024-02-29T23:59:59.999Z',
        '2024-02-30T00:00:00.000Z',
        '0000-01-01T00:00:00.000Z',
        '+010000-01-01T00:00:00.000Z',
      ],
    ],
    [
      'times of another spelling',
      ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.999+00:00', '2024-02-29t23:59:59.999Z'],
    ],
    [
      'ids',
      [
        uuid(1),
        uuid(1).toUpperCase(),
        uuid(2, '1'),
        uuid(1),
        'deadbeef',
        'deadbeef0',
        'deadbee',
        'a'.repeat(64),
      ],
    ],
    [
      'places of blobs',
      [new BlobRef(1, 2), new BlobRef(1, 3), new BlobRef(0, 0), new BlobRef(2 ** 40, 2 ** 33)],
    ],
    ['text kept verbatim', [new Verbatim('-0'), new Verbatim('{"a":1,"a":2}'), new Verbatim('"\\ud800"')]],
    ['lists', [[], [1], [[], [[]]], [{ a: [1, 'x', null] }], [1, 2, 3]]],
    [
      'objects',
      [{}, { a: 1 }, { b: 1, a: 2 }, { a: 2, b: 1 }, { a: { a: { a: {} } } }, { '1': 1, a: 2, '': 3 }],
    ],
    ['objects with keys of objects', [{ constructor: 1, toString: 2, hasOwnProperty: null, length: [] }]],
    [
      'objects with many keys',
      [Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, { v: i, s: 'x' }]))],
    ],
    ['everything at one place', [1, 'x', null, [1], { a: 1 }, new BlobRef(1, 1), true, 0.5, [2], { b: [3] }]],
  ])('%s', (_name, values) => {
    expectSame(whole(...values))
    expectSame(whole(...values.map((value) => ({ k: [value] }))))
  })

  it('values nested as deep as any value may be', () => {
    let value: Stored = 1
    for (let depth = 0; depth < 256; depth++) value = depth % 2 === 0 ? [value] : { a: value }
    expectSame(whole(value))
  })

  it('a text of many megabytes', () => {
    expectSame(whole('é'.repeat(2_000_000)))
  })

  it('very many equal values, which take few bytes compressed', () => {
    const records = whole(new Array<null>(200_000).fill(null))
    const bytes = encodeSegment(records)
    expect(decodeSegment(bytes)).toStrictEqual(records)
    expect(brotliCompressSync(bytes).length).toBeLessThan(100)
  })

  it('the same whether the bytes stand alone or within others', () => {
    const records = [...chain(3), recordOf({ raw: [NEWLINE] })]
    const bytes = encodeSegment(records)
    const around = Buffer.concat([Buffer.alloc(5, 1), bytes])
    const back = decodeSegment(around.subarray(5))
    around.fill(0)
    expect(back).toStrictEqual(records)
  })
})

/** A stored value holds -0 as verbatim text. */
const anyDouble = fc.double().map((value) => (value === 0 ? 0 : value))

const anyStored: fc.Arbitrary<Stored> = fc.letrec<{ stored: Stored }>((tie) => ({
  stored: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyTree.map((tree) => parseJson(spellTree(tree))?.value ?? null),
    fc.tuple(fc.nat(), fc.nat()).map(([block, index]) => new BlobRef(block, index)),
    anyDouble,
    fc.maxSafeInteger(),
    fc.nat({ max: 5 }).map((n) => uuid(n)),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.array(tie('stored'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '1'), tie('stored'), { noNullPrototype: true }),
  ),
})).stored

const noNull = { noNullPrototype: true } as const

const anyContent: fc.Arbitrary<StoredContent> = fc.oneof(
  fc
    .tuple(anyStored, anyStored)
    .map(([value, body]): StoredContent => ({ ...envelopeOf(value, body), spelling: '' })),
  fc.record(
    {
      shape: fc.oneof(fc.constantFrom('1', '0', '[1,{"a":1}]', '{"a":1,"b":{"c":1,"d":0}}'), anyText),
      values: fc.array(anyStored, { maxLength: 3 }),
      spelling: fc.oneof(fc.constant(''), anyText),
    },
    noNull,
  ),
  fc.record(
    {
      raw: fc.array(
        fc.oneof(
          fc.uint8Array({ maxLength: 9 }),
          fc.nat().map((n) => new BlobRef(n, n)),
        ),
        { maxLength: 3 },
      ),
    },
    noNull,
  ),
)

function envelopeOf(
  value: Stored,
  body: Stored,
): { readonly shape: string; readonly values: readonly Stored[] } {
  return value instanceof BlobRef || body instanceof BlobRef
    ? { shape: '1', values: [value] }
    : subtract(value as Parameters<typeof subtract>[0], body as Parameters<typeof subtract>[0])
}

const anyRow = fc.oneof(fc.constant(NO_ROW), fc.nat({ max: 20 }), fc.nat())
const anyRecord: fc.Arbitrary<StoredRecord> = fc.record(
  {
    row: anyRow,
    tip: anyRow,
    time: fc.oneof(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_090_000 }), anyDouble),
    native: fc.oneof(
      fc.nat({ max: 9 }).map((n) => uuid(n)),
      anyText,
    ),
    usage: fc.record(
      {
        input: fc.nat(),
        output: fc.nat(),
        cacheRead: fc.nat(),
        cacheWriteLong: fc.nat(),
        cost: fc.float({ noNaN: true, min: 0, max: 100 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    lead: fc.oneof(fc.constant(NEWLINE), fc.uint8Array({ maxLength: 6 })),
    content: anyContent,
  },
  { requiredKeys: ['row', 'tip', 'lead', 'content'], noNullPrototype: true },
)

test('decodeSegment is the inverse of encodeSegment, and openSegment gives the spine without the contents', () => {
  fc.assert(fc.property(fc.array(anyRecord, { maxLength: 12 }), expectSame), { numRuns: runs(1000) })
})

describe('damaged bytes', () => {
  function expectHarmless(bytes: Uint8Array): void {
    try {
      for (const record of decodeSegment(bytes)) expect(record.row).toBeTypeOf('number')
    } catch (error) {
      expect(error).toBeInstanceOf(Error)
    }
  }
  const mixed = [
    ...chain(9),
    ...whole([1, 0.5, 1e300], { a: [new Verbatim('1e999'), new BlobRef(3, 4)] }, 'x', uuid(5)),
    ...whole(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`k${i}`, i]))),
    recordOf({ raw: [NEWLINE, new BlobRef(1, 1)] }),
  ]

  it('cut short anywhere are refused with an Error', () => {
    const bytes = encodeSegment(mixed)
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeSegment(bytes.subarray(0, length))).toThrow(Error)
  })

  it('with any one byte changed are refused with an Error or give records', () => {
    const bytes = encodeSegment(mixed)
    for (let at = 0; at < bytes.length; at++)
      for (const value of [0, 1, 0x7f, 0x80, 0xff, (bytes[at] as number) ^ 1, (bytes[at] as number) + 1]) {
        const damaged = bytes.slice()
        damaged[at] = value
        expectHarmless(damaged)
      }
  })

  it('that are anything are refused with an Error or give records', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), expectHarmless), { numRuns: runs(2000) })
  })
})

describe('the bytes', () => {
  it('of records that follow from one another are little more than their random ids', () => {
    const size = brotliCompressSync(encodeSegment(chain(512))).length / 512
    expect(size).toBeLessThan(25)
    expect(size).toBeLessThan(brotliCompressSync(encode(chain(512))).length / 512)
  })
})
