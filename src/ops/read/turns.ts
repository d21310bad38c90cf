import type { Oid } from '../../model/encoding/oid.ts'
import { cut } from '../../model/markdown.ts'
import type { PriceOf } from '../../model/prices.ts'
import { writtenByUser } from '../../model/prompt.ts'
import { firstResultLine } from '../../model/resultline.ts'
import type { Answer, Mark, Speaker, ToolPart, Turn, TurnPart } from '../../model/turn.ts'
import { priceSums, UsageSums } from '../../model/usage.ts'
import { type Block, type Effect, summaryIn, type View } from '../../model/view.ts'
import type { LogEntry } from '../entries.ts'
import { Exchanges } from './exchanges.ts'

/** How much is read of turns. */
export interface TurnOptions {
  /** Whole results of tools. */
  readonly whole?: boolean
  /** Settings, notes and usage too. */
  readonly meta?: boolean
  readonly priceOf?: PriceOf
}

/** The entries before and after those that are read: calls and results are matched across them. */
interface Surrounding {
  readonly before: readonly LogEntry[]
  readonly after: readonly LogEntry[]
}

/** A turn with the place of its first entry among those that are read. */
export interface PlacedTurn {
  readonly place: number
  readonly turn: Turn
}

/** Returns the turns of entries that follow one another on a path. Those that say nothing are left out. */
export function turnsOf(
  entries: readonly LogEntry[],
  { before, after }: Surrounding,
  options: TurnOptions,
): PlacedTurn[] {
  const exchanges = new Exchanges([...before, ...entries, ...after])
  const former = lastSpeaker(before, exchanges)
  const turns: OpenTurn[] = []
  for (const [place, entry] of entries.entries()) {
    const parts = partsOf(entry, exchanges, { ...options, former: entries[place - 1] ?? before.at(-1) })
    if (parts.length === 0 && !entry.added) continue
    const speaker = speakerOf(entry, parts)
    const last = turns.at(-1)
    if (last && !begins(speaker, last.who)) {
      last.entries.push(entry)
      last.parts.push(...parts)
    } else {
      const continues = !last && former !== undefined && !begins(speaker, former)
      const who = continues ? former : speaker === undefined ? 'system' : speaker
      turns.push({ place, who, continues, entries: [entry], parts })
    }
  }
  return turns.flatMap((open) =>
    open.parts.length === 0 ? [] : [{ place: open.place, turn: turnOf(open, options) }],
  )
}

interface OpenTurn extends Pick<Turn, 'who' | 'continues'> {
  readonly place: number
  readonly entries: LogEntry[]
  readonly parts: TurnPart[]
}

function turnOf({ who, continues, entries, parts }: OpenTurn, { meta = false, priceOf }: TurnOptions): Turn {
  const [first] = entries as [LogEntry, ...LogEntry[]]
  const sums = new UsageSums()
  for (const { added } of entries) if (added) sums.add(added)
  const models = who === 'assistant' ? entries.flatMap(({ view }) => view.sets?.model?.id ?? []) : []
  return {
    session: first.session,
    oid: first.oid,
    who,
    continues,
    time: entries.find(({ time }) => time !== null)?.time ?? null,
    model: models.at(-1) ?? null,
    parts,
    ...(meta && entries.some(({ added }) => added) && { usage: priceSums(sums.value, priceOf) }),
  }
}

/** Returns whether a speaker begins a turn after another one; undefined goes on with any turn, a user begins one with each message. */
const begins = (speaker: Speaker | undefined, former: Speaker): boolean =>
  speaker !== undefined && (speaker !== former || speaker === 'user')

const SAID: ReadonlySet<TurnPart['kind']> = new Set(['text', 'image', 'thinking'])

/** Returns who speaks in an entry with some parts; undefined where these can be parts of any turn. */
function speakerOf({ role }: LogEntry, parts: readonly TurnPart[]): Speaker | undefined {
  if (parts.some(({ kind }) => SAID.has(kind))) return role === 'user' ? 'user' : 'assistant'
  if (parts.some(({ kind }) => kind === 'tool')) return 'assistant'
  return parts.some((part) => part.kind === 'mark' && part.does !== 'setting') ? null : undefined
}

/** Returns who speaks last in some entries; undefined where nobody does. */
function lastSpeaker(entries: readonly LogEntry[], exchanges: Exchanges): Speaker | undefined {
  for (const entry of entries.toReversed()) {
    const speaker = speakerOf(entry, partsOf(entry, exchanges, {}))
    if (speaker !== undefined) return speaker
  }
  return undefined
}

/** How parts are made of an entry: after another one. */
interface PartOptions extends TurnOptions {
  readonly former?: LogEntry | undefined
}

/** Returns the parts of an entry. The results of calls are parts of these, a summary in the next entry is one of a compaction. */
function partsOf(
  entry: LogEntry,
  exchanges: Exchanges,
  { whole = false, meta, former }: PartOptions,
): TurnPart[] {
  const { oid, view } = entry
  const alone = exchanges.agentsWithoutCall(entry)
  if (holdsSummary(view, former)) return [{ kind: 'aside', oid, text: textIn(view.blocks) }]
  return [
    ...markIn(oid, view.effect),
    ...(meta ? settingsIn(oid, view) : []),
    ...view.blocks.flatMap((block) => partsOfBlock(entry, block, exchanges, whole)),
    ...(alone ? [toolPart(oid, { agents: alone })] : []),
  ]
}

/** Returns whether an entry holds the summary of a compaction before it. */
const holdsSummary = ({ role, blocks }: View, former: LogEntry | undefined): boolean =>
  role === 'user' &&
  former?.view.effect?.kind === 'compaction' &&
  former.view.effect.summary === undefined &&
  blocks.every(({ kind }) => kind === 'text')

function partsOfBlock(
  { oid, view }: LogEntry,
  block: Block,
  exchanges: Exchanges,
  whole: boolean,
): readonly TurnPart[] {
  switch (block.kind) {
    case 'text':
      return textParts(oid, view, block.text)
    case 'thinking':
      return block.text.trim() === '' ? [] : [{ kind: 'thinking', oid, text: block.text }]
    case 'image':
      return [{ kind: 'image', oid, mediaType: block.mediaType, bytes: block.bytes }]
    case 'toolCall': {
      const { name, input } = block
      const found = exchanges.resultOf(block)
      const result = found && answerOf(found.oid, found.block, whole)
      return [toolPart(oid, { name, input, ...(result && { result }), agents: exchanges.agentsOf(block) })]
    }
    case 'toolResult':
      return exchanges.isAnswer(block)
        ? []
        : [toolPart(oid, { result: answerOf(oid, block, whole), ...(block.name && { name: block.name }) })]
  }
}

/** Returns a text as what its speaker says, or as what the agent adds. */
function textParts(oid: Oid, { role, aside }: View, text: string): readonly TurnPart[] {
  if (text.trim() === '') return []
  const isUsers = role === 'user' && !aside
  const written = isUsers ? writtenByUser(text) : text
  if (written === undefined || aside || role === 'system') return [{ kind: 'aside', oid, text }]
  return [{ kind: 'text', oid, text: written }]
}

const toolPart = (oid: Oid, about: Partial<Omit<ToolPart, 'kind' | 'oid'>>): ToolPart => ({
  kind: 'tool',
  oid,
  name: null,
  input: null,
  result: null,
  agents: [],
  ...about,
})

type Result = Block & { readonly kind: 'toolResult' }

const answerOf = (oid: Oid, { text, error }: Result, whole: boolean): Answer => ({
  oid,
  error,
  text: whole ? text : cut(firstResultLine(text), MAX_LINE),
  lines: linesIn(text),
})

/** The most UTF-16 units of a result's first line. */
const MAX_LINE = 1000

/** Returns the number of lines of a text. */
function linesIn(text: string): number {
  const said = text.trimEnd()
  let count = said === '' ? 0 : 1
  for (let at = said.indexOf('\n'); at >= 0; at = said.indexOf('\n', at + 1)) count++
  return count
}

function markIn(oid: Oid, effect: Effect | undefined): TurnPart[] {
  if (!effect) return []
  const mark = (does: Mark, text: string): TurnPart[] => [{ kind: 'mark', oid, does, text }]
  switch (effect.kind) {
    case 'merge':
      return mark('merge', [effect.from, effect.summary ?? ''].join('\n').trimEnd())
    case 'edit':
      return mark('edit', textIn(effect.replacement ?? []))
    case 'rollback':
      return mark('rollback', String(effect.turns))
    default:
      return mark(effect.kind, summaryIn(effect) ?? '')
  }
}

const textIn = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')

/** Returns the settings that an entry changes without saying anything, and its note. */
function settingsIn(oid: Oid, { role, sets, note }: View): TurnPart[] {
  const { model, thinking, mode } = role === null ? (sets ?? {}) : {}
  const texts = [
    ...(model ? [`model: ${model.id}`] : []),
    ...(thinking === undefined ? [] : [`thinking: ${thinking}`]),
    ...(mode === undefined ? [] : [`mode: ${mode}`]),
    ...(note === undefined ? [] : [note]),
  ]
  return texts.map((text) => ({ kind: 'mark', oid, does: 'setting', text }))
}
