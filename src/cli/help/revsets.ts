import { FUNCTIONS, isFunction, usageOf } from '../../model/revset/functions.ts'
import { columns } from './columns.ts'

const functions = Object.entries(FUNCTIONS).flatMap(([name, { gives }]): [string, string][] =>
  isFunction(name) ? [[usageOf(name), gives]] : [],
)

/** The help topic on revsets. */
export const revsets = `Revsets

A revset is an expression that selects entries. sess log evaluates it on all branches of the session; with
--everywhere, on all sessions.

A revision (sess help revisions) selects one entry; quote names with special characters. Operators, the strongest
first:
${columns([
  ['~x', 'all entries but x'],
  ['x..y, x...y', 'ancestors of y but not of x; ancestors of only one of the two'],
  ['x & y, x ~ y', 'entries in both; entries in x but not in y'],
  ['x | y', 'entries in either'],
])}
A ~ directly after a revision, alone or before digits, selects an ancestor: main~2.

Functions:
${columns(functions)}

Patterns are names with * for any characters and ? for one character; case does not matter. A regular expression can
replace a pattern or a text: text(re:"time ?out"). Times have forms like 30m, 12h, 3d, 2w, yesterday, 2026-04-01 or
"2026-04-01 12:00".

Examples:
${columns([
  ["sess log -r 'role(user)' -n 5", 'the last five prompts of the latest session'],
  ["sess log 3b1f -r 'tool(edit*) & failed()'", 'failed edits'],
  ["sess log 3b1f -r 'heads() ~ branches(main)'", 'the tips of the other branches'],
  ["sess log -r 'ancestors(forks()) & role(user)'", 'the prompts before the forks'],
  [
    'sess log --everywhere -r \'text("tide gauge") & since(2w)\'',
    'entries with a text in the last two weeks',
  ],
  ["sess log -r '3b1f..c7d0 & ~role(tool)'", 'the own entries of a fork, without tool results'],
])}`
