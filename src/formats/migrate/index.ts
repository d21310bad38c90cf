import { field, isObject, type JsonObject, jsonText } from '../../model/json.ts'
import { jsonLines } from '../core/jsonlines.ts'
import type { Sample } from '../core/sample.ts'
import type { Unit } from '../core/splitter.ts'
import { detectFormat } from '../registry.ts'
import { draftSteps } from './drafts.ts'
import type { LoadedRecord, MigrationShape, MigrationStep } from './migration.ts'
import { otherSteps } from './otheragents.ts'
import { itemsOf, piSteps, v3 } from './pi.ts'

const STEPS: readonly MigrationStep[] = [...piSteps, v3, ...draftSteps, ...otherSteps]

/** The forms into which a file can be migrated. */
export const TARGETS: readonly MigrationShape[] = ['v2', 'v3', 'v4', 'index-tree', 'uuid-tree']

/** Returns the shape of a file; undefined if nothing can be made of it. */
export function shapeOf(sample: Sample): MigrationShape | undefined {
  const { name } = detectFormat(sample)
  if (name === 'dash' || name === 'rollouts' || name === 'index-tree' || name === 'uuid-tree') return name
  if (name !== 'pi') return undefined
  const [header] = sample.lines
  const version = field(header, 'version')
  if (version === undefined || version === 1) return 'v1'
  return version === 2 ? 'v2' : version === 4 ? 'v4' : 'v3'
}

/** Returns the forms on the shortest way from one to another, both included; undefined if there is none. */
export function wayBetween(from: MigrationShape, to: MigrationShape): readonly MigrationShape[] | undefined {
  const ways: MigrationShape[][] = [[from]]
  const seen = new Set<MigrationShape>([from])
  for (const way of ways) {
    const at = way.at(-1)
    if (at === to) return way
    for (const step of STEPS)
      if (step.from === at && !seen.has(step.to)) {
        seen.add(step.to)
        ways.push([...way, step.to])
      }
  }
  return undefined
}

/** The records of a file, and what of it is none. */
export interface LoadedRecords {
  readonly items: readonly LoadedRecord[]
  /** How many records were recovered from damaged lines. */
  readonly salvaged: number
  /** The lines that hold bytes which are no record. */
  readonly skipped: readonly number[]
}

/** Returns the records of a file. The agent's loader counts a line if it is one record and nothing else. */
export function recordsIn(bytes: Uint8Array): LoadedRecords {
  const splitter = jsonLines()
  const units = splitter.push(bytes)
  const end = splitter.end()
  const all = [...units, ...end.units]
  const onLine = new Map<number, number>()
  for (const { line } of all) onLine.set(line, (onLine.get(line) ?? 0) + 1)
  let loaded = 0
  const held: LoadedRecord[] = []
  for (const unit of all) {
    if (!isObject(unit.value)) continue
    const isLoaded = !unit.salvaged && onLine.get(unit.line) === 1
    held.push({ value: unit.value, ...(isLoaded && { index: loaded++ }) })
  }
  const isNone = ({ value }: Unit): boolean => !isObject(value)
  const torn = end.torn ? [(all.at(-1)?.line ?? 0) + 1] : []
  return {
    items: held,
    salvaged: all.filter(({ salvaged }) => salvaged).length,
    skipped: [...all.filter(isNone).map(({ line }) => line), ...torn],
  }
}

/** Returns the lines of a file that goes a way. */
export function* migrated(items: readonly LoadedRecord[], way: readonly MigrationShape[]): Generator<string> {
  let values: Iterable<JsonObject> = items.map(({ value }) => value)
  for (const [at, to] of way.slice(1).entries()) {
    const step = STEPS.find((one) => one.from === way[at] && one.to === to) as MigrationStep
    values = step.migrate(at === 0 ? items : itemsOf(values))
  }
  for (const value of values) yield `${jsonText(value)}\n`
}
