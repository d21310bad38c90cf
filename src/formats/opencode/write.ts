import { asString, field, type Json, type JsonObject, jsonText, without } from '../../model/json.ts'
import { fieldAt } from '../core/values.ts'
import { type Draft, type FormatWriter, type Lines, lineOf, type WrittenLine } from '../core/writer.ts'
import { infoOf, isSessionId, messagesOf, sessionIdOf } from './writemessages.ts'

/** Writes a path as OpenCode exports a session: a document that `opencode import` takes. */
export const writer: FormatWriter = {
  branched: false,
  takesId: isSessionId,
  idOf: sessionIdOf,
  place: ({ id }) => ['opencode', 'import', `${id}.json`],
  lines: documentLines,
}

async function* documentLines(draft: Draft): Lines {
  let before: WrittenLine = { text: `{"info":${jsonText(infoOf(draft))},\n"messages":[` }
  let isFirst = true
  for await (const made of messagesOf(draft, { ordered: false })) {
    if ('code' in made) {
      yield made
      continue
    }
    const { entry, ...message } = made
    const text = jsonText(message)
    if (isFirst) before = { entry, text: `${before.text}\n${text}` }
    else {
      yield before
      before = { entry, text: `,\n${text}` }
    }
    isFirst = false
  }
  yield { ...before, text: `${before.text}\n]}\n` }
}

/** Writes a path as the files in which OpenCode kept a session before 2026, as one stream. */
export const files: FormatWriter = {
  ...writer,
  place: (draft) => ['opencode', 'storage', ...pathOf(draft).split('/')],
  several: 'bundle',
  below: 3,
  lines: fileLines,
}

/** The project of a folder without a git history. */
const GLOBAL = 'global'

const pathOf = ({ id, header }: Pick<Draft, 'id'> & Partial<Pick<Draft, 'header'>>): string =>
  `session/${projectOf(header)}/${id}.json`

/** Returns the project in a file or row of its source, if that is a plain name. */
function projectOf(header: Draft['header']): string {
  const id = asString(field(header, 'projectID') ?? fieldAt(header, 'row', 'project_id'))
  return id !== undefined && /^[\w-]+$/.test(id) ? id : GLOBAL
}

async function* fileLines(draft: Draft): Lines {
  const info = { ...infoOf(draft), projectID: projectOf(draft.header) }
  yield { text: fileOf(pathOf(draft), without(info, 'slug')) }
  for await (const made of messagesOf(draft, { ordered: true })) {
    if ('code' in made) yield made
    else {
      const { info: message, parts, entry } = made
      const id = idOf(message)
      const partFiles = parts.map((part) => fileOf(`part/${id}/${idOf(part)}.json`, part))
      yield { text: fileOf(`message/${draft.id}/${id}.json`, message) + partFiles.join(''), entry }
    }
  }
}

const idOf = ({ id }: JsonObject): string => asString(id) ?? ''

const utf8 = new TextEncoder()

/** Returns a file as part of a stream of files. */
function fileOf(file: string, value: JsonObject): string {
  const text = jsonText(value)
  return `${jsonText({ file, bytes: utf8.encode(text).length })}\n${text}`
}

/** Writes a path as the rows that OpenCode has of it since 2026, which are made a database of. */
export const rows: FormatWriter = {
  ...writer,
  place: ({ id }) => ['opencode', `opencode-${id}.db`],
  unresumed: "OpenCode takes sessions from what it exports: '--format opencode'",
  several: 'rows',
  lines: rowLines,
}

async function* rowLines(draft: Draft): Lines {
  yield lineOf({ table: 'session', row: rowOf(draft) })
  let updated = draft.created
  for await (const made of messagesOf(draft, { ordered: true })) {
    if ('code' in made) {
      yield made
      continue
    }
    const { info, parts, entry } = made
    const time = field(info.time, 'created')
    // Rows are read by their times, then by their ids.
    updated = Math.max(updated, typeof time === 'number' ? time : updated)
    const times = { time_created: updated, time_updated: updated }
    const [id, session] = [info.id ?? null, draft.id]
    const row = {
      info: without(info, 'id', 'sessionID'),
      parts: parts.map((part) => without(part, 'id', 'sessionID', 'messageID')),
      rows: [
        { id, session_id: session, ...times },
        ...parts.map((part) => ({ id: part.id ?? null, message_id: id, session_id: session, ...times })),
      ],
    }
    yield lineOf(row, entry)
  }
}

/** Returns the row of a session, its columns in the order of the table. */
function rowOf(draft: Draft): JsonObject {
  const { id, slug = null, directory = null, title = null, version = null } = infoOf(draft)
  const source = field(draft.header, 'row')
  const known = (column: string): Json => {
    const value = field(source, column)
    return typeof value === 'string' || typeof value === 'number' ? value : null
  }
  const project = asString(field(draft.header, 'projectID')) ?? (known('project_id') || 'global')
  return {
    ...{ id: id ?? null, project_id: project, workspace_id: known('workspace_id') },
    ...{ parent_id: known('parent_id'), slug, directory, path: known('path'), title, version },
    ...{ share_url: null, summary_additions: null, summary_deletions: null, summary_files: null },
    ...{ summary_diffs: null, cost: 0, tokens_input: 0, tokens_output: 0, tokens_reasoning: 0 },
    ...{
      tokens_cache_read: 0,
      tokens_cache_write: 0,
      revert: null,
      permission: null,
      agent: null,
      model: null,
    },
    ...{
      time_created: draft.created,
      time_updated: draft.created,
      time_compacting: null,
      time_archived: null,
    },
  }
}
