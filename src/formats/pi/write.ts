import { isObject, type JsonObject, jsonText, without } from '../../model/json.ts'
import { iso } from '../../model/time.ts'
import type { Loss } from '../core/losses.ts'
import { hexOf } from '../core/uuid.ts'
import type { Draft, FormatWriter, Index, Lines, WrittenLine } from '../core/writer.ts'
import { view } from './entries.ts'
import { type PiForm, type PiRecord, PiRecords } from './writerecords.ts'

/** pi's version 3. */
export const PI_FORM: PiForm = {
  dialect: 'pi',
  view,
  system: 'system',
  edits: true,
  modes: false,
  model: ({ provider = 'unknown', id }) => ({ provider, modelId: id }),
  begin: () => ({ header: (draft) => [headerOf(draft)], record: (record) => [record] }),
  labels: true,
  title: (name) => ({ type: 'session_info', name }),
}

/** Writes sessions as pi 1.5 keeps them: version 3, a tree by `id` and `parentId`. */
export const writer: FormatWriter = {
  branched: true,
  place: ({ id, cwd, created }) => ['sessions', dashed(cwd), fileName(id, created)],
  lines: (draft) => linesOf(draft, PI_FORM),
}

/** Returns the name of a folder of sessions as pi spells it. */
export const dashed = (cwd = '/'): string => `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`

/** Returns the name of a session's file: its time and its id. */
export const fileName = (id: string, created: number): string =>
  `${iso(created)?.replace(/[:.]/g, '-')}_${id}.jsonl`

/** Writes a session in a form of pi. */
export async function* linesOf(draft: Draft, form: PiForm): Lines {
  const records = new PiRecords(form, draft.created)
  const { header, record, end } = form.begin()
  const textOf = (values: Iterable<JsonObject>): string =>
    Array.from(values, (value) => `${jsonText(value)}\n`).join('')
  const lineOf = (made: JsonObject): string => textOf(record(made))
  const asLine = (made: Loss | { readonly record: JsonObject; readonly entry: Index }): WrittenLine | Loss =>
    'code' in made ? made : { text: lineOf(made.record), entry: made.entry }
  for (const value of header(draft)) yield { text: textOf([value]) }
  for await (const entry of draft.entries()) yield* records.add(entry).map(asLine)
  yield* records.end().map(asLine)
  for (const made of named(draft, records, form))
    yield 'record' in made ? { text: lineOf(made.record) } : made
  if (end) yield { text: textOf(end()) }
}

/** Returns the header of a session of pi, with the other fields of its source. */
export function headerOf({ id, cwd, created, header }: Draft): JsonObject {
  const { branchedFrom, legacyParentSessionPath = branchedFrom, ...own } = isObject(header) ? header : {}
  return {
    type: 'session',
    version: 3,
    id,
    timestamp: iso(created),
    cwd: cwd ?? '',
    ...(legacyParentSessionPath !== undefined && { parentSession: legacyParentSessionPath }),
    ...without(own, 'type', 'version', 'id', 'timestamp', 'cwd', 'kind', 'createdAt'),
  }
}

/** A branch that every session has, and those that import names. */
const UNNAMED = /^(?:main|source|at-[0-9a-f]{8})$/

type NamingRecord = { readonly record: JsonObject } | Loss

/**
 * Returns the labels and the title as records after the entry that the session is at, because pi resumes at the last
 * record. If there are none, and that entry is not the last, an empty record is written there.
 */
function* named(draft: Draft, records: PiRecords, { labels, title, head }: PiForm): Generator<NamingRecord> {
  const timestamp = records.time
  const made = ({ type, ...fields }: PiRecord, parentId: string | null): { readonly record: JsonObject } => {
    const id = records.newId(hexOf(type, jsonText(fields), draft.id))
    return { record: { type, id, parentId, timestamp, ...fields } }
  }
  for (const [subject, at] of draft.branches)
    if (!UNNAMED.test(subject))
      yield head ? made(head(subject), records.idOf(at)) : { code: 'branch-name', subject }
  const { tip } = draft
  let parentId = tip === undefined ? null : records.idOf(tip)
  if (tip === undefined || parentId === null) return
  const labelled = new Set<string>()
  const follow = (fields: PiRecord): NamingRecord => {
    const next = made(fields, parentId)
    parentId = next.record.id as string
    return next
  }
  for (const [label, at] of draft.labels) {
    const targetId = records.idOf(at)
    if (targetId === null || labelled.has(targetId) || !labels) yield { code: 'label', subject: label }
    else {
      labelled.add(targetId)
      yield follow({ type: 'label', targetId, label })
    }
  }
  const naming = draft.title === undefined ? undefined : title(draft.title)
  if (naming) yield 'type' in naming ? follow(naming) : naming
  if (head) yield follow(head('main'))
  else if (!(naming && 'type' in naming) && labelled.size === 0 && tip !== draft.count - 1)
    yield follow({ type: 'custom', customType: 'sess', data: { leaf: parentId } })
}
