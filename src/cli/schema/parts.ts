import {
  about,
  amount,
  anything,
  count,
  either,
  list,
  map,
  nullable,
  object,
  type Schema,
  text,
  truth,
  word,
} from './build.ts'

export const oid: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' }
export const time: Schema = {
  type: 'string',
  pattern: '^-?[+]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
}
export const role: Schema = word('user', 'assistant', 'tool', 'system')

/** The common output of all commands that print entries. */
const ENTRY = {
  oid,
  parents: list(oid),
  type: about('dialect and kind, such as claude/assistant', text),
  role: nullable(role),
  time: nullable(time),
  text: about('all text blocks, joined by newlines', nullable(text)),
  session: nullable(text),
  native: about('the id that its agent gave it', nullable(text)),
}

const GRAFTED = {
  grafted: about('a graft joins it to its parent, which its own source lacks', truth),
}

export const entry: Schema = object(ENTRY, GRAFTED)

const refs: Schema = list(
  object({ kind: word('branch', 'label', 'head'), name: text, session: text, current: truth }),
)

/** An entry of a graph. */
export const drawn: Schema = object(
  {
    ...ENTRY,
    edges: about(
      'to those that are drawn next, and what is left out before them',
      list(object({ oid, elided: nullable(object({ entries: count, calls: count, tokens: count })) })),
    ),
    open: about('whether it continues what is not drawn', truth),
    refs,
    head: about('whether the session stands there', truth),
    compacts: truth,
  },
  GRAFTED,
)

/** An entry in full. */
export const shown: Schema = object(
  {
    ...ENTRY,
    branches: list(text),
    labels: list(text),
    set: about('what its user set of the session', map(text)),
    agents: about('the sub-agents that it started, by the ids of their sessions', list(text)),
    digest: about('of its body', oid),
    body: anything,
    record: about('the record as its source held it, null where none is known', anything),
    answers: about(
      'of its tool calls the entries that answer them, of its results those that called',
      list(object({ id: text, oid })),
    ),
    after: about('the next entry on the path of its session', nullable(oid)),
  },
  GRAFTED,
)

export const links: Schema = object({}, { firstKept: oid, kept: list(oid), target: oid })

/** The position of a session: on a branch, on an entry, or before the first one. */
export const head: Schema = either(
  object({ branch: text }),
  object({ oid: about('null before the first entry', nullable(oid)) }),
)

export const block: Schema = either(
  object({ kind: word('text', 'thinking'), text }),
  object({ kind: word('toolCall'), id: text, name: text, input: anything }),
  object({ kind: word('toolResult'), id: text, text, error: truth }, { name: text }),
  object(
    { kind: word('image'), mediaType: text, bytes: count },
    { blob: about('the SHA-256 of its bytes, where the store lacks them', text) },
  ),
)

export const tokens: Schema = object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  total: count,
})

export const dollars: Schema = about('in US dollars', amount)
