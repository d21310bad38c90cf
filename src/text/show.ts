import { isOid, type Oid, short } from '../model/encoding/oid.ts'
import type { GitState } from '../model/gitfacts.ts'
import { asString, field, isObject, items, type Json } from '../model/json.ts'
import type { PriceOf } from '../model/prices.ts'
import { inputText } from '../model/search/entrytext.ts'
import { addedCost, type CallUsage, countsSince, isCounted } from '../model/usage.ts'
import type { Block, View } from '../model/view.ts'
import type { LogEntry, Neighbour, Shown, Surroundings } from '../verbs/types.ts'
import { GRAFTED, lookOf, summaryOf } from './entry.ts'
import { subagentLines } from './subagents.ts'
import {
  costText,
  counted,
  type Display,
  firstLine,
  grouped,
  type Line,
  linesOf,
  sized,
  styled,
} from './text.ts'
import { minute } from './time.ts'
import { cut } from './width.ts'

interface ShowLook extends Display {
  /** Fold nothing. */
  readonly full: boolean
  readonly priceOf: PriceOf
}

/** Facts that only some entries have. */
type Known = Pick<
  Shown,
  | 'branches'
  | 'labels'
  | 'set'
  | 'git'
  | 'pullRequests'
  | 'continuedIn'
  | 'around'
  | 'record'
  | 'reportedCost'
>

const NOTHING_KNOWN: Known = {
  branches: [],
  labels: [],
  set: {},
  git: null,
  pullRequests: [],
  continuedIn: null,
  record: null,
  reportedCost: null,
  around: { before: null, after: null, counterparts: new Map() },
}

/** Returns an entry in full: metadata, then content. */
export function shownEntry(
  entry: LogEntry & Partial<Known>,
  { full, zone, columns, priceOf }: ShowLook,
): Line[] {
  const { oid, parents, type, role, time, session, native, grafted, view, subagents, added } = entry
  const { branches, labels, set, git, pullRequests, continuedIn, around, record, reportedCost } = {
    ...NOTHING_KNOWN,
    ...entry,
  }
  const fact = (name: string, value: string): Line => [styled('dim', name.padEnd(9)), firstLine(value)]
  const facts: Line[] = [
    [styled('dim', 'entry'.padEnd(9)), { ...styled('yellow', oid), whole: true }],
    ...(parents.length > 0 ? [fact('parent', parents.map(short).join(', '))] : []),
    ...(grafted ? [fact('graft', 'its source lacks that parent, which another session has')] : []),
    [
      styled('dim', 'role'.padEnd(9)),
      styled(lookOf(role), role ?? '-'),
      styled('dim', `  ${firstLine(type)}`),
    ],
    ...(time === null ? [] : [fact('time', minute(time, zone))]),
    ...(session === null ? [] : [fact('session', session)]),
    ...(continuedIn === null ? [] : [fact('next', continuedIn)]),
    ...(branches.length === 0 ? [] : [fact('branch', branches.join(', '))]),
    ...(labels.length === 0 ? [] : [fact('label', labels.join(', '))]),
    ...Object.entries(set).map(([key, value]) => fact('set', `${key}=${value}`)),
    ...(git === null ? [] : [fact('git', gitLine(git))]),
    ...pullRequests.map((request) => fact('pr', request)),
    ...subagentLines(subagents, { columns: columns - 9, whole: true }).map(
      (line): Line => [styled('dim', 'agent'.padEnd(9)), ...line],
    ),
    ...(native === null ? [] : [fact('native', native)]),
    ...fromLine(originIn(record)).map((from) => fact('from', from)),
    ...(view.note === undefined ? [] : [fact('note', view.note)]),
    ...settings(view).map(([name, value]) => fact(name, value)),
    ...(added ? usageFacts(added, priceOf) : []).map(([name, value]) => fact(name, value)),
    ...(reportedCost === null
      ? []
      : [fact('reported', `${costText(reportedCost, false, 4)} for the session, by its agent`)]),
  ]
  const fold = { lines: 12, columns }
  const parts = view.blocks.map((block) => withCounterpart(block, around, full, fold))
  const content = spaced([...effectLines(view), ...parts])
  const beside = [
    ...neighbourLine('before', around.before, columns),
    ...neighbourLine('after', around.after, columns),
  ]
  return spaced([facts, content, beside].filter((lines) => lines.length > 0))
}

/** Returns an entry as a line of who, when and what its model call used, with its content below. */
export function contentLines(
  entry: LogEntry,
  { full, zone, columns, priceOf, names }: ShowLook & { readonly names: ReadonlyMap<string, string> },
): Line[] {
  const { oid, type, role, time, grafted, view, subagents, added } = entry
  const refs = [names.get(oid) ?? [], grafted ? GRAFTED : []].flat().map(firstLine)
  const heading: Line = [
    styled('yellow', short(oid)),
    '  ',
    styled(lookOf(role), role ?? firstLine(type)),
    ...(time === null ? [] : [styled('dim', `  ${minute(time, zone)}`)]),
    ...(refs.length === 0 ? [] : [styled('cyan', `  (${refs.join(', ')})`)]),
    ...(added ? usageFacts(added, priceOf) : []).map(([name, value]) =>
      styled('dim', name === 'cost' ? `  ${value}` : `  ${value} tokens`),
    ),
  ]
  const settled = role === null ? settings(view).map(([name, value]) => `${name}: ${value}`) : []
  const notes = [...settled, ...(view.note === undefined ? [] : [view.note])]
  const fold = { lines: 12, columns }
  const agents = subagentLines(subagents, { columns })
  return spaced(
    [
      [heading, ...notes.map((note): Line => [styled('dim', firstLine(note))])],
      ...effectLines(view),
      ...view.blocks.map((block) => blockLines(block, full, fold)),
      agents,
    ].filter((lines) => lines.some((line) => line.length > 0)),
  )
}

/** Returns the state of a repository in a line: the branch, the commit, the repository, and the other branches. */
function gitLine({ branch, commit, repository, branches }: GitState): string {
  const others = branches.filter((name) => name !== branch)
  const parts = [branch, commit?.slice(0, COMMIT), repository].filter((part) => typeof part === 'string')
  return `${parts.join(', ')}${others.length > 0 ? ` (before: ${others.join(', ')})` : ''}`
}

/** The number of digits of a commit that are shown. */
const COMMIT = 10

/** Returns in words where an entry was brought from. */
function fromLine(origin: Origin | undefined): string[] {
  if (!origin) return []
  const { verb, oid, also, session } = origin
  const of = session === undefined ? '' : ` of session ${session}`
  return [`${[oid, ...also].map(short).join(', ')}${of}, by ${verb}`]
}

/** The number of lines shown of the counterpart of a call or a result. */
const OTHER_LINES = 6

/** Returns a block; a call with its result below it, a result with its call above it. */
function withCounterpart(block: Block, { counterparts }: Surroundings, full: boolean, fold: Fold): Line[] {
  const own = blockLines(block, full, fold)
  const other = 'id' in block ? counterparts.get(block.id) : undefined
  if (!other) return own
  const [head = [], ...rest] = blockLines(other.block, full, { ...fold, lines: OTHER_LINES })
  const lines: Line[] = [[...head, styled('dim', `  ${short(other.oid)}`)], ...rest]
  return block.kind === 'toolCall' ? [...own, ...lines] : [...lines, ...own]
}

function neighbourLine(name: string, beside: Neighbour | null, columns: number): Line[] {
  if (!beside) return []
  const { oid, role, view, type } = beside
  const who = role ?? '-'
  const words = cut(summaryOf(view, type), Math.max(16, columns - 9 - 10 - 4 - who.length))
  const look = lookOf(role)
  return [[styled('dim', name.padEnd(9)), styled('yellow', short(oid)), '  ', styled(look, who), '  ', words]]
}

/** Returns what an entry sets. */
const settings = ({ sets }: View): [string, string][] => [
  ...(sets?.model ? [['model', sets.model.id] as [string, string]] : []),
  ...(sets?.thinking === undefined ? [] : [['thinking', sets.thinking] as [string, string]]),
  ...(sets?.mode === undefined ? [] : [['mode', sets.mode] as [string, string]]),
]

/** Returns what an entry adds to its model call; a cost that no agent recorded is computed. */
function usageFacts(added: CallUsage, priceOf: PriceOf): [string, string][] {
  const isFirst = !isCounted(added.before)
  const counts = isFirst ? added.now : (countsSince(added.before, added.now) ?? {})
  const tokens = [
    ['input', counts.input],
    ['output', counts.output],
    ['cache read', counts.cacheRead],
    ['cache write', counts.cacheWrite],
  ].flatMap(([name, count]) => (typeof count === 'number' ? [`${grouped(count)} ${name}`] : []))
  if (!isFirst && !isCounted(counts)) return []
  const cost = addedCost(added, priceOf)
  const isComputed = added.now.cost === undefined
  return [
    ...(cost === undefined ? [] : [['cost', costText(cost, isComputed, 4)] as [string, string]]),
    ...(tokens.length === 0 ? [] : [['tokens', tokens.join(', ')] as [string, string]]),
  ]
}

/** Returns the content of a view in full, with empty lines between its blocks. */
export const saidLines = (view: Pick<View, 'blocks' | 'effect'>): Line[] =>
  spaced([...effectLines(view), ...view.blocks.map((block) => blockLines(block, true))])

const spaced = (parts: readonly (readonly Line[])[]): Line[] =>
  parts.flatMap((lines, i) => (i === 0 ? lines : [[], ...lines]))

/** Returns the effect of an entry, as a paragraph of its own. */
function effectLines({ effect }: Pick<View, 'effect'>): Line[][] {
  switch (effect?.kind) {
    case 'compaction':
      return [[[styled('bold', 'compaction')], ...textLines(effect.summary)]]
    case 'summary':
      return [[[styled('bold', 'summary of another path')], ...textLines(effect.text)]]
    case 'merge':
      return [
        [[styled('bold', `merges the entries of '${firstLine(effect.from)}'`)], ...textLines(effect.summary)],
      ]
    case 'edit':
      return [[[styled('bold', effect.replacement === null ? 'hides an entry' : 'replaces an entry')]]]
    case 'rollback':
      return [[[styled('bold', `takes back ${effect.turns} turns`)]]]
    case undefined:
      return []
  }
}

/** An empty line, shared: a text may have millions of them. */
const EMPTY: Line = []

/** Returns the lines of a text. */
export const linesIn = (text: string): Line[] => linesOf(text).map((line) => (line === '' ? EMPTY : [line]))

const textLines = (text = ''): Line[] => (text === '' ? [] : linesIn(text))

/** How much of tool calls and results is shown unless all is asked for. */
export interface Fold {
  readonly lines: number
  readonly columns: number
}

const FOLD: Fold = { lines: 12, columns: 160 }

/** Returns a block as lines; with `full`, nothing is folded. */
export function blockLines(block: Block, full: boolean, fold = FOLD): Line[] {
  switch (block.kind) {
    case 'text':
      return linesIn(block.text)
    case 'thinking':
      return full
        ? [[styled('dim', 'thinking')], ...indented(block.text, true)]
        : [[styled('dim', `thinking, ${counted(block.text.length, 'character')} (--full shows it)`)]]
    case 'toolCall':
      return [
        [styled('magenta', `→ ${firstLine(block.name)}`)],
        ...indented(inputText(block.input), full, fold),
      ]
    case 'toolResult': {
      const { name, error, text } = block
      const from = name === undefined ? '' : ` of ${firstLine(name)}`
      const head = error ? styled('red', `✗ error${from}`) : styled('magenta', `← result${from}`)
      return [[head], ...indented(text, full, fold)]
    }
    case 'image':
      return [[styled('magenta', `image ${firstLine(block.mediaType)}, ${heldOf(block)}`)]]
  }
}

/** A description of an image: its size, or the hash of missing bytes. */
const heldOf = ({ bytes, blob }: Block & { readonly kind: 'image' }): string =>
  blob === undefined ? sized(bytes) : `missing: blob:sha256:${blob}`

function indented(text: string, full: boolean, fold = FOLD): Line[] {
  if (text === '') return []
  const lines = linesOf(text.replace(/\r?\n$/, ''))
  const shown = full ? lines : lines.slice(0, fold.lines)
  const left = lines.length - shown.length
  return [
    ...shown.map((line): Line => (line === '' ? EMPTY : [`  ${full ? line : cut(line, fold.columns - 2)}`])),
    ...(left > 0 ? [[styled('dim', `  … ${counted(left, 'more line')} (--full shows them)`)]] : []),
  ]
}

/** The origin of an entry that was copied from another path, as its record names it. */
interface Origin {
  /** The command that brought it. */
  readonly verb: string
  readonly oid: Oid
  /** Of several that became one: the others. */
  readonly also: readonly Oid[]
  /** The session that it was named through. */
  readonly session: string | undefined
}

/** Returns the origin that the record of a native append names; undefined if it names none. */
export function originIn(record: Json | null): Origin | undefined {
  const origin = field(record ?? undefined, 'origin')
  const [verb, oid] = [asString(field(origin, 'verb')), asString(field(origin, 'oid'))]
  if (!isObject(origin) || verb === undefined || oid === undefined || !isOid(oid)) return undefined
  const also = items(field(origin, 'also')).flatMap((item) => {
    const other = asString(item)
    return other !== undefined && isOid(other) ? [other] : []
  })
  return { verb, oid, also, session: asString(field(origin, 'session')) }
}
