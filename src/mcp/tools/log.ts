import { defined } from '../../model/json.ts'
import { optional, required, withDefault } from '../../verbs/input.ts'
import { log as logVerb } from '../../verbs/log.ts'
import { object } from '../../verbs/schema.ts'
import { choice, count, revision } from '../../verbs/values.ts'
import { perform } from '../../verbs/verb.ts'
import { LISTED, listedEntry } from '../entrytext.ts'
import { atMost, cursorInput, readTool } from '../tool.ts'

const { since, until, grep, path, all } = logVerb.input

/** The size of what an entry says in a list, in UTF-16 units. */
const LINE = 300

export const log = readTool({
  name: 'log',
  title: 'List the entries of a session',
  description: `List the entries of a session (or of a range A..B of entries), the newest first, each with its oid and the beginning of what it says. Use it to skim a session that sessions or search named; with role=user it lists the prompts. To read an entry whole, call show with its oid.`,
  input: {
    revision: required(revision(), 'a session, an entry (its oid), or a range A..B'),
    role: optional(choice(['user', 'assistant', 'tool', 'system'], 'role'), 'only what this one says'),
    path,
    grep,
    since,
    until,
    all,
    limit: withDefault(count(), 30, 'how many, at most 100'),
    cursor: cursorInput,
  },
  item: object(LISTED),
  run: async ({ context }, { limit, cursor, role, ...asked }) => {
    const { result } = await perform(logVerb, context, {
      ...asked,
      ...(role !== undefined && {
        revset: asked.all ? `role(${role})` : revsetFor(asked.revision, role),
      }),
      everywhere: false,
      reverse: false,
      whole: false,
      usage: false,
      limit: atMost(limit),
      ...defined({ after: cursor }),
    })
    return {
      items: (result?.items ?? []).map((entry) => ({ data: listedEntry(entry, LINE), cursor: entry.cursor })),
      next: result?.next ?? null,
    }
  },
})

/** Returns the expression for what one says on a path, or in what the second side of a range has more. */
function revsetFor(name: string, role: string): string {
  const [, a, b] = /^(.+?)\.\.(?!\.)(.+)$/.exec(name) ?? []
  const quoted = (one: string): string => JSON.stringify(one)
  const within =
    a === undefined || b === undefined ? `ancestors(${quoted(name)})` : `(${quoted(a)}..${quoted(b)})`
  return `role(${role}) & ${within}`
}
