import type { Oid } from '../model/encoding/oid.ts'
import type { LogEntry } from '../ops/entries.ts'
import type { GraphEntry } from '../ops/graphentry.ts'
import {
  anyOf,
  anything,
  arrayOf,
  atLeastZero,
  boolean,
  described,
  integer,
  mapOf,
  nullable,
  object,
  oneOf,
  type Schema,
  string,
} from './schema.ts'

export const oidSchema: Schema<Oid> = { type: 'string', pattern: '^[0-9a-f]{64}$' }
export const timestamp: Schema<string> = {
  type: 'string',
  pattern: '^-?[+]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
}
export const roleSchema = oneOf('user', 'assistant', 'tool', 'system')
export const dollars = described('in US dollars', atLeastZero)
export const tokenCounts = object(
  { input: integer, output: integer, cacheRead: integer, cacheWrite: integer, total: integer },
  { cacheWriteLong: described('the part of cacheWrite that is kept for an hour', integer) },
)

/** The state of the git repository that a session worked in. The lists hold all values, in the order of their first use. */
export const gitSchema = object({
  branch: nullable(string),
  commit: nullable(string),
  repository: nullable(string),
  branches: arrayOf(string),
  commits: arrayOf(string),
  repositories: arrayOf(string),
})

/** The sums of the usage of model calls. */
export const USAGE_TOTALS = {
  tokens: nullable(tokenCounts),
  cost: nullable(dollars),
  computed: described('the part of the cost that is computed by list prices', dollars),
  unpriced: described('tokens of which neither cost nor price is known', integer),
}

/** The model, the thinking level and the mode of a context. */
export const MODEL_SETTINGS = {
  model: object({ id: string }, { provider: string }),
  thinking: string,
  mode: string,
}

/** The properties of an entry, in the output of all commands that print entries. */
const ENTRY = {
  oid: oidSchema,
  parents: arrayOf(oidSchema),
  type: described('dialect and kind, such as claude/assistant', string),
  role: nullable(roleSchema),
  time: nullable(timestamp),
  text: described('all text blocks, joined by newlines', nullable(string)),
  session: nullable(string),
  native: described('the id that its agent gave it', nullable(string)),
}

/** Sub-agents that an entry started. */
export const subagentsSchema = arrayOf(
  object({
    id: string,
    session: nullable(string),
    type: nullable(string),
    description: nullable(string),
    entries: nullable(integer),
    calls: nullable(integer),
    tokens: nullable(integer),
    agents: arrayOf(anything),
  }),
)

/** The properties that only some entries have. */
const SOME_ENTRIES = {
  grafted: described('whether a graft joins it to its parent, which its own source lacks', boolean),
  subagents: described(
    'the sub-agents that it started: each with the id of its session, null if the store lacks it, its own counts, and ' +
      'in agents those that it started itself',
    subagentsSchema,
  ),
}

export const entrySchema = object(ENTRY, SOME_ENTRIES)

/** An entry of a graph. */
const GRAPH_ENTRY = {
  ...ENTRY,
  edges: described(
    'edges to the next drawn entries, with what is elided between',
    arrayOf(
      object({
        oid: oidSchema,
        elided: nullable(object({ entries: integer, calls: integer, tokens: integer })),
      }),
    ),
  ),
  open: described('whether it continues an entry that is not drawn', boolean),
  refs: arrayOf(
    object({ kind: oneOf('branch', 'label', 'head'), name: string, session: string, current: boolean }),
  ),
  head: described('whether this is the current entry of the session', boolean),
  compacts: boolean,
}

export const graphEntrySchema = object(GRAPH_ENTRY, SOME_ENTRIES)

/** Returns the schema of an entry of a graph with more properties. */
export const graphEntryWith = (more: Readonly<Record<string, Schema>>): Schema =>
  object({ ...GRAPH_ENTRY, ...more }, SOME_ENTRIES)

/** An entry in full. */
export const fullEntrySchema = object(
  {
    ...ENTRY,
    branches: arrayOf(string),
    labels: arrayOf(string),
    set: described('the properties that the user set on the session', mapOf(string)),
    git: described('the last state in git of its session, and all former ones', nullable(gitSchema)),
    pullRequests: described('those of its session', arrayOf(string)),
    agents: described('the sub-agents that it started, by the ids of their sessions', arrayOf(string)),
    continuedIn: described(
      'the session in which its session goes on, as its agent names it',
      nullable(string),
    ),
    digest: described('of its body', oidSchema),
    body: anything,
    record: described('the record as its source held it, null where none is known', anything),
    answers: described(
      'the entries that answer its tool calls, or made the calls that it answers',
      arrayOf(object({ id: string, oid: oidSchema })),
    ),
    after: described('the next entry on the path of its session', nullable(oidSchema)),
    reportedCost: described('the cost of the whole session as its agent reports it', nullable(dollars)),
  },
  {
    ...SOME_ENTRIES,
    moreBranches: described('whether only some of the branches of its session were looked at', boolean),
    outputs: described(
      'results that files beside the session hold whole: each with the id of the call, the session and name of the ' +
        'file, its size, and its text, of a large file the beginning',
      arrayOf(object({ id: string, session: string, file: string, bytes: integer, text: string })),
    ),
  },
)

/** The position of a session: on a branch, on an entry, or before the first one. */
export const headSchema = anyOf(
  object({ branch: string }),
  object({ oid: described('null before the first entry', nullable(oidSchema)) }),
)

const blockSchema = anyOf(
  object({ kind: oneOf('text', 'thinking'), text: string }),
  object({ kind: oneOf('toolCall'), id: string, name: string, input: anything }),
  object({ kind: oneOf('toolResult'), id: string, text: string, error: boolean }, { name: string }),
  object(
    { kind: oneOf('image'), mediaType: string, bytes: integer },
    { blob: described('the SHA-256 of its bytes, where the store lacks them', string) },
  ),
)

const partSchema: Schema<string> = oneOf(
  'message',
  'kept',
  'replacement',
  'checkpoint',
  'compaction-summary',
  'branch-summary',
  'closing',
)

/** A message of a context. */
export const contextMessageSchema = object({
  oid: oidSchema,
  part: partSchema,
  role: nullable(roleSchema),
  blocks: arrayOf(blockSchema),
})

/** Where a command that goes to an entry left a session. */
export const treeMoveSchema = object({
  session: string,
  cancelled: boolean,
  aborted: boolean,
  head: headSchema,
  tip: described('null before the first entry', nullable(oidSchema)),
  before: headSchema,
  beforeTip: nullable(oidSchema),
  commonAncestor: nullable(oidSchema),
  abandoned: described('how many entries were left', integer),
  kept: described('the branch that was created for them', nullable(string)),
  text: described('to be sent again, where a message of the user was chosen', nullable(string)),
  summary: described('the entry that summarizes what was left', nullable(oidSchema)),
})

/** The old and the new position of a branch. */
export const BRANCH_MOVE = {
  session: string,
  branch: described('null where the session is on none', nullable(string)),
  before: described('the former tip', nullable(oidSchema)),
  tip: described('the present tip', nullable(oidSchema)),
}

/** The properties that describe entries appended again. */
export const REPLAYED = {
  ...BRANCH_MOVE,
  map: described(
    'each entry that was appended again and its new oid, null where a merge brings nothing new',
    arrayOf(object({ from: oidSchema, to: nullable(oidSchema) })),
  ),
  lost: described(
    'links of new entries to entries that did not come along',
    arrayOf(object({ oid: oidSchema, link: oneOf('firstKept', 'kept', 'target'), to: oidSchema })),
  ),
}

/** An operation of the operation log. */
export const OPERATION = {
  number: integer,
  id: string,
  time: nullable(timestamp),
  who: string,
  actor: described(
    'who made it: a person, or a program such as an agent or a script',
    oneOf('person', 'program'),
  ),
  command: string,
  refs: described('how many refs it moved', integer),
  open: described('whether it still grows: later appends may be joined with it', boolean),
  turn: described(
    'what it did with another operation',
    nullable(object({ kind: oneOf('undo', 'redo', 'restore'), operation: integer })),
  ),
  undoneBy: described('the operation that undid it', nullable(integer)),
}

/** How operations are named. */
export const OPERATION_NAME = 'its number, or 4 or more digits of its id'

export const refMovesSchema = arrayOf(object({ name: string, old: anything, new: anything }))

/** The output of undo and redo. */
export const turnSchema = object({
  kind: oneOf('undo', 'redo'),
  operation: object(OPERATION),
  by: described('the number of the operation that did it', integer),
  moves: refMovesSchema,
  left: described(
    'heads of logs of appends that were left unchanged, because a later append has moved one',
    arrayOf(string),
  ),
})

/** The outcome for an entry whose parent was missing. */
export const graftSchema = object({
  session: string,
  root: oidSchema,
  native: described('the id of the parent', string),
  outcome: oneOf('joined', 'missing', 'ambiguous', 'shared', 'circle'),
  parent: described('the entry that it continues now', nullable(oidSchema)),
  holder: described('a session that has that entry', nullable(string)),
})

export const basedSchema = object({
  session: string,
  base: described('the id by which its source names the session or the file with its history', string),
  outcome: oneOf('joined', 'missing', 'circle', 'unread'),
})

export const warningsSchema = arrayOf(
  object({
    code: string,
    line: described('0: the whole file', integer),
    offset: described('of its first byte', integer),
    message: string,
  }),
)

export const IMPORT_COUNTS = {
  records: integer,
  entries: integer,
  newEntries: integer,
  newObjects: integer,
  bytes: integer,
}

const nameCount = arrayOf(anyOf(string, integer))

/** The properties of an imported file, in the output of import and watch. */
export const IMPORTED = {
  path: string,
  format: string,
  session: string,
  ...IMPORT_COUNTS,
  contained: described('whether it is an earlier state of a session in the store', boolean),
  salvaged: described('records recovered from damaged lines', integer),
  warnings: warningsSchema,
}

/** The types and fields of records that no reader knows. */
export const unknownSchema = object(
  {
    types: described('names of record types, and how often each occurs', arrayOf(nameCount)),
    fields: described('names of fields, and how often each occurs', arrayOf(nameCount)),
  },
  { more: described('how many have names that are not kept', integer) },
)

/** The properties that only some imported files have. */
export const IMPORTED_SOMETIMES = {
  shortened: described(
    'the bytes that the file had before its agent shortened it; the store has them',
    integer,
  ),
  unknown: unknownSchema,
  version: described('where something is unknown: the newest version of the agent that wrote it', string),
  exported: described('where it continues an exported session: the id that the session has there', string),
}

/** An entry as JSON. */
export type EntryData = Omit<LogEntry, 'view' | 'added'>

/** Returns an entry as JSON. */
export const entryData = ({
  oid,
  parents,
  type,
  role,
  time,
  text,
  session,
  native,
  grafted,
  subagents,
}: LogEntry): EntryData => ({
  oid,
  parents,
  type,
  role,
  time,
  text,
  session,
  native,
  ...(grafted && { grafted }),
  ...(subagents && { subagents }),
})

/** Returns an entry of a graph as JSON: an entry, and its edges. */
export function drawnData(
  entry: GraphEntry,
): EntryData & Pick<GraphEntry, 'edges' | 'open' | 'refs' | 'head' | 'compacts'> {
  const { edges, open, refs, head, compacts } = entry
  return Object.assign(entryData(entry), { edges, open, refs, head, compacts })
}
