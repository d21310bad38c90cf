import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import { expect, it } from 'vitest'
import type { Format, Reading } from '../../src/formats/core/format.ts'
import { sampleOf } from '../../src/formats/core/sample.ts'
import type { Splitter, Unit } from '../../src/formats/core/splitter.ts'
import { detectFormat } from '../../src/formats/registry.ts'
import { restoreState, type SavedState, saveState } from '../../src/model/savedstate.ts'

const FOLDERS = ['../fixtures', '../demo/sessions'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
)
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
)

/** What a reader made of a unit, and how it stood after it. */
interface Step {
  readonly line: number
  readonly bytes: string
  readonly reading: Reading
  readonly active: number | null
  readonly facts: unknown
}

const namesOf = (file: string) => [basename(file), basename(dirname(file))] as const

/** Reads the units of some bytes, and ends the source if it is to be ended. */
function readUnits(
  { reader, splitter }: { readonly reader: ReturnType<Format['reader']>; readonly splitter: Splitter },
  bytes: Uint8Array,
  { ends = false, lines = 0 }: { readonly ends?: boolean; readonly lines?: number } = {},
): Step[] {
  const steps: Step[] = []
  const read = (unit: Unit): void => {
    const line = unit.line + lines
    const reading = reader.read({ ...unit, line })
    steps.push({
      ...{ line, reading: structuredClone(reading), active: reader.active() },
      ...{ bytes: Buffer.from(unit.bytes).toString('latin1'), facts: structuredClone(reader.facts()) },
    })
  }
  for (const unit of splitter.push(bytes)) read(unit)
  if (ends) for (const unit of splitter.end().units) read(unit)
  return steps
}

it.each(FILES.map((file) => [`${basename(dirname(file))}/${basename(file)}`, file] as const))(
  '%s: a reader that is saved after any line goes on as if it had read all',
  (_, file) => {
    const bytes = readFileSync(file)
    const [name, folder] = namesOf(file)
    const format = detectFormat(sampleOf(name, bytes, bytes.length, folder))
    const begin = (later = false) => ({
      reader: format.reader(name, folder),
      splitter: ((later ? format.laterSplitter : undefined) ?? format.splitter)(),
    })
    if (format.rewrittenWhole || !begin().splitter.pendingLines) return
    const whole = readUnits(begin(), bytes, { ends: true })
    for (let end = bytes.indexOf(10) + 1; end > 0; end = bytes.indexOf(10, end) + 1) {
      const before = begin()
      const steps = readUnits(before, bytes.subarray(0, end))
      const pending = before.splitter.pendingLines?.()
      if (pending === undefined || Object.keys(before.reader).length === 0) continue
      const saved = deserialize(serialize(saveState(before.reader))) as SavedState
      const after = begin(true)
      expect(restoreState(after.reader, saved)).toBe(true)
      const covered = steps.reduce((sum, step) => sum + step.bytes.length, 0)
      const lines = bytes.subarray(0, end).filter((byte) => byte === 10).length - pending
      const rest = readUnits(after, bytes.subarray(covered), { ends: true, lines })
      expect([...steps, ...rest]).toEqual(whole)
    }
  },
)

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
