import type { FormatReader, ParsedEntry, Reading, RecordIndex } from '../../../src/formats/core/format.ts'
import type { Unit } from '../../../src/formats/core/splitter.ts'
import { type PiContext, type PiOrigin, piContext } from '../../../src/formats/pi/context.ts'
import { pi } from '../../../src/formats/pi/index.ts'
import { contextOf } from '../../../src/graph/context.ts'
import type { ContextAccess } from '../../../src/graph/contextwalk.ts'
import { digestOf, oidOfEntry } from '../../../src/model/encoding/entry.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { Json } from '../../../src/model/json.ts'
import { traitsOf, type View } from '../../../src/model/view.ts'

/** A session file of pi as it was read. */
export interface Session {
  readonly units: readonly Unit[]
  readonly readings: readonly Reading[]
  readonly reader: FormatReader
}

/** Returns the text of a session file: one record on each line. */
export const file = (...records: readonly unknown[]): string =>
  records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join('')

/** Reads the text of a session file. */
export function readText(text: string): Session {
  const splitter = pi.splitter()
  const reader = pi.reader('session.jsonl')
  const units: Unit[] = []
  const readings: Reading[] = []
  for (const unit of [...splitter.push(new TextEncoder().encode(text)), ...splitter.end().units]) {
    const reading = reader.read(unit)
    units.push(unit)
    readings.push(reading)
    // An entry that is chained again follows the record that moved it, as a record of its own.
    for (const { original, parent } of reading.rechained ?? []) {
      const { type, body } = (readings[original] as Reading).entry as ParsedEntry
      units.push(units[original] as Unit)
      readings.push({ entry: { type, body, parent } })
    }
  }
  return { units, readings, reader }
}

/** Reads records. */
export const read = (...records: readonly unknown[]): Session => readText(file(...records))

export const entryAt = (session: Session, at: RecordIndex): ParsedEntry => {
  const entry = session.readings[at]?.entry
  if (entry === undefined) throw new Error(`record ${at} carries no entry`)
  return entry
}

/** Returns, for each record, the parent of its entry, or undefined where it carries none. */
export const parents = ({ readings }: Session): readonly (RecordIndex | null | undefined)[] =>
  readings.map((reading) => reading.entry?.parent)

/** Returns the codes of the warnings of a session in order. */
export const codes = ({ readings }: Session): readonly string[] =>
  readings.flatMap((reading) => (reading.warnings ?? []).map((warning) => warning.code))

const viewAt = (session: Session, at: RecordIndex): View => {
  const { type, body } = entryAt(session, at)
  return pi.view(type.slice('pi/'.length), body)
}

/** Provides access to the entries of a session by their handles. */
const accessTo = (session: Session): ContextAccess<RecordIndex> => ({
  parent: (at) => entryAt(session, at).parent ?? undefined,
  traits: (at) => traitsOf(viewAt(session, at)),
  view: (at) => viewAt(session, at),
  links: (at) => entryAt(session, at).links ?? {},
})

const originIn =
  ({ units, readings }: Session) =>
  (at: RecordIndex): PiOrigin => {
    const { entry, time } = readings[at] as Reading
    const { type } = entry as ParsedEntry
    return { type, value: units[at]?.value as Json, ...(time !== undefined && { time }) }
  }

/** Returns what pi's own `buildSessionContext` would, at the active leaf or another. */
export async function piContextOf(session: Session, leaf = session.reader.active()): Promise<PiContext> {
  if (leaf === null) return piContext({ items: [] }, () => undefined)
  return piContext(await contextOf(leaf, accessTo(session)), originIn(session))
}

/** Returns the oid of each entry of a session, undefined for records that carry none. */
export function oidsOf({ readings }: Session): readonly (Oid | undefined)[] {
  const oids: (Oid | undefined)[] = []
  const oidAt = (at: RecordIndex): Oid => oids[at] as Oid
  for (const { entry } of readings) {
    if (entry === undefined) {
      oids.push(undefined)
      continue
    }
    const { parent, type, body, links = {} } = entry
    const { firstKept, target } = links
    oids.push(
      oidOfEntry({
        parents: parent === null ? [] : [oidAt(parent)],
        type,
        digest: digestOf(body),
        links: {
          ...(firstKept !== undefined && { firstKept: oidAt(firstKept) }),
          ...(target !== undefined && { target: oidAt(target) }),
        },
      }),
    )
  }
  return oids
}
