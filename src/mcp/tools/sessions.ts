import { defined } from '../../model/json.ts'
import { withDefault } from '../../verbs/input.ts'
import { ls } from '../../verbs/ls.ts'
import { arrayOf, boolean, described, integer, nullable, number, object, string } from '../../verbs/schema.ts'
import { count } from '../../verbs/values.ts'
import { perform, type ResultOf } from '../../verbs/verb.ts'
import { CITED, cited } from '../cited.ts'
import { lineOrNull, Quoted } from '../quoted.ts'
import { rounded } from '../rounded.ts'
import { atMost, cursorInput, readTool } from '../tool.ts'

type Row = ResultOf<typeof ls>['items'][number]

const { project, agent, since, until, label, sort } = ls.input

export const sessions = readTool({
  name: 'sessions',
  title: 'List sessions',
  description: `List the sessions of every agent on this machine, the latest first: agent, folder, title or first prompt, size, cost, what was said last. Use it to learn what was worked on in a project or a time. For what was said in them, use search; to read one, log or show with its session.`,
  input: {
    project,
    agent,
    since,
    until,
    label,
    sort,
    limit: withDefault(count(), 20, 'how many, at most 100'),
    cursor: cursorInput,
  },
  item: object({
    ...CITED,
    agent: string,
    title: nullable(string),
    project: nullable(string),
    branch: described('of git', nullable(string)),
    entries: integer,
    prompts: integer,
    calls: described('of tools', integer),
    tokens: nullable(integer),
    cost: described('in US dollars', nullable(number)),
    labels: arrayOf(string),
    said: described('last, by its user or the model', nullable(string)),
    asks: described('whether it is the session that asks', boolean),
  }),
  run: async (call, { limit, cursor, ...asked }) => {
    const own = await call.asking()
    const { result } = await perform(ls, call.context, {
      ...asked,
      where: [],
      reverse: false,
      limit: atMost(limit),
      ...defined({ after: cursor }),
    })
    return {
      items: (result?.items ?? []).map((row) => ({ data: rowData(row, own), cursor: row.cursor })),
      next: result?.next ?? null,
    }
  },
})

const rowData = (row: Row, own: string | null): object => ({
  ...cited({ session: row.id, oid: tipOf(row), time: row.updated }),
  agent: row.format,
  title: lineOrNull(row.title ?? row.prompt, 160),
  project: lineOrNull(row.cwd ?? row.project),
  branch: lineOrNull(row.git?.branch, 80),
  entries: row.entries,
  prompts: row.prompts,
  calls: row.calls,
  tokens: row.tokens?.total ?? null,
  cost: rounded(row.cost),
  labels: Object.keys(row.labels)
    .slice(0, MAX_LABELS)
    .map((name) => new Quoted(name, { limit: 80 })),
  said: lineOrNull('words' in row && typeof row.words === 'string' ? row.words : null, 240),
  asks: row.id === own,
})

const MAX_LABELS = 8

/** Returns the current entry of a session: that of its branch, or its head itself; null before the first one. */
const tipOf = ({ head, branches }: Row): string | null => (head === null ? null : (branches[head] ?? head))
