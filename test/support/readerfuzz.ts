import type { Format, Reading, RecordIndex } from '../../src/formats/core/format.ts'
import { sampleOf } from '../../src/formats/core/sample.ts'
import type { Unit } from '../../src/formats/core/splitter.ts'
import { detectFormat, FORMATS } from '../../src/formats/registry.ts'
import { digestOf } from '../../src/model/encoding/entry.ts'
import { traitsOf } from '../../src/model/view.ts'
import { mutate } from './mutate.ts'
import { Random } from './random.ts'
import { type Sample, samples } from './sources.ts'

/** So many bytes of a file tell its format. */
const HEAD = 256 << 10

/** Returns by format the pieces of transcripts that are taken for it. */
export function samplesByFormat(): ReadonlyMap<Format, readonly Sample[]> {
  const found = new Map<Format, Sample[]>(FORMATS.map(({ load }) => [load(), []]))
  for (const sample of samples()) {
    const { name, bytes } = sample
    found.get(detectFormat(sampleOf(name, bytes.subarray(0, HEAD), bytes.length)))?.push(sample)
  }
  // Only its place tells the agents of a dialect apart, and samples have none.
  const ofDialect = (dialect: string): Sample[] =>
    [...found].flatMap(([format, own]) => (format.dialect === dialect ? own : []))
  return new Map(
    [...found].map(([format, own]) => [format, own.length > 0 ? own : ofDialect(format.dialect)]),
  )
}

/** A case of a fuzz run: what a number makes of the samples of a format. */
export interface Case extends Sample {
  readonly by: string
}

/** Returns the case of a number: a mutated sample of a format, now and then one of another. */
export function caseOf(number: number, own: readonly Sample[], all: readonly Sample[]): Case {
  const random = new Random(number)
  const { name, bytes: source } = random.pick(random.once(8) ? all : own)
  return { name, ...mutate(source, random) }
}

/** Reads bytes as a format, and gives the first thing that is wrong with what came of them; undefined where nothing is. */
export function wrongWith(format: Format, { name, bytes }: Sample, seed: number): string | undefined {
  detectFormat(sampleOf(name, bytes.subarray(0, HEAD), bytes.length))
  const random = new Random(seed)
  const whole = read(format, name, [bytes])
  if (!whole.bytes.equals(bytes)) return 'bytes are lost'
  const wrong = wrongIn(format, whole)
  if (wrong !== undefined) return wrong
  const pieces = read(format, name, piecesOf(bytes, random))
  if (!pieces.bytes.equals(bytes)) return 'bytes are lost in pieces'
  return told(pieces.readings) === told(whole.readings) ? undefined : 'pieces are read otherwise'
}

interface Read {
  readonly bytes: Buffer
  readonly readings: readonly Reading[]
  /** The facts at the end. */
  readonly named: readonly RecordIndex[]
}

function read(format: Format, name: string, pieces: readonly Uint8Array[]): Read {
  const splitter = format.splitter()
  const units: Unit[] = pieces.flatMap((piece) => splitter.push(piece))
  const { units: last, tail } = splitter.end()
  units.push(...last)
  const reader = format.reader(name)
  const readings = units.map((unit) => reader.read(unit))
  const active = reader.active()
  const { labels = [], branches = [], subagents: agents = [] } = reader.facts()
  const named = [...labels, ...branches, ...agents].map(([, handle]) => handle)
  return {
    bytes: Buffer.concat([...units.map((unit) => unit.bytes), ...tail]),
    readings,
    named: active === null ? named : [active, ...named],
  }
}

/** Cuts bytes in one to six pieces, in copies: what a source is read into is used again. */
function piecesOf(bytes: Buffer, random: Random): Buffer[] {
  const cuts = Array.from({ length: random.below(6) }, () => random.below(bytes.length + 1))
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, i) => Buffer.from(bytes.subarray(places[i], end)))
}

/** Returns what tells one reading from another. */
const told = (readings: readonly Reading[]): string =>
  readings
    .map(({ entry, native, time, rechained: again = [], superseded = [] }) => {
      const parsed = entry && [entry.type, digestOf(entry.body), entry.parent, entry.links ?? {}]
      return JSON.stringify([parsed, native, time, again, superseded])
    })
    .join('\n')

/** Returns what is wrong with entries: each continues one before it, links name its ancestors, and its body can be kept. */
function wrongIn(format: Format, { readings, named }: Read): string | undefined {
  /** By handle the parent, of records that carry an entry. */
  const parents = new Map<RecordIndex, RecordIndex | null>()
  let handle = 0
  for (const { entry, rechained: again = [], superseded = [] } of readings) {
    const at = handle++
    if (entry) {
      const { type, body, parent, links = {} } = entry
      if (parent !== null && !parents.has(parent)) return `${at} continues ${parent}, which is no entry`
      parents.set(at, parent)
      const linked = [links.firstKept, links.target, ...(links.kept ?? [])].filter(
        (link) => link !== undefined,
      )
      const stranger = linked.find((link) => !isAbove(parents, link, at))
      if (stranger !== undefined) return `${at} links ${stranger}, which is not before it`
      digestOf(body)
      traitsOf(format.view(type.slice(type.indexOf('/') + 1), body))
    }
    for (const { original, parent } of again) {
      if (!parents.has(original)) return `${original} is chained again and was not read`
      if (parent !== null && !parents.has(parent)) return `${original} continues ${parent}, which is no entry`
      parents.set(handle++, parent)
    }
    const unread = superseded.find((one) => !parents.has(one))
    if (unread !== undefined) return `${unread} is superseded and was not read`
  }
  const unnamed = named.find((one) => !parents.has(one))
  return unnamed === undefined ? undefined : `${unnamed} is named and is no entry`
}

function isAbove(
  parents: ReadonlyMap<RecordIndex, RecordIndex | null>,
  above: RecordIndex,
  at: RecordIndex,
): boolean {
  let place = parents.get(at) ?? null
  while (place !== null && place > above) place = parents.get(place) ?? null
  return place === above
}
