import { asString, field, isObject, type Json, type JsonObject, without } from '../../model/json.ts'
import type { Draft, FormatWriter } from '../core/writer.ts'
import { headerOf as headerOfV4, V4Log } from '../migrate/pi.ts'
import { view } from './entries.ts'
import { contentOf, text } from './makemessages.ts'
import { headerOf, linesOf, PI_FORM, writer as v3 } from './write.ts'
import type { FittedRecord, PiForm, PiRecord, PiSpelling } from './writerecords.ts'

/** The record types that version 1 does not have. */
const SINCE_V2: ReadonlySet<string> = new Set(['branch_summary', 'custom_message'])

/** Version 2 is version 3 with another role for messages of extensions, before there were titles, edits and system prompts. */
const V2_FORM: PiForm = {
  ...PI_FORM,
  system: 'user',
  edits: false,
  title: (subject) => ({ code: 'title', subject }),
  fit: fitted,
  begin: () => ({
    header: (draft) => [{ ...headerOf(draft), version: 2 }],
    record: (record) => [hooked(record)],
  }),
}

/** Version 1 is a line of records without ids: a place to keep from is a number, the header's being 0. */
const V1_FORM: PiForm = {
  ...V2_FORM,
  labels: false,
  fit: (fields) => (SINCE_V2.has(fields.type) || isOfExtension(fields) ? asPrompt(fields) : fitted(fields)),
  begin: numbered,
}

/** Version 4 is a log: entries on lanes, which are branches, and facts. */
const V4_FORM: PiForm = {
  ...PI_FORM,
  edits: false,
  fit: (fields) => (fields.type === 'context_edit' ? { loss: 'edit' } : { fields }),
  head: (lane) => ({ type: LANE, lane }),
  begin: laned,
}

const writing = (form: PiForm): FormatWriter => ({ ...v3, lines: (draft) => linesOf(draft, form) })

/** Write sessions as older versions of pi kept them, which newer ones migrate, and as its harness does since. */
export const v1: FormatWriter = { ...writing(V1_FORM), branched: false }
export const v2: FormatWriter = writing(V2_FORM)
export const v4: FormatWriter = {
  ...writing(V4_FORM),
  unresumed: "pi's command line reads no version 4: '--format pi'",
}

/** Returns a record as version 2 has it. */
function fitted(fields: PiRecord): FittedRecord {
  switch (fields.type) {
    case 'context_edit':
      return { loss: 'edit' }
    case 'active_tools_change':
      return { loss: 'setting' }
    case 'compaction': {
      const known = without(fields, 'systemMessage', 'retainedTail') as PiRecord
      return fields.retainedTail === undefined ? { fields: known } : { fields: known, loss: 'compaction' }
    }
    case 'message':
      return field(fields.message, 'role') === 'system' ? asPrompt(fields) : { fields }
    default:
      return { fields }
  }
}

/** Returns a record as a message of the user. */
function asPrompt(fields: PiRecord): FittedRecord {
  const summary = fields.type === 'branch_summary' ? text(asString(fields.summary) ?? '') : undefined
  const content = summary ? [summary] : contentOf(view(fields.type, fields).blocks)
  const timestamp = field(fields.message, 'timestamp') ?? 0
  const message = { role: 'user', content, timestamp }
  return { fields: { type: 'message', message }, ...(summary && { loss: 'summary' }) }
}

const isOfExtension = ({ message }: PiRecord): boolean => EXTENSIONS.has(field(message, 'role'))

const EXTENSIONS: ReadonlySet<Json | undefined> = new Set(['custom', 'hookMessage'])

const hooked = (record: JsonObject): JsonObject =>
  isObject(record.message) && record.message.role === 'custom'
    ? { ...record, message: { ...record.message, role: 'hookMessage' } }
    : record

function numbered(): PiSpelling {
  const places = new Map<Json | undefined, number>()
  return {
    header: (draft) => {
      const { parentSession: branchedFrom, ...header } = without(headerOf(draft), 'version')
      return [{ ...header, ...(branchedFrom !== undefined && { branchedFrom }) }]
    },
    record({ id, firstKeptEntryId, ...rest }) {
      places.set(id, places.size + 1)
      const index = places.get(firstKeptEntryId)
      return [{ ...without(rest, 'parentId'), ...(index !== undefined && { firstKeptEntryIndex: index }) }]
    },
  }
}

/** The type of the record for the end of a branch, until it is translated. */
const LANE = 'lane'

function laned(): PiSpelling {
  let log = new V4Log('')
  return {
    header: (draft: Draft) => {
      log = new V4Log(draft.id, draft.created)
      return [headerOfV4(headerOf(draft))]
    },
    record: (record) =>
      record.type === LANE ? log.moveLane(asString(record.lane) ?? '', record.parentId) : log.add(record),
    end: () => log.end(),
  }
}
