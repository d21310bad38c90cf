import { asString, field, type Json, type JsonObject, jsonText, without } from '../../model/json.ts'
import type { Draft, Lines, Writer } from '../write.ts'
import { infoOf, messagesOf } from './talk.ts'
import { writer as document } from './write.ts'

/** Writes a path as the rows that OpenCode has of it since 2026, which are made a database of. */
export const rows: Writer = {
  ...document,
  place: ({ id }) => ['opencode', `opencode-${id}.db`],
  unresumed: "OpenCode takes sessions from what it exports: '--format opencode'",
  several: 'rows',
  lines,
}

async function* lines(draft: Draft): Lines {
  yield { text: lineOf({ table: 'session', row: rowOf(draft) }) }
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
    const text = lineOf({
      info: without(info, 'id', 'sessionID'),
      parts: parts.map((part) => without(part, 'id', 'sessionID', 'messageID')),
      rows: [
        { id, session_id: session, ...times },
        ...parts.map((part) => ({ id: part.id ?? null, message_id: id, session_id: session, ...times })),
      ],
    })
    yield { text, entry }
  }
}

const lineOf = (value: JsonObject): string => `${jsonText(value)}\n`

/** Gives the row of a session, its columns in the order of the table. */
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
