import type { Loss } from '../../formats/losses.ts'
import { fullViewOf } from '../../formats/registry.ts'
import type { Draft, DraftEntry } from '../../formats/write.ts'
import { joined } from '../../model/bytes.ts'
import type { LogRecord } from '../../model/record.ts'
import { spell } from '../../model/spelling.ts'
import type { Reader } from '../../repo/reader.ts'
import { bytesOfRecord, valueOf } from '../../repo/records.ts'
import type { Redaction } from './redaction.ts'

type Told = ((loss: Loss) => void) | undefined

/** Gives the bytes of the records and the tail of a source with marks in the place of secrets; records without any are as they were read. */
export async function* redactedBytes(
  reader: Reader,
  { records, tail }: { records: AsyncIterable<LogRecord>; tail: AsyncIterable<Uint8Array> },
  redaction: Redaction,
  onLoss?: Told,
): AsyncGenerator<Uint8Array> {
  for await (const record of records) {
    const before = redaction.count
    yield* redactedRecord(reader, record, redaction)
    if (redaction.count === before) continue
    const { entry: handle } = record
    onLoss?.({ code: 'redacted', ...(handle !== undefined && { oid: await reader.oid(handle) }) })
  }
  yield redaction.bytes(await whole(tail))
}

const utf8 = new TextEncoder()

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return joined(all)
}

async function* redactedRecord(
  reader: Reader,
  record: LogRecord,
  redaction: Redaction,
): AsyncGenerator<Uint8Array> {
  const { content, lead } = record
  const value = await valueOf(reader, record)
  if ('raw' in content || value === undefined) {
    yield redaction.bytes(await whole(bytesOfRecord(reader, record)))
    return
  }
  if (lead.length > 0) yield redaction.bytes(lead)
  const redacted = redaction.value(value)
  // What stands behind the mark are edits of the text as it was.
  const spelling = redacted === value ? content.spelling : content.spelling.replace(/#.*$/s, '')
  yield utf8.encode(spell(redacted, spelling))
}

/** Gives a draft in which marks stand in the place of secrets, whatever format it is written in. */
export function redactedDraft(draft: Draft, redaction: Redaction, onLoss?: Told): Draft {
  const { title, cwd, header } = draft
  const named = <T>(names: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...names].map(([name, at]) => [redaction.text(name), at]))
  const changed = <E extends Omit<DraftEntry, 'value'>>(entry: E): E => {
    const body = redaction.value(entry.body)
    return body === entry.body ? entry : { ...entry, body, view: fullViewOf(entry.type, body) }
  }
  return {
    ...draft,
    ...(title !== undefined && { title: redaction.text(title) }),
    ...(cwd !== undefined && { cwd: redaction.text(cwd) }),
    ...(header !== undefined && { header: redaction.value(header) }),
    branches: named(draft.branches),
    labels: named(draft.labels),
    async *entries() {
      for await (const entry of draft.entries()) {
        const before = redaction.count
        const { value } = entry
        const told = { ...changed(entry), ...(value !== undefined && { value: redaction.value(value) }) }
        if (redaction.count > before) onLoss?.({ code: 'redacted', oid: entry.oid })
        yield told
      }
    },
    read: async (at) => changed(await draft.read(at)),
  }
}
