import type { Listed } from './listed.ts'

/** What a list says of a session in plain values: times in milliseconds since 1970, of oids by names the names alone. */
export interface Cells extends Pick<Listed, PlainKey> {
  /** The prompt in two parts: tables show little of it. */
  readonly opening: string | null
  readonly remainder: string | null
  readonly branches: readonly string[]
  readonly labels: readonly string[]
  readonly agents: readonly string[]
  /** All tokens together; what they were is beside them. */
  readonly tokens: number | null
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly created: number | null
  readonly updated: number | null
}

type PlainKey =
  | 'id'
  | 'format'
  | 'title'
  | 'cwd'
  | 'entries'
  | 'records'
  | 'prompts'
  | 'calls'
  | 'cost'
  | 'model'
  | 'set'
  | 'head'
  | 'parent'
  | 'source'

export type CellKey = keyof Cells

/** Sessions as lists say them, in the order of their ids but for those that moved lately: what nobody asks for is not made. */
export interface ListTable {
  readonly count: number
  /** Gives what all of them have under a key. */
  column<K extends CellKey>(key: K): readonly Cells[K][]
  row(index: number): Listed
}

/** An opening has so many UTF-16 units where a prompt has as many. */
const OPENING = 64

const time = (text: string | null): number | null => (text === null ? null : Date.parse(text))

/** How each cell is told from what a list says of a session. */
export const CELLS: { readonly [K in CellKey]: (row: Listed) => Cells[K] } = {
  id: ({ id }) => id,
  format: ({ format }) => format,
  title: ({ title }) => title,
  opening: ({ prompt }) => prompt && prompt.slice(0, OPENING),
  remainder: ({ prompt }) => prompt && prompt.slice(OPENING),
  cwd: ({ cwd }) => cwd,
  entries: ({ entries }) => entries,
  records: ({ records }) => records,
  prompts: ({ prompts }) => prompts,
  calls: ({ calls }) => calls,
  tokens: ({ tokens }) => tokens && tokens.total,
  input: ({ tokens }) => tokens && tokens.input,
  output: ({ tokens }) => tokens && tokens.output,
  cacheRead: ({ tokens }) => tokens && tokens.cacheRead,
  cacheWrite: ({ tokens }) => tokens && tokens.cacheWrite,
  cost: ({ cost }) => cost,
  model: ({ model }) => model,
  branches: ({ branches }) => Object.keys(branches),
  labels: ({ labels }) => Object.keys(labels),
  set: ({ set }) => set,
  head: ({ head }) => head,
  parent: ({ parent }) => parent,
  agents: ({ agents }) => Object.keys(agents),
  created: ({ created }) => time(created),
  updated: ({ updated }) => time(updated),
  source: ({ source }) => source,
}

/** Gives rows as a table. */
export const tableOf = (rows: readonly Listed[]): ListTable => ({
  count: rows.length,
  column: (key) => rows.map(CELLS[key]),
  row: (index) => rows[index] as Listed,
})

/** Gives all rows of a table. */
export const rowsOf = (table: ListTable): Listed[] =>
  Array.from({ length: table.count }, (_, i) => table.row(i))

/** Gives a table without some sessions, and with rows behind all others. */
export function replaced(table: ListTable, without: ReadonlySet<string>, rows: readonly Listed[]): ListTable {
  const left: number[] = []
  for (const [i, id] of table.column('id').entries()) if (!without.has(id)) left.push(i)
  return {
    count: left.length + rows.length,
    column(key) {
      const cells = table.column(key)
      return [...left.map((i) => cells[i] as (typeof cells)[number]), ...rows.map(CELLS[key])]
    },
    row: (index) => rows[index - left.length] ?? table.row(left[index] as number),
  }
}
