import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Format } from '../../../src/formats/core/format.ts'
import { sampleOf } from '../../../src/formats/core/sample.ts'
import { detectFormat } from '../../../src/formats/registry.ts'
import type { Json } from '../../../src/model/json.ts'
import { tryParse } from '../../../src/model/value.ts'
import { Notices } from '../../../src/ops/import/notices.ts'

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url))
const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8')

/** A sound file of lines that this project wrote. */
interface Sound {
  readonly path: string
  readonly format: Format
  readonly lines: readonly string[]
}

const formatOf = (path: string, bytes: Buffer): Format =>
  detectFormat(sampleOf(basename(path), bytes, bytes.length, basename(dirname(path))))

const sound: readonly Sound[] = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.jsonl') && !path.includes('damaged'))
  .sort()
  .flatMap((path) => {
    const bytes = readFileSync(join(fixtures, path))
    const lines = bytes.toString().trimEnd().split('\n')
    const whole = lines.filter((line) => tryParse(line) !== undefined)
    return whole.length < 4 ? [] : [{ path, format: formatOf(path, bytes), lines: whole }]
  })

/** The result of reading a damaged file. */
interface Read {
  /** All bytes that its units and its tail hold. */
  readonly bytes: string
  /** The values that were read, in order, and how many of them carry an entry. */
  readonly values: readonly Json[]
  readonly entries: number
  /** The lines of entries. */
  readonly entryLines: readonly number[]
  /** Code, line and byte of what was noticed. */
  readonly notices: readonly (readonly [code: string, line: number, offset: number])[]
}

function read({ path, format }: Sound, bytes: Buffer): Read {
  const splitter = format.splitter()
  const reader = format.reader(basename(path), basename(dirname(path)))
  const notices = new Notices()
  const chunks: Uint8Array[] = []
  const values: Json[] = []
  const entryLines: number[] = []
  notices.pass(bytes)
  const first = splitter.push(bytes)
  const { units, tail, torn = false } = splitter.end()
  for (const unit of [...first, ...units]) {
    const { entry, warnings = [] } = reader.read(unit)
    chunks.push(unit.bytes)
    if (unit.value !== undefined) values.push(unit.value)
    if (entry) entryLines.push(unit.line)
    notices.take(unit, warnings)
  }
  notices.end(tail, torn)
  return {
    bytes: Buffer.concat([...chunks, ...tail]).toString('latin1'),
    values,
    entries: entryLines.length,
    entryLines,
    notices: notices.all.map(({ code, line, offset }) => [code, line, offset] as const),
  }
}

/** Where the last line but one begins: the one that is damaged. */
const placeOf = (lines: readonly string[]): number => utf8(`${lines.slice(0, -2).join('\n')}\n`).length

/** Returns a line with something put into a string of it. */
const within = (line: string, put: string): string => `${line.slice(0, -1)},"put":"in${put}side"}`

/** A kind of damage to the last line but one, what is noticed of it, and what is read all the same. */
interface Damage {
  readonly name: string
  /** Returns the last two lines as they stand in the file, and what may follow them. */
  readonly damaged: (line: string, last: string) => string
  /** The code, which line counted from the damaged one, and at which byte of it. */
  readonly noticed: (line: string) => readonly (readonly [code: string, line: number, offset: number])[]
  /** How many of the file's values are not read. */
  readonly lost: number
  /** The line as it would be sound; as it is by default. */
  readonly sound?: (line: string) => string
}

const half = (line: string): string => line.slice(0, Math.floor(line.length / 2))
const size = (text: string): number => utf8(text).length

const DAMAGES: readonly Damage[] = [
  {
    name: 'glued objects',
    damaged: (line, last) => `${line}${last}\n`,
    noticed: (line) => [['salvaged', 0, size(line)]],
    lost: 0,
  },
  {
    name: 'a torn tail',
    damaged: (line, last) => `${line}\n${half(last)}`,
    noticed: (line) => [['torn-tail', 1, size(line) + 1]],
    lost: 1,
  },
  {
    name: 'a torn line',
    damaged: (line, last) => `{"torn":"${'x'.repeat(9)}\n${line}\n${last}\n`,
    noticed: () => [['bad-json', 0, 0]],
    lost: 0,
  },
  {
    name: 'fused entries',
    damaged: (line, last) => `{"torn":{"x${line}\n${last}\n`,
    noticed: () => [
      ['bad-json', 0, 0],
      ['salvaged', 0, 11],
    ],
    lost: 0,
  },
  {
    name: 'a run of NULs',
    damaged: (line, last) => `${'\0'.repeat(512)}${line}\n${last}\n`,
    noticed: () => [['salvaged', 0, 512]],
    lost: 0,
  },
  {
    name: 'a raw newline inside a string',
    damaged: (line, last) => `${within(line, '\n')}\n${last}\n`,
    noticed: () => [['broken-line', 0, 0]],
    lost: 0,
    sound: (line) => within(line, ''),
  },
  {
    name: 'raw control characters inside a string',
    damaged: (line, last) => `${within(line, '\t\0')}\n${last}\n`,
    noticed: () => [['raw-control', 0, 0]],
    lost: 0,
    sound: (line) => within(line, ''),
  },
  {
    name: 'U+2028 inside a string',
    damaged: (line, last) => `${within(line, '\u2028')}\n${last}\n`,
    noticed: () => [['line-separator', 0, 0]],
    lost: 0,
    sound: (line) => within(line, ''),
  },
  {
    name: 'bytes that are no UTF-8',
    damaged: (line, last) => `\u00ff${line}\n${last}\n`,
    noticed: () => [
      ['bad-json', 0, 0],
      ['salvaged', 0, 2],
    ],
    lost: 0,
  },
]

/** The warnings about bytes, whatever they mean. */
const OF_BYTES: ReadonlySet<string> = new Set(
  DAMAGES.flatMap(({ noticed }) => noticed('').map(([code]) => code)),
)

describe.each(DAMAGES)('$name', ({ damaged, noticed, lost, sound: repaired = (line) => line }) => {
  it.each(sound)('$path', (file) => {
    const { lines } = file
    const [line, last] = lines.slice(-2) as [string, string]
    const [place, begin] = [placeOf(lines), lines.length - 1]
    const whole = read(file, utf8(`${[...lines.slice(0, -2), repaired(line), last].join('\n')}\n`))
    const bytes = utf8(`${lines.slice(0, -2).join('\n')}\n${damaged(line, last)}`)
    const found = read(file, bytes)
    expect(found.bytes).toBe(bytes.toString('latin1'))
    expect(whole.notices.filter(([code]) => OF_BYTES.has(code))).toEqual([])
    expect(found.notices.filter(([code]) => OF_BYTES.has(code))).toEqual(
      noticed(line).map(([code, on, at]) => [code, begin + on, place + at]),
    )
    expect(found.values.length).toBe(whole.values.length - lost)
    if (lost === 0) expect(found.values.at(-1)).toEqual(whole.values.at(-1))
    if (lost === 0) expect(found.entries).toBe(whole.entries)
  })
})

/** Sessions that are trees: where their records name themselves and their parents. */
const TREES = [
  ['claude/session.jsonl', 'uuid', 'parentUuid'],
  ['dash/session.jsonl', 'id', 'parentId'],
  ['drafts/uuid-tree.jsonl', 'uuid', 'parentUuid'],
  ['droid/session.jsonl', 'id', 'parentId'],
  ['oh-my-pi/session.jsonl', 'id', 'parentId'],
  ['openclaw/session.jsonl', 'id', 'parentId'],
  ['pi/v3.jsonl', 'id', 'parentId'],
  ['qwen/session.jsonl', 'uuid', 'parentUuid'],
] as const

interface Names {
  readonly id: string
  readonly parent: string
}

/** The problem of a record's ids, by those of the records before and after it. */
const WRONG: readonly (readonly [
  string,
  (own: Names, before: Names, after: Names) => Partial<Names>,
  string,
])[] = [
  ['a duplicate id', (_own, before) => ({ id: before.id }), 'duplicate-id'],
  ['a missing id', () => ({ id: undefined as never }), 'no-id'],
  ['its own parent', (own) => ({ parent: own.id }), 'dangling-parent'],
  ['a circle', (_own, _before, after) => ({ parent: after.id }), 'dangling-parent'],
  ['a dangling parent', () => ({ parent: 'ffffffff-ffff-4fff-8fff-ffffffffffff' }), 'dangling-parent'],
]

describe.each(WRONG)('%s', (_name, wrong, code) => {
  it.each(TREES)('%s', (path, id, parent) => {
    const file = sound.find((one) => one.path === path) as Sound
    const records = file.lines.map((line) => tryParse(line) as { readonly [key: string]: Json })
    const whole = read(file, utf8(`${file.lines.join('\n')}\n`))
    const entryLines = new Set(whole.entryLines)
    const withIds = records.flatMap((record, i) =>
      typeof record[id] === 'string' && typeof record[parent] === 'string' && entryLines.has(i + 1)
        ? [i]
        : [],
    )
    const [before, at, after] = withIds.slice(-3) as [number, number, number]
    const names = (i: number): Names => ({
      id: records[i]?.[id] as string,
      parent: records[i]?.[parent] as string,
    })
    const instead = wrong(names(at), names(before), names(after))
    const hurt = {
      ...records[at],
      ...('id' in instead && { [id]: instead.id }),
      ...('parent' in instead && { [parent]: instead.parent }),
    }
    const lines = file.lines.map((line, i) => (i === at ? JSON.stringify(hurt) : line))
    const bytes = utf8(`${lines.join('\n')}\n`)
    const found = read(file, bytes)
    expect(found.bytes).toBe(bytes.toString('latin1'))
    expect(found.values.length).toBe(lines.length)
    const offset = utf8(
      lines
        .slice(0, at)
        .map((line) => `${line}\n`)
        .join(''),
    ).length
    expect(found.notices).toContainEqual([code, at + 1, offset])
    expect(whole.notices.filter(([other]) => other === code)).toEqual([])
    const kept = found.entries === whole.entries || path.startsWith('claude')
    expect(kept).toBe(true)
  })
})
