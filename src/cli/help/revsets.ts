import { FUNCTIONS, isFunction, usageOf } from '../../model/revset/functions.ts'
import { columns } from './columns.ts'

const functions = Object.entries(FUNCTIONS).flatMap(([name, { gives }]): [string, string][] =>
  isFunction(name) ? [[usageOf(name), gives]] : [],
)

/** Tells the language of expressions. */
export const revsets = `Revsets

An expression says which entries are meant. In sess log it looks at the session that is named, all its
branches; --everywhere at all sessions.

A revision (sess help revisions) is that one entry; names with odd characters stand in quotes. From what binds
most tightly to what binds least:
${columns([
  ['~x', 'all but x'],
  ['x..y, x...y', 'what y continues and x does not; what only one of the two continues'],
  ['x & y, x ~ y', 'what is in both; what is in x and not in y'],
  ['x | y', 'what is in either'],
])}
A ~ directly behind a revision, with nothing or digits behind it, goes up the path: main~2.

Functions:
${columns(functions)}

Patterns are names, with * for any characters and ? for one, in upper or lower case. In place of a pattern or a
text a regular expression can stand: text(re:"time ?out"). Times are such as 30m, 12h, 3d, 2w, yesterday,
2026-04-01 or "2026-04-01 12:00".

Examples:
${columns([
  ["sess log -r 'role(user)' -n 5", 'the last five prompts of the latest session here'],
  ["sess log 3b1f -r 'tool(edit*) & failed()'", 'edits that went wrong'],
  ["sess log 3b1f -r 'heads() ~ branches(main)'", 'where the other branches end'],
  ["sess log -r 'ancestors(forks()) & role(user)'", 'the prompts before the paths part'],
  ['sess log --everywhere -r \'text("tide gauge") & since(2w)\'', 'who spoke of it in the last two weeks'],
  ["sess log -r '3b1f..c7d0 & ~role(tool)'", 'what a fork has of its own, without results of tools'],
])}`
