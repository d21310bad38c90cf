import type { Random } from './random.ts'

type Mutation = (source: Buffer, random: Random) => Buffer

const NEWLINE = 10

/** Deeper than parsers and printers that call themselves can go. */
const DEEP = 10_000

/** Words that JSON, JavaScript or a decoder of UTF-8 trips over. */
const WORDS = [
  '1e400',
  '-0',
  '0.1e-999',
  '12345678901234567890123',
  '7.0',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '{"__proto__":{"a":1}}',
  '{"a":1,"a":2}',
  '{"10":1,"9":2,"x":3}',
  '{"constructor":1,"toString":null,"hasOwnProperty":[]}',
  '""',
  'null',
  'true',
  '[]',
  '{}',
  '[null]',
  '[[],{}]',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  '['.repeat(DEEP),
]

const BYTES = [
  Buffer.from([0xff]),
  Buffer.from([0xc3]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
  Buffer.from('\ufeff'),
  Buffer.alloc(1),
  Buffer.alloc(700),
  Buffer.from('\r\n'),
  Buffer.from('\n\n \t\n'),
  Buffer.from('\u2028'),
  Buffer.from('"'),
  Buffer.from('\\'),
  Buffer.from('}'),
  Buffer.from('{'),
  Buffer.from('{"type":"user"}'),
]

const linesOf = (source: Buffer): Buffer[] => {
  const lines: Buffer[] = []
  for (let at = 0; at < source.length; ) {
    const end = source.indexOf(NEWLINE, at)
    const next = end < 0 ? source.length : end + 1
    lines.push(source.subarray(at, next))
    at = next
  }
  return lines
}

const splice = (source: Buffer, from: number, to: number, ...between: Buffer[]): Buffer =>
  Buffer.concat([source.subarray(0, from), ...between, source.subarray(to)])

const range = (source: Buffer, random: Random, most = 400): [number, number] => {
  const from = random.below(source.length + 1)
  return [from, Math.min(source.length, from + random.below(most))]
}

/** Changes the lines of a source as a list. */
const onLines =
  (change: (lines: Buffer[], random: Random) => void): Mutation =>
  (source, random) => {
    const lines = linesOf(source)
    if (lines.length > 0) change(lines, random)
    return Buffer.concat(lines)
  }

/** Where a JSON text has a pattern, from and to. */
function placesOf(source: Buffer, pattern: RegExp): [number, number][] {
  // In latin1 a place in the text is a place in the bytes.
  return [...source.toString('latin1').matchAll(pattern)].map(({ index, 0: found }) => [
    index,
    index + found.length,
  ])
}

/** Puts another text where a pattern stands: once, or everywhere. */
function replaced(source: Buffer, random: Random, pattern: RegExp, by: string, everywhere = false): Buffer {
  const places = placesOf(source, pattern)
  if (places.length === 0) return source
  let result = source
  for (const [from, to] of everywhere ? places.reverse() : [random.pick(places)])
    result = splice(result, from, to, Buffer.from(by, 'latin1'))
  return result
}

const ID =
  /"(?:uuid|parentUuid|id|parentId|leafUuid|logicalParentUuid|call_id|tool_use_id|sessionId)":"[^"]{1,80}"/g
const VALUE = /(?<=":)(?:"[^"\\]{0,200}"|-?\d+(?:\.\d+)?|true|false|null|\[\]|\{\})(?=[,}])/g
const GAP = /(?<=[{,])(?="[A-Za-z_]{1,30}":)/g
const KEY = /[{,](?="[A-Za-z_]{1,30}":)/g

/** Sets an id of a source to the value of another: cycles, self parents, ids that come twice, parents that are gone. */
const collide: Mutation = (source, random) => {
  const places = placesOf(source, ID)
  if (places.length === 0) return source
  const text = source.toString('latin1')
  const valueAt = ([from, to]: [number, number]): string => text.slice(text.indexOf(':', from) + 1, to)
  const [from, to] = random.pick(places)
  const near = places.filter(([at]) => Math.abs(at - from) < 2000)
  const value = valueAt(random.pick(random.once(2) ? near : places))
  return splice(source, text.indexOf(':', from) + 1, to, Buffer.from(value, 'latin1'))
}

/** Ids that are hard to make a name of. */
const NAMES_OF_SESSIONS = [
  '\\ud800',
  'x\\udc00',
  '../../etc',
  '%2F',
  '.',
  ' ',
  '@',
  'HEAD',
  'a..b',
  '\\u0000\\n\\u001b[2J',
  '__proto__',
  'x'.repeat(5000),
]

/** Where texts begin that are kept beside the conversation. */
const NAMING = /(?<="(?:title|summary|customTitle|aiTitle|cwd|name|label|uuid|id|thread_name)":")/g
const TIMES = [
  '0',
  '-1',
  '0.5',
  '1e21',
  '1e300',
  '8.64e15',
  '253402300800000',
  '"-000001-01-01T00:00:00Z"',
  '""',
]

/** All that is done to sources, each by its name. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  flip: (source, random) => {
    const result = Buffer.from(source)
    for (let n = 1 + random.below(4); n > 0 && result.length > 0; n--) {
      const at = random.below(result.length)
      result[at] = (result[at] as number) ^ (1 << random.below(8))
    }
    return result
  },
  cut: (source, random) => splice(source, ...range(source, random)),
  end: (source, random) => source.subarray(0, random.below(source.length + 1)),
  begin: (source, random) => source.subarray(random.below(source.length + 1)),
  double: (source, random) => {
    const [from, to] = range(source, random)
    return splice(source, to, to, source.subarray(from, to))
  },
  insert: (source, random) => {
    const [at] = range(source, random)
    return splice(source, at, at, random.pick(BYTES))
  },
  word: (source, random) => replaced(source, random, VALUE, random.pick(WORDS)),
  key: (source, random) => {
    const [, to] = random.pick(placesOf(source, KEY).concat([[0, 0]]))
    const key = random.pick([
      '"__proto__"',
      '"type"',
      '"uuid"',
      '"message"',
      '"10"',
      '"\\ud83d"',
      '""',
      '"role"',
    ])
    return splice(source, to, to, Buffer.from(`${key}:${random.pick(WORDS)},`))
  },
  collide,
  swapIds: (source, random) => collide(collide(collide(source, random), random), random),
  session: (source, random) =>
    replaced(
      source,
      random,
      /(?<="(?:sessionId|session_id|id)":")[^"]{1,80}(?=")/g,
      random.pick(NAMES_OF_SESSIONS),
      random.once(2),
    ),
  time: (source, random) =>
    replaced(
      source,
      random,
      /(?<="(?:timestamp|time|created|ts)":)(?:"[^"]*"|[\d.]+)/g,
      random.pick(TIMES),
      random.once(2),
    ),
  surrogates: (source, random) => {
    let result = source
    for (let n = 1 + random.below(6); n > 0; n--) result = replaced(result, random, /(?<=":")/g, '\\ud83d')
    return result
  },
  title: (source, random) => replaced(source, random, NAMING, '\\ud83d'),
  glue: onLines((lines, random) => {
    const at = random.below(lines.length)
    lines[at] = Buffer.from((lines[at] as Buffer).filter((byte) => byte !== NEWLINE))
  }),
  swap: onLines((lines, random) => {
    const [a, b] = [random.below(lines.length), random.below(lines.length)]
    const [first, second] = [lines[a] as Buffer, lines[b] as Buffer]
    lines[a] = second
    lines[b] = first
  }),
  repeat: onLines((lines, random) => {
    lines.splice(random.below(lines.length + 1), 0, random.pick(lines))
  }),
  drop: onLines((lines, random) => {
    lines.splice(random.below(lines.length), 1 + random.below(3))
  }),
  line: onLines((lines, random) => {
    lines.splice(random.below(lines.length + 1), 0, Buffer.from(`${random.pick(WORDS)}\n`))
  }),
  reverse: onLines((lines) => {
    lines.reverse()
  }),
  nest: onLines((lines, random) => {
    const at = random.below(lines.length)
    const line = (lines[at] as Buffer).toString('latin1').trimEnd()
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
    ] as const)
    const depth = random.pick([1, 255, 256, 257, 5000, DEEP])
    lines[at] = Buffer.from(`${open.repeat(depth)}${line}${close.repeat(depth)}\n`, 'latin1')
  }),
  crlf: (source, random) => replaced(source, random, /\n/g, '\r\n', true),
  cr: (source, random) => replaced(source, random, /\n/g, '\r', true),
  spaces: (source, random) => replaced(source, random, GAP, ' \t\r ', random.once(2)),
  mark: (source) => Buffer.concat([Buffer.from('\ufeff'), source]),
  wide: (source) => Buffer.from(source.toString('latin1'), 'utf16le'),
  last: (source) => (source.at(-1) === NEWLINE ? source.subarray(0, -1) : source),
}

const NAMES = Object.keys(MUTATIONS)

/** Returns a source after one to three mutations, and what they were. */
export function mutate(source: Buffer, random: Random): { readonly bytes: Buffer; readonly by: string } {
  let bytes = source
  const by: string[] = []
  for (let n = 1 + random.below(3); n > 0; n--) {
    const name = random.pick(NAMES)
    bytes = (MUTATIONS[name] as Mutation)(bytes, random)
    by.push(name)
  }
  return { bytes, by: by.join(' + ') }
}
