import { isUsageInRecord, viewOf } from '../formats/registry.ts'
import { contextOf } from '../graph/context.ts'
import type { ContextItem } from '../graph/contextwalk.ts'
import { type CutItem, type CutPoint, cutAt, cutFor, cutItems } from '../graph/cutpoint.ts'
import { isOnPath } from '../graph/walk.ts'
import type { Earlier } from '../model/digest.ts'
import { SessError } from '../model/errors.ts'
import { type EntryHandle, NEAR } from '../model/node.ts'
import { type Oid, short } from '../model/oid.ts'
import { typable } from '../model/shellword.ts'
import { usedTokens } from '../model/summary.ts'
import { tokensOf } from '../model/tokens.ts'
import { COMPACTS, textOf, type View } from '../model/view.ts'
import type { Reader } from '../repo/reader.ts'
import type { ResolvedRevision } from '../repo/revision.ts'
import type { Session } from '../repo/session.ts'
import { accessTo } from './context/context.ts'
import { PathRecords, usageRecord } from './entries.ts'
import { detailsIn } from './summarize.ts'

type Item = ContextItem<EntryHandle>

/** What is kept of a path: so many tokens, estimated, or all from an entry on. */
export interface KeepOptions {
  /** 20,000 unless said, as in pi; with 0 nothing is kept. */
  readonly keepTokens?: number | undefined
  readonly from?: ResolvedRevision | undefined
}

/** How a path is to be compacted: what the model sees of it, in three parts. */
export interface CompactionPlan {
  readonly summarized: readonly Item[]
  /** The beginning of the turn whose end is kept. */
  readonly turn: readonly Item[]
  readonly kept: readonly Item[]
  /** The first entry that is kept; undefined where none is. */
  readonly firstKept: { readonly handle: EntryHandle; readonly oid: Oid } | undefined
  /** The summary that the new one is to stand for too. */
  readonly previous: Earlier | undefined
  /** The tokens of the context, by the newest recorded usage, else estimated: what the entry says, as in pi. */
  readonly tokensBefore: number
  /** The tokens of the context, all of them estimated, to be compared with those after the compaction. */
  readonly estimatedBefore: number
}

const KEEP_TOKENS = 20_000

/**
 * Gives how a path is to be compacted, from what the model sees of it: so a second compaction summarises from where the
 * first one kept on. Throws `nothing-to-compact`, and `cannot-keep` for an entry from which nothing can be kept.
 */
export async function planCompaction(
  reader: Reader,
  tip: ResolvedRevision,
  name: string,
  { keepTokens = KEEP_TOKENS, from }: KeepOptions,
): Promise<CompactionPlan> {
  const node = await reader.node(tip.handle)
  if (node.traits & COMPACTS)
    throw new SessError('nothing-to-compact', name, {
      detail: 'it ends with a compaction',
      hint: `compact again what precedes that: 'sess compact ${typable(name, 'SESSION')}~1 --branch NAME'`,
    })
  const { items, compaction, previous, rest } = await visiblePath(reader, tip.handle)
  const pieces = await piecesOn(reader, tip.handle, rest, compaction)
  const cut = from
    ? await cutBefore(reader, { tip: tip.handle, rest, pieces, from })
    : cutFor(pieces, keepTokens)
  if (cut === undefined || cut.kept === 0) throw new SessError('nothing-to-compact', name)
  const first = rest[cut.kept]
  const visible = new Set(items.map((item) => item.node))
  const handle = first && (await withUnseen(reader, first.node, visible))
  return {
    summarized: rest.slice(0, cut.turn),
    turn: rest.slice(cut.turn, cut.kept),
    kept: rest.slice(cut.kept),
    firstKept: handle === undefined ? undefined : { handle, oid: await reader.oid(handle) },
    previous,
    tokensBefore: await tokensIn(reader, tip.session, items),
    estimatedBefore: items.reduce((sum, { view }) => sum + tokensOf(view), 0),
  }
}

/** What the model sees of a path. */
interface VisiblePath {
  readonly items: readonly Item[]
  /** The latest compaction. */
  readonly compaction: EntryHandle | undefined
  /** The summary that it begins with, where it begins with one: the compaction has it, or the entry behind it. */
  readonly previous: Earlier | undefined
  /** What follows that. */
  readonly rest: readonly Item[]
}

/** Gives what the model sees of the path to an entry, and apart from the rest the summary that it begins with. */
export async function visiblePath(reader: Reader, tip: EntryHandle): Promise<VisiblePath> {
  const access = accessTo(reader, viewOf)
  const { items } = await contextOf(tip, access)
  const compaction = (await reader.node(tip)).near[NEAR.indexOf(COMPACTS)]
  const seen = { items, compaction }
  const [first, ...rest] = items
  if (first?.part === 'compaction-summary') {
    const details = detailsIn(await reader.body(first.node))
    const { effect } = first.view
    const summary = (effect?.kind === 'compaction' && effect.summary) || ''
    return { ...seen, previous: { summary, ...(details !== undefined && { details }) }, rest }
  }
  if (first && compaction !== undefined && (await reader.node(first.node)).parents[0] === compaction) {
    const { effect } = await access.view(compaction)
    if (effect?.kind === 'compaction' && effect.summary === undefined && effect.replacement === undefined)
      return { ...seen, previous: { summary: textOf(first.view) ?? '' }, rest }
  }
  return { ...seen, previous: undefined, rest: items }
}

/** Gives what a cut must know; nothing can be kept from what stands in no unbroken row up to the tip. */
async function piecesOn(
  reader: Reader,
  tip: EntryHandle,
  items: readonly Item[],
  compaction: EntryHandle | undefined,
): Promise<CutItem[]> {
  const listed = new Set(compaction === undefined ? [] : (await reader.node(compaction)).links.kept)
  const look = (handle: EntryHandle) => reader.node(handle)
  const { merge } = await look(tip)
  const pieces: CutItem[] = []
  for (const [at, piece] of cutItems(items.map(({ view }) => view)).entries()) {
    const { node, part } = items[at] as Item
    const stands =
      part !== 'replacement' &&
      !listed.has(node) &&
      (merge === undefined || (await isOnPath(node, tip, look)))
    pieces.push({ ...piece, cuttable: piece.cuttable && stands })
  }
  return pieces
}

interface Cutting {
  readonly tip: EntryHandle
  readonly rest: readonly Item[]
  readonly pieces: readonly CutItem[]
  readonly from: ResolvedRevision
}

/** Gives the cut before an entry, or before what the model sees next after it. */
async function cutBefore(
  reader: Reader,
  { tip, rest, pieces, from }: Cutting,
): Promise<CutPoint | undefined> {
  const name = short(from.oid)
  if (!(await isOnPath(from.handle, tip, (handle) => reader.node(handle))))
    throw new SessError('cannot-keep', name, { detail: 'it is not on the path that is compacted' })
  let at = rest.findIndex(({ node }) => node === from.handle)
  const { order } = await reader.node(from.handle)
  for (let next = 0; at < 0 && next < rest.length; next++)
    if ((await reader.node((rest[next] as Item).node)).order > order) at = next
  if (at < 0) throw new SessError('cannot-keep', name, { detail: 'the model sees nothing from there on' })
  if (at === 0 || pieces[at]?.cuttable) return cutAt(pieces, at)
  const before = rest[pieces.findLastIndex(({ cuttable }, other) => other < at && cuttable)]
  throw new SessError('cannot-keep', name, {
    detail: 'the beginning of an answer, or the call of a tool, would be parted from its end',
    ...(before && {
      hint: `keep from an entry before it: --keep-from ${short(await reader.oid(before.node))}`,
    }),
  })
}

/** Gives the first of the entries in a row before one that the model does not see: they go with it, as in pi. */
async function withUnseen(
  reader: Reader,
  handle: EntryHandle,
  visible: ReadonlySet<EntryHandle>,
): Promise<EntryHandle> {
  for (let at = handle; ; ) {
    const [parent] = (await reader.node(at)).parents
    if (parent === undefined || visible.has(parent)) return at
    if ((await reader.node(parent)).traits & COMPACTS) return at
    at = parent
  }
}

/**
 * Gives how many tokens a context has, as pi counts them: what the newest model call after the latest compaction used,
 * and what was said since, estimated; all of it estimated where no usage was recorded.
 */
async function tokensIn(
  reader: Reader,
  session: Session | undefined,
  items: readonly Item[],
): Promise<number> {
  const records = new PathRecords(reader, session)
  let tokens = 0
  try {
    for (let at = items.length - 1; at >= 0; at--) {
      const { node, part, view } = items[at] as Item
      const used = part === 'message' ? await usedBy(reader, records, node, view) : 0
      if (used > 0) return tokens + used
      tokens += tokensOf(view)
    }
    return tokens
  } finally {
    await records.close()
  }
}

async function usedBy(
  reader: Reader,
  records: PathRecords,
  node: EntryHandle,
  { usage = {}, role }: View,
): Promise<number> {
  const known = usedTokens(usage)
  if (known !== undefined || role !== 'assistant') return known ?? 0
  const { type } = await reader.node(node)
  if (!isUsageInRecord(type)) return 0
  const record = await usageRecord(reader, type, await records.find(node))
  return record === undefined ? 0 : (usedTokens(viewOf(type, null, record).usage ?? {}) ?? 0)
}
