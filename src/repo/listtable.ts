import type { Json } from '../model/json.ts'
import { bytesOf, type Oid } from '../model/oid.ts'
import { packNow, unpack } from '../storage/block.ts'
import { ByteSink, ByteSource } from '../storage/varint.ts'
import type { Listed } from './listed.ts'

/** Changes with what a list says of a session: lists of another version are made anew. */
const VERSION = 1

/** Brotli's quality: a list is made anew as sessions come. */
const QUALITY = 5

/** The value that all rows have; or each value once, and which of them each row has; or the value of each row. */
type Column = readonly [value: Json] | readonly [values: readonly Json[], which: readonly number[]]

/** Oids by names: the names stand in a column, the oids behind all columns. */
const MAPS = ['branches', 'labels', 'agents'] as const

type Oids = { readonly [name: string]: Oid }

const NO_OIDS: Oids = {}

/** What stands in columns as it is, in this order. */
const PLAIN = [
  'id',
  'format',
  'title',
  'prompt',
  'cwd',
  'entries',
  'records',
  'prompts',
  'calls',
  'tokens',
  'cost',
  'model',
  'set',
  'head',
  'parent',
  'created',
  'updated',
  'source',
] as const

function columnOf(values: readonly Json[]): Column {
  const known = new Map<string, number>()
  const which = values.map((value) => {
    const text = JSON.stringify(value)
    const index = known.get(text) ?? known.size
    known.set(text, index)
    return index
  })
  if (known.size === 1) return [values[0] as Json]
  if (known.size > values.length >> 1) return [values, []]
  return [[...known.keys()].map((text) => JSON.parse(text) as Json), which]
}

function valuesOf(column: Column, count: number): readonly Json[] {
  if (column.length === 1) return new Array<Json>(count).fill(column[0])
  const [values, which] = column
  return which.length === 0 ? values : which.map((index) => values[index] as Json)
}

/** Gives JSON in which other characters than those of ASCII are escaped: it is read twice as fast. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Lays out what a list says of sessions: like beside like, packed, and behind it the oids that it names. */
export function encodeList(rows: readonly Listed[]): Uint8Array {
  const maps = MAPS.map((key) => columnOf(rows.map((row) => Object.keys(row[key]))))
  const plain = PLAIN.map((key) => columnOf(rows.map((row) => row[key] as unknown as Json)))
  const oids = MAPS.flatMap((key) => rows.flatMap((row) => Object.values(row[key])))
  const packed = packNow(Buffer.from(asciiJson([rows.length, maps, plain]), 'latin1'), QUALITY)
  const sink = new ByteSink(packed.length + 32 * oids.length + 16)
  sink.byte(VERSION)
  sink.varint(packed.length)
  sink.bytes(packed)
  for (const oid of oids) sink.bytes(bytesOf(oid))
  return sink.view()
}

/** Gives what `encodeList` laid out; undefined where another version did. */
export function decodeList(bytes: Uint8Array): Listed[] | undefined {
  const source = new ByteSource(bytes)
  if (source.byte() !== VERSION) return undefined
  const text = Buffer.from(unpack(source.bytes(source.varint()))).toString('latin1')
  const [count, maps, plain] = JSON.parse(text) as [number, readonly Column[], readonly Column[]]
  const hex = Buffer.from(source.bytes(source.left)).toString('hex')
  let at = 0
  const next = (): Oid => {
    at += 64
    return hex.slice(at - 64, at) as Oid
  }
  const mapOf = (names: readonly string[]): Oids => {
    const [first] = names
    if (first === undefined) return NO_OIDS
    return names.length === 1 ? { [first]: next() } : Object.fromEntries(names.map((name) => [name, next()]))
  }
  const mapsOf = (column: Column): Oids[] =>
    valuesOf(column, count).map((names) => mapOf(names as readonly string[]))
  const [branches = [], labels = [], agents = []] = maps.map(mapsOf)
  const column = <K extends (typeof PLAIN)[number]>(key: K): readonly Listed[K][] =>
    valuesOf(plain[PLAIN.indexOf(key)] as Column, count) as unknown as readonly Listed[K][]
  const id = column('id')
  const format = column('format')
  const title = column('title')
  const prompt = column('prompt')
  const cwd = column('cwd')
  const entries = column('entries')
  const records = column('records')
  const prompts = column('prompts')
  const calls = column('calls')
  const tokens = column('tokens')
  const cost = column('cost')
  const model = column('model')
  const set = column('set')
  const head = column('head')
  const parent = column('parent')
  const created = column('created')
  const updated = column('updated')
  const path = column('source')
  return id.map(
    (name, i) =>
      ({
        id: name,
        format: format[i],
        title: title[i],
        prompt: prompt[i],
        cwd: cwd[i],
        entries: entries[i],
        records: records[i],
        prompts: prompts[i],
        calls: calls[i],
        tokens: tokens[i],
        cost: cost[i],
        model: model[i],
        branches: branches[i],
        labels: labels[i],
        set: set[i],
        head: head[i],
        parent: parent[i],
        agents: agents[i],
        created: created[i],
        updated: updated[i],
        source: path[i],
      }) as Listed,
  )
}
