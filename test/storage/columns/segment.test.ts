import { isDeepStrictEqual } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { BlobRef, encode } from '../../../src/model/canonical.ts'
import { subtract } from '../../../src/model/envelope.ts'
import { Verbatim } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'
import { decodeSegment, decodeSpine, encodeSegment } from '../../../src/storage/columns/segment.ts'
import { type Content, NO_ROW, type Stored, type StoredRecord } from '../../../src/storage/record.ts'
import { anyText, anyTree, spellTree } from '../../support/json.ts'

const NEWLINE = Uint8Array.of(10)
const NOTHING = new Uint8Array(0)

const whole = (...values: Stored[]): StoredRecord[] =>
  values.map((value) => recordOf({ shape: '1', values: [value], spelling: '' }))

const recordOf = (content: Content, more: Partial<StoredRecord> = {}): StoredRecord => ({
  row: NO_ROW,
  tip: NO_ROW,
  lead: NEWLINE,
  content,
  ...more,
})

const spineOf = ({ row, tip, time, native }: StoredRecord): Partial<StoredRecord> => ({
  row,
  tip,
  ...(time === undefined ? {} : { time }),
  ...(native === undefined ? {} : { native }),
})

const contentOf = ({ content }: StoredRecord): Content => content

function expectSame(records: readonly StoredRecord[]): void {
  const bytes = encodeSegment(records)
  const back = decodeSegment(bytes)
  expect(back).toEqual(records)
  // `toStrictEqual` asks objects for their constructor, which here may be a key like any other.
  expect(isDeepStrictEqual(back, records)).toBe(true)
  // The order of keys reaches the bytes that are exported, and equality of objects does not look at it.
  expect(JSON.stringify(back.map(contentOf))).toBe(JSON.stringify(records.map(contentOf)))
  expect(decodeSpine(bytes)).toStrictEqual(records.map(spineOf))
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
        recordOf(
          { shape: '{"id":1,"parent":1}', values: [native, natives[i - 1] ?? null], spelling: '' },
          { native },
        ),
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
    ['odd numbers', [-0, Number.NaN, Number.POSITIVE_INFINITY, Number.MIN_VALUE, Number.MAX_VALUE]],
    ['words', [null, true, false, null]],
    ['texts', ['', 'a', 'a', 'b', 'a', 'é', '\ufeffx', '\ud800', '\udc00', '😀', '😁', '😂', '\u0000']],
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

  it('a million equal values, which take few bytes compressed', () => {
    const records = whole(new Array<null>(1_000_000).fill(null))
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

const anyStored: fc.Arbitrary<Stored> = fc.letrec<{ stored: Stored }>((tie) => ({
  stored: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyTree.map((tree) => parseJson(spellTree(tree))?.value ?? null),
    fc.tuple(fc.nat(), fc.nat()).map(([block, index]) => new BlobRef(block, index)),
    fc.double(),
    fc.maxSafeInteger(),
    fc.nat({ max: 5 }).map((n) => uuid(n)),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.array(tie('stored'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '1'), tie('stored'), { noNullPrototype: true }),
  ),
})).stored

const noNull = { noNullPrototype: true } as const

const anyContent: fc.Arbitrary<Content> = fc.oneof(
  fc
    .tuple(anyStored, anyStored)
    .map(([value, body]): Content => ({ ...envelopeOf(value, body), spelling: '' })),
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
    time: fc.oneof(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_090_000 }), fc.double()),
    native: fc.oneof(
      fc.nat({ max: 9 }).map((n) => uuid(n)),
      anyText,
    ),
    lead: fc.oneof(fc.constant(NEWLINE), fc.uint8Array({ maxLength: 6 })),
    content: anyContent,
  },
  { requiredKeys: ['row', 'tip', 'lead', 'content'], noNullPrototype: true },
)

test('decodeSegment is the inverse of encodeSegment, and decodeSpine gives the same without contents', () => {
  fc.assert(fc.property(fc.array(anyRecord, { maxLength: 12 }), expectSame), { numRuns: 1000 })
})

describe('damaged bytes', () => {
  function expectHarmless(bytes: Uint8Array): void {
    try {
      for (const record of decodeSegment(bytes)) expect(record.row).toBeTypeOf('number')
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError)
    }
  }
  const mixed = [
    ...chain(9),
    ...whole([1, 0.5, 1e300], { a: [new Verbatim('1e999'), new BlobRef(3, 4)] }, 'x', uuid(5)),
    ...whole(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`k${i}`, i]))),
    recordOf({ raw: [NEWLINE, new BlobRef(1, 1)] }),
  ]

  it('cut short anywhere are refused with a RangeError', () => {
    const bytes = encodeSegment(mixed)
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeSegment(bytes.subarray(0, length))).toThrow(RangeError)
  })

  it('with any one byte changed are refused with a RangeError or give records', () => {
    const bytes = encodeSegment(mixed)
    for (let at = 0; at < bytes.length; at++)
      for (const value of [0, 1, 0x7f, 0x80, 0xff, (bytes[at] as number) ^ 1, (bytes[at] as number) + 1]) {
        const damaged = bytes.slice()
        damaged[at] = value
        expectHarmless(damaged)
      }
  })

  it('that are anything are refused with a RangeError or give records', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (rest) => {
        expectHarmless(Uint8Array.of(1, ...rest))
      }),
      { numRuns: 2000 },
    )
  })

  it('of another version are refused', () => {
    expect(() => decodeSegment(Uint8Array.of(2, 0))).toThrow('the segment is of no known version')
  })

  it('that promise more values than their size allows are refused', () => {
    expect(() => decodeSegment(Uint8Array.of(1, 0x80, 0x80, 0x80, 0x80, 0x10))).toThrow(
      'absurdly many values',
    )
  })
})

describe('encodeSegment refuses', () => {
  it.each([-2, 1.5, Number.NaN, 2 ** 53])('%d as a row', (row) => {
    expect(() => encodeSegment([recordOf({ raw: [] }, { row })])).toThrow(`${row} is no row`)
    expect(() => encodeSegment([recordOf({ raw: [] }, { tip: row })])).toThrow(`${row} is no row`)
  })

  it('places of blobs that are no integers', () => {
    expect(() => encodeSegment(whole(new BlobRef(0.5, 1)))).toThrow('a place of a blob is no integer')
  })

  it('the key that JavaScript would not keep', () => {
    expect(() => encodeSegment(whole(JSON.parse('{"__proto__":1}') as Stored))).toThrow('__proto__')
  })
})

describe('the bytes', () => {
  it('of records that follow from one another are little more than their random ids', () => {
    const size = brotliCompressSync(encodeSegment(chain(512))).length / 512
    expect(size).toBeLessThan(18)
    expect(size * 2).toBeLessThan(brotliCompressSync(encode(chain(512))).length / 512)
  })

  it('of version 1 are read for ever', () => {
    const hex = [
      '0104042e009201094b020300029e3779b97f4ac3159cc0605cedc8353c6ef372fe94872b3980c0b9db906ab5',
      '4cda58fbbe8583ac82422d92b13e3f0151010000010000000101040400000780d095ffbc31d5090101010000',
      '000701000102000101000107070007000000000001070700070100010001430100020100010001000d000100',
      '020000000f000200000101020000000001010c0004000c010100000a0009000407e807010104050000000200',
      '01000e00050104050607030001000103310000000001000800000000027b9c7500883ce4377e000a7b227061',
      '72656e74223a312c2273657373696f6e223a312c22626f6479223a302c226964223a312c226174223a312c22',
      '746f6b656e73223a312c22636f7374223a317d316162782d30',
    ].join('')
    expect(decodeSegment(Buffer.from(hex, 'hex'))).toStrictEqual([
      ...chain(2),
      recordOf({ raw: [Uint8Array.of(123), new BlobRef(1, 2)] }, { lead: NOTHING, tip: 41 }),
      ...whole({ a: [1, -2.5, 1e300, 'x', true], b: new Verbatim('-0') }),
    ])
  })
})
