import { FILTERS } from '../model/graphfilter.ts'
import { defined } from '../model/json.ts'
import { tree as drawn, forest } from '../ops/tree.ts'
import { type DrawingPart, drawnOutput, entriesIn } from './drawing.ts'
import { flag, type InputOf, optional } from './input.ts'
import type { VerbContext } from './open.ts'
import { choice, count, folder, session } from './values.ts'
import { list } from './verb.ts'

const input = {
  session: optional(session(), 'its id, title, or a prefix of its id (@)'),
  filter: optional(choice(FILTERS, 'what'), 'what to draw besides forks and refs'),
  limit: optional(count(), 'draw at most N entries'),
  all: flag('draw all sessions of this folder', { excludes: ['session'] }),
  cwd: optional(folder(), 'draw the sessions of another folder', { excludes: ['session'] }),
  everywhere: flag('draw the sessions of all folders', { excludes: ['session'] }),
}

export const treeGraph = list({
  name: 'tree-graph',
  summary: 'draw sessions as trees',
  input,
  item: drawnOutput,
  cursor: ({ oid }) => oid,
  items: (context, asked) => entriesIn(treeDrawing(context, asked)),
})

/** Draws the same trees, each with its heading; with `digits` also how many digits make each oid unique. */
export function treeDrawing(
  { repo }: VerbContext,
  { session: name = '@', filter, all, cwd, everywhere }: Omit<InputOf<typeof input>, 'limit'>,
  digits = false,
): AsyncIterable<DrawingPart> {
  const how = { ...defined({ filter }), digits }
  if (!all && !everywhere && cwd === undefined) return drawn(repo, name, how)
  return forest(repo, { ...how, cwd: everywhere ? null : (cwd ?? repo.env.cwd) })
}
