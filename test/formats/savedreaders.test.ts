import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import { deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { sampleOf } from '../../src/formats/core/sample.ts'
import { detectFormat, FORMATS } from '../../src/formats/registry.ts'
import { restoreState, type SavedState, saveState } from '../../src/model/savedstate.ts'
import { shortMessages, TRANSCRIPTS, transcript, transcriptName } from '../bench/transcripts.mjs'
import { beginReading, readInTurns, readUnits, savedState } from './savedreader.ts'

const FOLDERS = ['../fixtures', '../demo/sessions'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
)
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
)

const namesOf = (file: string) => [basename(file), basename(dirname(file))] as const

it.each(FILES.map((file) => [`${basename(dirname(file))}/${basename(file)}`, file] as const))(
  '%s: a reader that is saved after any line goes on as if it had read all',
  (_, file) => {
    const bytes = readFileSync(file)
    const [name, folder] = namesOf(file)
    const format = detectFormat(sampleOf(name, bytes, bytes.length, folder))
    const whole = readUnits(beginReading(format, [name, folder]), bytes, { ends: true })
    expect(readInTurns(format, [name, folder], bytes).steps).toEqual(whole)
  },
)

/** The formats of rows of databases: agents write no files of them. */
const ROWS: ReadonlySet<string> = new Set(['crush', 'goose', 'kiro-database', 'cursor-chat'])

/** The formats of JSON lines, of which a file that grew may be read on. */
const RESUMABLE = FORMATS.map(({ load }) => load()).filter(
  (format) => format.splitter().pendingLines && !ROWS.has(format.name),
)

/** Returns a session of a format with so many short messages. */
function bytesOf(name: string, count: number): Uint8Array {
  const records = [...transcript(name, shortMessages(count))]
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

it('has a session of each format of JSON lines, so that a new format is tried too', () => {
  expect(RESUMABLE.map(({ name }) => name).toSorted()).toEqual([...TRANSCRIPTS].toSorted())
})

it.each(RESUMABLE.map((format) => [format.name, format] as const))(
  '%s: readers that are replaced after each line read as one that reads all',
  (name, format) => {
    const names = [transcriptName(name)] as const
    const bytes = bytesOf(name, 24)
    expect(detectFormat(sampleOf(names[0], bytes, bytes.length)).name).toBe(name)
    const { steps, turns } = readInTurns(format, names, bytes)
    expect(turns).toBeGreaterThanOrEqual(24)
    expect(steps).toEqual(readUnits(beginReading(format, names), bytes, { ends: true }))
  },
)

/** The largest number of bytes that a record may add to the saved state of its reader, once that is compressed. */
const MOST_BYTES = 72

it.each(RESUMABLE.map((format) => [format.name, format] as const))(
  '%s: the saved state of a reader grows by few bytes with a record',
  (name, format) => {
    const { reader, splitter } = beginReading(format, [transcriptName(name)])
    const sizeNow = (): number => deflateRawSync(savedState(reader)?.bytes ?? NOTHING).length
    const sizes: number[] = []
    for (const unit of splitter.push(bytesOf(name, 400))) {
      reader.read(unit)
      sizes.push(sizes.length === 100 || sizes.length === 350 ? sizeNow() : 0)
    }
    expect(((sizes[350] as number) - (sizes[100] as number)) / 250).toBeLessThan(MOST_BYTES)
  },
)

const NOTHING = new Uint8Array(0)

it('saves lists, maps, sets, numbers out of the range of JSON, and objects in objects', () => {
  class Inner {
    readonly seen = new Set(['a'])
    last: number | undefined = Number.NaN
  }
  class Outer {
    readonly #name: string
    readonly inner = new Inner()
    readonly ids = new Map([['a', { at: 1 }]])
    same = this.ids.get('a')
    constructor(name: string) {
      this.#name = name
    }
    get name(): string {
      return this.#name
    }
  }
  const saved = deserialize(serialize(saveState(new Outer('first')))) as SavedState
  const other = new Outer('second')
  other.inner.last = 7
  expect(restoreState(other, saved)).toBe(true)
  expect([other.name, other.inner]).toEqual(['second', new Outer('').inner])
  expect(other.ids.get('a')).toBe(other.same)
})

it('restores nothing into an object with other fields, and refuses to save what is no data', () => {
  const object = new (class {
    readonly inner = new (class {
      count = 1
    })()
  })()
  expect(restoreState(object, { fields: { inner: { counts: 2 } }, hasVerbatim: false })).toBe(false)
  expect(object.inner.count).toBe(1)
  expect(() =>
    saveState(
      new (class {
        readonly run = () => 1
      })(),
    ),
  ).toThrow(RangeError)
})
