import type { Format, Reading } from '../../formats/core/format.ts'
import { lossesBetween } from '../../formats/core/losses.ts'
import type { Sample } from '../../formats/core/sample.ts'
import type { Unit } from '../../formats/core/splitter.ts'
import { fullViewOf } from '../../formats/registry.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { View } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { readHeaders } from '../../repo/records.ts'
import type { ExportHead } from '../../repo/session.ts'
import { chunksOf } from '../../sources/files.ts'
import { sourceBytes } from '../export/sourcebytes.ts'
import type { ExportedRecords } from './logtarget.ts'

/** The rewritten part of an exported file. */
export interface Rewritten {
  /** The newest entry covered by each record. */
  readonly covered: ExportedRecords
  /** The size of this part. */
  readonly bytes: number
}

/**
 * Finds the exported messages that a file still begins with after its agent rewrote it: messages with the same ids and
 * content, in the same order. Fields that an agent adds and the spelling of records do not matter. Returns undefined if
 * it has none of them.
 */
export async function rewrittenFrom(
  reader: Reader,
  { head, format }: { readonly head: ExportHead; readonly format: Format },
  { file, size, sample }: { readonly file: string; readonly size: number; readonly sample: Sample },
): Promise<Rewritten | undefined> {
  const known = await writtenIn(reader, head, format)
  const handles: (EntryHandle | null)[] = []
  let [at, bytes, matched] = [0, 0, { handles: 0, bytes: 0 }]
  for await (const { unit, reading } of readIn(chunksOf(file, size), format, sample)) {
    bytes += unit.bytes.length
    const view = viewIn(reading)
    if (view) {
      const written = known[at]
      if (!written || written.native !== reading.native || lossesBetween([written.view], [view]).length > 0)
        break
      at++
      handles.push(written.handle)
      matched = { handles: handles.length, bytes }
    } else handles.push(handles.at(-1) ?? null)
  }
  if (at === 0) return undefined
  const tip = at === known.length ? await reader.find(head.tip) : undefined
  const entries = handles.slice(0, matched.handles)
  return {
    covered: { entries, tip: (head.count === 0 ? tip : undefined) ?? entries.at(-1) ?? undefined },
    bytes: matched.bytes,
  }
}

/** The view of a record of an export, and the newest entry that the file covers up to this record. */
interface Written {
  readonly native: string | undefined
  readonly view: View
  readonly handle: EntryHandle | null
}

/** Returns the exported entries, and those read from the file since. */
async function writtenIn(reader: Reader, head: ExportHead, format: Format): Promise<Written[]> {
  const tips: (EntryHandle | undefined)[] = []
  for (const [log, count] of [head.written, [head.log, head.count] as const])
    for await (const [, { tip }] of readHeaders(reader, log, 0, count)) tips.push(tip)
  const written: Written[] = []
  let position = 0
  for await (const { reading } of readIn(sourceBytes(reader, head), format)) {
    const [view, handle] = [viewIn(reading), tips[position++]]
    if (view && handle !== undefined) written.push({ native: reading.native, view, handle })
  }
  return written
}

const viewIn = ({ entry }: Reading): View | undefined => entry && fullViewOf(entry.type, entry.body)

/** Reads a source from its beginning. */
async function* readIn(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  { name, folder, above }: Pick<Sample, 'name' | 'folder' | 'above'> = { name: '' },
): AsyncGenerator<{ readonly unit: Unit; readonly reading: Reading }> {
  const splitter = format.splitter()
  const reader = format.reader(name, folder, above)
  const read = (unit: Unit) => ({ unit, reading: reader.read(unit) })
  for await (const chunk of chunks) yield* splitter.push(chunk).map(read)
  yield* splitter.end().units.map(read)
}
