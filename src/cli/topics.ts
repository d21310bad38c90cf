import type { ErrorKind } from '../model/errors.ts'
import { listedInColumns } from '../text/text.ts'
import type { CommandTable } from './define.ts'
import { EXIT, EXIT_MEANINGS } from './exitcodes.ts'

const exitCodes = `Exit codes

     0  success; also if the reader of the output went away
${Object.entries(EXIT)
  .map(([kind, code]) => `${String(code).padStart(6)}  ${kind}: ${EXIT_MEANINGS[kind as ErrorKind]}`)
  .join('\n')}

With --json, an error is the last line of standard error:
  {"error":{"code","kind","message","hint","retryable"}}
Codes never change; messages may.`

const revisions = `Revisions

A revision names an entry. It is resolved in this order:
  SESSION            the exact id of a session: its current entry
  @, HEAD            the current session: $SESS_SESSION, the one that 'sess switch'
                     chose for this folder, or the newest of the folder
  SESSION/BRANCH     a branch or a label of a session
  BRANCH             a branch or a label of the current session
  TITLE              the exact title of a session
  SESSION:ID         an entry, by the id that its agent gave it
  OID                the oid of an entry, or its first 4 or more digits
  PREFIX             the first characters of a session's id

Any of these may follow:
  ~N                 its Nth ancestor along first parents
  ^N                 its Nth parent
  @{N}               the value of the branch N moves ago
  @{TIME}            its value at a time: @{yesterday}, @{2h}, @{2026-04-01}

Ranges, for sess log:
  A..B               entries of B that A lacks
  A...B              entries that only one of the two has

Revsets select entries by expressions: see sess help revsets.`

const environment = `Environment

The store is the first of:
  --store DIR         an option, not a variable
  SESS_STORE          its folder
                      the nearest .sess upward of this folder
  XDG_DATA_HOME       its folder sess
  HOME                its folder .local/share/sess
  SUDO_UID            root acts as this user in a store of that user

The current session of a folder is that of sess switch, unless it is named:
  SESS_SESSION        the current session, in every folder

Settings (see sess config):
  XDG_CONFIG_HOME     they are in its folder sess
  HOME                else in its folder .config/sess
  SESS_PAGER          the pager, or off; overrides settings
  PAGER               the pager, unless a setting names one
  LESS                options of less (FRXK)
  VISUAL              the editor of sess edit
  EDITOR              the editor, unless VISUAL is set; vi or nano if neither is
  BROWSER             the browser of sess serve --open, unless it is the usual one
  NO_COLOR            no colours, whatever it is set to
  CLICOLOR_FORCE      colours, also where the output is no terminal
  NO_UNICODE          graphs of ASCII characters alone, whatever it is set to

What is printed:
  TERM                dumb: no colours, no pager, graphs of ASCII characters alone
  LC_ALL              where it names other characters than UTF-8, graphs are of ASCII characters alone
  LC_CTYPE            the same where LC_ALL is empty
  LANG                the same where both are empty
  COLUMNS             the width of lines if the output is no terminal; 100 unless set
  SESS_DEBUG          where sess itself fails, print where in its source`

async function json({ commands }: CommandTable): Promise<string> {
  const outputs = await Promise.all(
    commands.map(async (one): Promise<[string, string]> => [one.name, (await one.load()).output.is]),
  )
  const { ERROR } = await import('./outputschemas.ts')
  return `JSON

With --json a command prints one JSON object, or for lists one a line, on standard output. An error is the
last line of standard error. sess help json COMMAND prints the JSON Schema (draft 2020-12) of each object; a
property that it does not name is never printed, one that it requires always is. New versions may add
properties.

${listedInColumns([...outputs, ['error', ERROR.is]])}`
}

const colors = `Colours

  yellow             an oid, the unique prefix of it; a compaction
  green              the user; the current branch; what is added
  blue               the assistant
  magenta            a tool, its calls and results; a label
  cyan               the system; a branch; a hint
  red                what failed; what is removed
  bold               the current entry; a title
  dim                times, lines of a graph, omissions

Colours carry no information that words or signs do not carry too. sess config color turns them on or
off; NO_COLOR turns them off.`

async function revsets(): Promise<string> {
  const { FUNCTIONS, isFunction, usageOf } = await import('../model/revset/functions.ts')
  const functions = Object.entries(FUNCTIONS).flatMap(([name, { gives }]): [string, string][] =>
    isFunction(name) ? [[usageOf(name), gives]] : [],
  )
  return `Revsets

A revset is an expression that selects entries. sess log evaluates it on all branches of the session; with
--everywhere, on all sessions.

A revision (sess help revisions) selects one entry; quote names with special characters. Operators, the strongest
first:
${listedInColumns([
  ['~x', 'all entries but x'],
  ['x..y, x...y', 'ancestors of y but not of x; ancestors of only one of the two'],
  ['x & y, x ~ y', 'entries in both; entries in x but not in y'],
  ['x | y', 'entries in either'],
])}
A ~ directly after a revision, alone or before digits, selects an ancestor: main~2.

Functions:
${listedInColumns(functions)}

cost and tokens of entries are compared with numbers: cost>0.10, tokens >= 10000. A cost is in US dollars, recorded or
computed by list prices; entries without usage are on neither side.

Patterns are names with * for any characters and ? for one character; case does not matter. A regular expression can
replace a pattern or a text: text(re:"time ?out"). Times have forms like 30m, 12h, 3d, 2w, yesterday, 2026-04-01 or
"2026-04-01 12:00".

Examples:
${listedInColumns([
  ["sess log -r 'role(user)' -n 5", 'the last five prompts of the latest session'],
  ["sess log 3b1f -r 'tool(edit*) & failed()'", 'failed edits'],
  ["sess log 3b1f -r 'heads() ~ branches(main)'", 'the tips of the other branches'],
  ["sess log -r 'ancestors(forks()) & role(user)'", 'the prompts before the forks'],
  [
    'sess log --everywhere -r \'text("tide gauge") & since(2w)\'',
    'entries with a text in the last two weeks',
  ],
  ["sess log 3b1f -r 'cost>0.10' -T '{oid.short} {cost}'", 'expensive answers'],
  ["sess log -r '3b1f..c7d0 & ~role(tool)'", 'the own entries of a fork, without tool results'],
])}`
}

async function templates(): Promise<string> {
  const [{ ENTRIES }, { FILTERS, LOOKS }, { REFS }, { SESSIONS }] = await Promise.all([
    import('./template/entries.ts'),
    import('./template/filters.ts'),
    import('./template/refs.ts'),
    import('./template/sessions.ts'),
  ])
  const entries = <T>(of: Readonly<Record<string, T>>, is: (one: T) => string): [string, string][] =>
    Object.entries(of).map(([name, one]) => [name, is(one)])
  const takes = { count: ' N', text: ' "…"' } as const
  const filters = Object.entries(FILTERS).map(([name, filter]): [string, string] => [
    name + (filter.takes ? takes[filter.takes] : ''),
    filter.does,
  ])
  return `Templates

-T prints each item by a template or, like --format, in a named format.

Formats of entries:
${listedInColumns(entries(ENTRIES.formats, ({ is }) => is))}

A template is text with fields in braces, each followed by filters after a dot or a bar; \\n and \\t are a newline
and a tab, \\{ and \\} are braces. Each item ends with a newline.
  {oid.short} {time.ago} {role}: {text|first|cut 60}

Fields of entries:
${listedInColumns(entries(ENTRIES.fields, ({ is }) => is))}
sess show also has labels, digest, body and record.

Fields of sessions, for sess ls:
${listedInColumns(entries(SESSIONS.fields, ({ is }) => is))}

Fields of refs, for sess for-each-ref:
${listedInColumns(entries(REFS, ({ is }) => is))}

Filters:
${listedInColumns(filters)}
Styles for terminals are used like filters: ${LOOKS.join(' ')}.

Unknown values are empty.

Examples:
${listedInColumns([
  ["sess log 3b1f -T '{oid.short} {role}'", 'two fields'],
  ['sess log 3b1f -T \'{role|or "-"|pad 9} {tools|join ", "}\'', 'the tools called'],
  ["sess log 3b1f -T '{time}\\t{text.json}'", 'for another program'],
  ["sess log 3b1f -r 'role(user)' --format markdown", 'all prompts, as a document'],
])}`
}

const plumbing = ({ commands }: CommandTable): Promise<string> =>
  Promise.resolve(`Plumbing: the commands for scripts

Lines, their order and separators never change. Data is on standard output, all else on standard error; nothing
asks, pages or colours.

${listedInColumns(commands.filter(({ group }) => group === 'scripts').map(({ name, summary }) => [name, summary]))}

sess help COMMAND tells more of each; the other commands have --json for programs: see sess help json.`)

interface Topic {
  readonly name: string
  readonly does: string
  readonly text: string | ((program: CommandTable) => Promise<string>)
}

/** The topics of `sess help` that are not commands. */
export const TOPICS: readonly Topic[] = [
  { name: 'revisions', does: 'how to name sessions and entries', text: revisions },
  { name: 'revsets', does: 'how to say which entries are meant, for sess log -r', text: revsets },
  { name: 'templates', does: 'how to say what is shown of entries, for sess log -T', text: templates },
  { name: 'json', does: 'what commands print for programs, and its JSON Schemas', text: json },
  { name: 'plumbing', does: 'the commands for scripts', text: plumbing },
  { name: 'exit-codes', does: 'what the exit code of a command says', text: exitCodes },
  { name: 'colors', does: 'what colours mean', text: colors },
  { name: 'environment', does: 'the variables that sess looks at', text: environment },
]

/** Returns the topics as help lists them. */
export function topicList(): string {
  return `Topics, for sess help TOPIC:\n${listedInColumns(TOPICS.map(({ name, does }) => [name, does]))}`
}
