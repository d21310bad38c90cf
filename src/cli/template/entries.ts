import { callsOf, tokensOf } from '../../model/tokens.ts'
import { addedCost, addedTokens } from '../../model/usage.ts'
import type { View } from '../../model/view.ts'
import { entryLine, summaryOf } from '../../text/entry.ts'
import { contentLines, linesIn, saidLines, shownEntry } from '../../text/show.ts'
import { subagentLines } from '../../text/subagents.ts'
import { firstLine, type Line } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { type HasCursor, withCursor } from '../../verbs/page.ts'
import { shownData } from '../../verbs/show.ts'
import type { LogEntry, Shown } from '../../verbs/types.ts'
import { entryData } from '../../verbs/wire.ts'
import type { ItemFormat, ItemFormats, Setup, TemplateFields } from './fields.ts'
import type { Showing } from './printer.ts'

const toolsOf = ({ blocks }: View): string[] =>
  blocks.flatMap((block) => (block.kind === 'toolCall' ? [block.name] : []))

const FIELDS: TemplateFields<LogEntry> = {
  oid: { kind: 'oid', is: 'its oid', of: ({ oid }) => oid },
  parents: { kind: 'oids', is: 'its parents', of: ({ parents }) => parents },
  type: { kind: 'text', is: 'dialect and kind, such as claude/assistant', of: ({ type }) => type },
  role: { kind: 'text', is: 'user, assistant, tool or system', of: ({ role }) => role },
  time: { kind: 'time', is: 'its time, ISO 8601 in UTC', of: ({ time }) => time },
  text: { kind: 'text', is: 'its text', of: ({ text }) => text },
  summary: {
    kind: 'text',
    is: 'its content in one line',
    of: ({ view, type }) => summaryOf(view, type),
  },
  session: { kind: 'text', is: 'the id of its session', of: ({ session }) => session },
  native: { kind: 'text', is: 'the id that its agent gave it', of: ({ native }) => native },
  names: {
    kind: 'text',
    is: 'its branches and labels, the current branch with a star',
    of: ({ oid }, { names }) => names.get(oid) ?? null,
  },
  tools: { kind: 'texts', is: 'the tools that it calls', of: ({ view }) => toolsOf(view) },
  calls: { kind: 'number', is: 'the number of tools that it calls', of: ({ view }) => callsOf(view) },
  agents: {
    kind: 'texts',
    is: 'the sub-agents that it started, by the ids of their sessions',
    of: ({ subagents = [] }) => subagents.map(({ id }) => id),
  },
  estimated: { kind: 'number', is: 'its estimated length in tokens', of: ({ view }) => tokensOf(view) },
  tokens: {
    kind: 'number',
    is: 'the tokens of its model call, each call counted once',
    isUsage: true,
    of: ({ added }) => (added && addedTokens(added)) ?? null,
  },
  cost: {
    kind: 'number',
    is: 'their cost in US dollars, recorded or computed by list prices',
    isUsage: true,
    of: ({ added }, { priceOf }) => (added && addedCost(added, priceOf)) ?? null,
  },
  model: { kind: 'text', is: 'its model', of: ({ view }) => view.sets?.model?.id ?? null },
  all: {
    kind: 'other',
    is: 'everything that --json prints',
    of: (entry: LogEntry & HasCursor) => ({ ...withCursor(entryData(entry), entry) }),
  },
}

/** Returns the sub-agents that an entry started, below its time. */
const belowEntry = ({ subagents }: LogEntry, { columns }: Setup): Line[] =>
  subagentLines(subagents, { columns: columns - INDENT.length }).map((line) => [INDENT, ...line])

const INDENT = ' '.repeat(12)

/** Shows an entry and all that is known of it; without `full`, long results are folded. */
const fullFormat = (full: boolean): ItemFormat<LogEntry> => ({
  is: 'all metadata and the whole content',
  usesUsage: true,
  apart: true,
  lines: (entry, setup) => shownEntry(entry, { ...setup, full }),
})

/** Shows an entry as people read it; without `full`, long results are folded. */
const contentFormat = (full: boolean): ItemFormat<LogEntry> => ({
  is: 'who, when and what it used in a line, and the content',
  usesUsage: true,
  apart: true,
  lines: (entry, setup) => contentLines(entry, { ...setup, full }),
})

const FORMATS: ItemFormats<LogEntry & HasCursor> = {
  oneline: {
    is: 'oid, time, role, branches and summary, cut to the width of the terminal',
    lines: (entry, setup) => [entryLine(entry, setup), ...belowEntry(entry, setup)],
  },
  content: contentFormat(true),
  full: fullFormat(true),
  markdown: {
    is: 'a heading and the content',
    apart: true,
    lines: markdown,
  },
  oid: { is: 'only its oid', lines: ({ oid }) => [[oid]] },
  json: { is: 'what --json prints', data: (entry) => withCursor(entryData(entry), entry) },
}

/** How entries can be shown. */
export const ENTRIES: Showing<LogEntry & HasCursor> = { fields: FIELDS, formats: FORMATS }

/** How the entries of a whole path can be shown; `full`: nothing is folded. */
export const entriesOfPath = (full: boolean): Showing<LogEntry> => ({
  fields: FIELDS,
  formats: { ...FORMATS, content: contentFormat(full), full: fullFormat(full) },
})

/** How entries can be shown of which all is known; `full`: nothing is folded in the usual format. */
export const shownEntries = (full: boolean): Showing<Shown> => ({
  fields: {
    ...FIELDS,
    labels: { kind: 'texts', is: 'its labels', of: ({ labels }) => labels },
    digest: { kind: 'text', is: 'the digest of its body', of: ({ digest }) => digest },
    body: { kind: 'other', is: 'its body', of: ({ body }) => body },
    record: { kind: 'other', is: 'the record of its source', of: ({ record }) => record },
    all: { kind: 'other', is: 'everything that --json prints', of: (shown) => ({ ...shownData(shown) }) },
  },
  formats: {
    ...FORMATS,
    full: fullFormat(full),
    json: { is: 'what --json prints', data: shownData },
  },
})

function markdown({ role, time, type, view }: LogEntry, { zone }: Setup): Line[] {
  const heading = [role ?? firstLine(type), ...(time === null ? [] : [minute(time, zone)])].join(', ')
  const body = view.blocks.flatMap((block): Line[] => {
    if (block.kind === 'text') return [[], ...linesIn(block.text)]
    return [[], ...fenced(saidLines({ blocks: [block] }))]
  })
  const { blocks, effect } = view
  const other = blocks.length === 0 && effect ? saidLines(view) : []
  return [[`## ${heading}`], ...body, ...(other.length > 0 ? [[], ...other] : [])]
}

/** A fence is longer than any within it. */
function fenced(lines: readonly Line[]): Line[] {
  const longest = lines.reduce((most, line) => {
    const text = line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')
    return Math.max(most, /^\s*(`+)/.exec(text)?.[1]?.length ?? 0)
  }, 2)
  const fence = '`'.repeat(longest + 1)
  return [[fence], ...lines, [fence]]
}
