import { EXIT, type Kind } from '../model/errors.ts'

const MEANS: Readonly<Record<Kind, string>> = {
  user: 'an error in your data or names: an unknown name, a bad line, a missing path',
  usage: 'wrong usage: an unknown command, option or argument',
  conflict: 'something changed meanwhile: check it, then repeat the command',
  busy: 'the store is in use: repeat the command, or wait longer with --lock-timeout',
  corrupt: "the store is damaged: type 'sess fsck' to see the damage",
  bug: 'an internal error of sess: report it with the command that you typed',
  stopped: 'stopped by Ctrl-C; 143 if another process ended it',
}

const exitCodes = `Exit codes

     0  success; also if the reader of the output went away
${Object.entries(EXIT)
  .map(([kind, code]) => `${String(code).padStart(6)}  ${kind}: ${MEANS[kind as Kind]}`)
  .join('\n')}

With --json, an error is the last line of standard error:
  {"error":{"code","kind","message","hint","retryable"}}
Codes never change; messages may.`

const revisions = `Revisions

A revision names an entry. It is resolved in this order:
  SESSION            the exact id of a session: its current entry
  SESSION/BRANCH     a branch or a label of a session
  TITLE              the exact title of a session
  SESSION:ID         an entry, by the id that its agent gave it
  OID                the oid of an entry, or its first 4 or more digits
  PREFIX             the first characters of a session's id
  @                  the latest session of this folder

Any of these may follow:
  ~N                 its Nth ancestor along first parents
  ^N                 its Nth parent
  @{N}               the value of the branch N moves ago

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

Settings (see sess config):
  XDG_CONFIG_HOME     they are in its folder sess
  HOME                else in its folder .config/sess
  SESS_PAGER          the pager, or off; overrides settings
  PAGER               the pager, unless a setting names one
  LESS                options of less (FRX)
  VISUAL              the editor of sess edit
  EDITOR              the editor, unless VISUAL is set
  NO_COLOR            no colours, whatever it is set to
  CLICOLOR_FORCE      colours, also where the output is no terminal
  NO_UNICODE          graphs of ASCII characters alone, whatever it is set to

What is printed:
  TERM                dumb: no colours, no pager, graphs of ASCII characters alone
  LC_ALL              where it names other characters than UTF-8, graphs are of ASCII characters alone
  LC_CTYPE            the same where LC_ALL is empty
  LANG                the same where both are empty
  COLUMNS             the width of lines where no terminal tells one; 100 unless set
  SESS_DEBUG          where sess itself fails, print where in its source`

const json = async (): Promise<string> => `JSON

With --json a command prints one JSON object, or for lists one a line, on standard output. An error is the
last line of standard error. sess help json COMMAND prints the JSON Schema (draft 2020-12) of each object; a
property that it does not name is never printed, one that it requires always is. New versions may add
properties.

${(await import('./schema/outputs.ts')).outputList()}`

const colors = `Colours

  yellow             an oid, the part of it that names the entry alone; a compaction
  green              the user; the branch that a session stands on; what is added
  blue               the assistant
  magenta            a tool, its calls and results; a label
  cyan               the system; a branch; a hint
  red                what failed; what is removed
  bold               where the session stands; a title
  dim                what is there for order alone: times, lines of a graph, what is left out

Colours say nothing that words or signs do not say too. sess config color turns them on or off; NO_COLOR
turns them off.`

const revsets = async (): Promise<string> => (await import('./help/revsets.ts')).revsets

const templates = async (): Promise<string> => (await import('./help/templates.ts')).templates

interface Topic {
  readonly name: string
  readonly does: string
  readonly text: string | (() => Promise<string>)
}

/** The topics of `sess help` that are not commands. */
export const TOPICS: readonly Topic[] = [
  { name: 'revisions', does: 'how to name sessions and entries', text: revisions },
  { name: 'revsets', does: 'how to say which entries are meant, for sess log -r', text: revsets },
  { name: 'templates', does: 'how to say what is shown of entries, for sess log -T', text: templates },
  { name: 'json', does: 'what commands print for programs, and its JSON Schemas', text: json },
  { name: 'exit-codes', does: 'what the exit code of a command says', text: exitCodes },
  { name: 'colors', does: 'what colours mean', text: colors },
  { name: 'environment', does: 'the variables that sess looks at', text: environment },
]

/** Returns the topics as help lists them. */
export function topicList(): string {
  const width = Math.max(...TOPICS.map(({ name }) => name.length))
  const lines = TOPICS.map(({ name, does }) => `  ${name.padEnd(width)}  ${does}`)
  return `Topics, for sess help TOPIC:\n${lines.join('\n')}`
}
