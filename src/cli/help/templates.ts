import { ENTRIES } from '../template/entry.ts'
import { FILTERS, LOOKS } from '../template/filters.ts'
import { REFS } from '../template/ref.ts'
import { SESSIONS } from '../template/session.ts'
import { columns } from './columns.ts'

const entries = <T>(of: Readonly<Record<string, T>>, is: (one: T) => string): [string, string][] =>
  Object.entries(of).map(([name, one]) => [name, is(one)])

const takes = { count: ' N', text: ' "…"' } as const

const filters = Object.entries(FILTERS).map(([name, filter]): [string, string] => [
  name + (filter.takes ? takes[filter.takes] : ''),
  filter.does,
])

/** The help topic on templates. */
export const templates = `Templates

-T prints each item by a template or, like --format, in a named format.

Formats of entries:
${columns(entries(ENTRIES.formats, ({ is }) => is))}

A template is text with fields in braces, each followed by filters after a dot or a bar; \\n and \\t are a newline
and a tab, \\{ and \\} are braces. Each item ends with a newline.
  {oid.short} {time.ago} {role}: {text|first|cut 60}

Fields of entries:
${columns(entries(ENTRIES.fields, ({ is }) => is))}
sess show also has labels, digest, body and record.

Fields of sessions, for sess ls:
${columns(entries(SESSIONS.fields, ({ is }) => is))}

Fields of refs, for sess for-each-ref:
${columns(entries(REFS, ({ is }) => is))}

Filters:
${columns(filters)}
Styles for terminals are used like filters: ${LOOKS.join(' ')}.

Unknown values are empty.

Examples:
${columns([
  ["sess log 3b1f -T '{oid.short} {role}'", 'two fields'],
  ['sess log 3b1f -T \'{role|or "-"|pad 9} {tools|join ", "}\'', 'the tools called'],
  ["sess log 3b1f -T '{time}\\t{text.json}'", 'for another program'],
  ["sess log 3b1f -r 'role(user)' --format markdown", 'all prompts, as a document'],
])}`
