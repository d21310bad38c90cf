import { FILTERS } from '../../model/graphfilter.ts'
import { defined } from '../../model/json.ts'
import { required, withDefault } from '../../verbs/input.ts'
import { arrayOf, boolean, described, integer, nullable, object, string } from '../../verbs/schema.ts'
import { tree as treeVerb } from '../../verbs/tree.ts'
import type { TreeRow } from '../../verbs/types.ts'
import { choice, count, session } from '../../verbs/values.ts'
import { perform } from '../../verbs/verb.ts'
import { LISTED, listedEntry } from '../entrytext.ts'
import { Quoted } from '../quoted.ts'
import { timesOf } from '../times.ts'
import { atMost, cursorInput, placeOf, readTool } from '../tool.ts'

/** The size of what an entry says, in UTF-16 units. */
const LINE = 140

export const tree = readTool({
  name: 'tree',
  title: 'Show the shape of a session',
  description: `Show the outline of a session, from its beginning on: its prompts, and where it forks into branches, is compacted or labelled, each with its oid. "level" is 0 on the straight path and grows with each fork; "folded" counts the entries that are not shown before a row. Use it to see which attempts there were; then compare two of them, or show one.`,
  input: {
    session: required(session(), 'its id, title, or a prefix of its id'),
    filter: withDefault(
      choice(FILTERS, 'what'),
      'user-only',
      'which entries are rows besides forks and labels',
    ),
    limit: withDefault(count(), 40, 'how many rows, at most 100'),
    cursor: cursorInput,
  },
  about: { total: described('the number of all rows', integer), isExact: boolean },
  item: object({
    ...LISTED,
    level: integer,
    folded: integer,
    refs: described('branches and labels that point to it', arrayOf(string)),
    head: described('whether the session continues here', boolean),
    compacts: boolean,
    position: nullable(integer),
  }),
  run: async ({ context }, { session: name, filter, limit, cursor }) => {
    const from = placeOf(cursor)
    const most = atMost(limit)
    const asked = {
      session: name,
      filter,
      from,
      limit: most,
      exact: false,
      folded: false,
      shown: [],
      closed: [],
      opened: [],
    }
    const { result } = await perform(treeVerb, context, asked)
    const { rows = [], total = 0, isExact = true } = result ?? {}
    const owner = rows[0]?.cursor.session ?? null
    const times = await timesOf(
      context,
      owner,
      rows.map(({ oid }) => oid),
    )
    const items = rows.map((row, i) => ({
      data: rowData(row, times.get(row.oid) ?? null),
      cursor: String(asked.from + i + 1),
    }))
    const end = asked.from + rows.length
    return {
      about: { total, isExact },
      items,
      next: rows.length === most && end < total ? String(end) : null,
    }
  },
})

const rowData = (row: TreeRow, time: string | null): object => ({
  ...listedEntry({ ...row, time }, LINE),
  level: row.level,
  folded: row.folded,
  refs: row.refs.slice(0, 8).map(({ kind, name }) => new Quoted(`${kind} ${name}`, { limit: 80 })),
  head: row.head,
  compacts: row.compacts,
  ...defined({ position: row.position }),
})
