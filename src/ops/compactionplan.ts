import { viewOf } from '../formats/registry.ts'
import { contextOf } from '../graph/context.ts'
import type { ContextItem } from '../graph/contextwalk.ts'
import { type CutItem, type CutPoint, cutAt, cutFor, cutItems } from '../graph/cutpoint.ts'
import { isOnPath } from '../graph/walk.ts'
import { type Oid, short } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import { type EntryHandle, NEAR } from '../model/node.ts'
import type { Earlier } from '../model/structuralsummary.ts'
import { tokensOf } from '../model/tokens.ts'
import { usedTokens } from '../model/usage.ts'
import { COMPACTS, textOf, type View } from '../model/view.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { ResolvedRevision } from '../repo/revision.ts'
import type { SessionTrunk } from '../repo/session.ts'
import { accessTo } from './context/context.ts'
import { PathRecords } from './entries.ts'
import { detailsIn } from './summarize.ts'
import { usageBeside } from './usage.ts'

type Item = ContextItem<EntryHandle>

/** The part of a path that is kept: a number of tokens, or everything from an entry on. */
export interface KeepOptions {
  /** Estimated: 20,000 by default, as in pi. With 0 nothing is kept. */
  readonly keepTokens?: number | undefined
  readonly from?: ResolvedRevision | undefined
}

/** A plan of a compaction: the context of a path in three parts. */
export interface CompactionPlan {
  readonly summarized: readonly Item[]
  /** The beginning of the turn whose end is kept. */
  readonly turn: readonly Item[]
  readonly kept: readonly Item[]
  /** The first kept entry; undefined if none is kept. */
  readonly firstKept: { readonly handle: EntryHandle; readonly oid: Oid } | undefined
  /** The former summary, which the new one replaces too. */
  readonly previous: Earlier | undefined
  /** The tokens of the context by the newest recorded usage, else estimated; the entry stores them, as in pi. */
  readonly tokensBefore: number
  /** The estimated tokens of the context, for a comparison with those after the compaction. */
  readonly estimatedBefore: number
}

const KEEP_TOKENS = 20_000

/**
 * Returns the plan of a compaction of a path. It covers the path's context, so a second compaction summarises from the
 * entries on that the first one kept. Throws `nothing-to-compact`, and `cannot-keep` for an entry that cannot be the first.
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
      remedy: { kind: 'compact-earlier', session: name },
    })
  const { items, compaction, previous, rest } = await visiblePath(reader, tip.handle)
  const cuts = await cutItemsOn(reader, tip.handle, rest, compaction)
  const cut = from ? await cutBefore(reader, { tip: tip.handle, rest, cuts, from }) : cutFor(cuts, keepTokens)
  if (cut === undefined || cut.kept === 0) throw new SessError('nothing-to-compact', name)
  const first = rest[cut.kept]
  const visible = new Set(items.map((item) => item.node))
  const handle = first && (await firstWithInvisible(reader, first.node, visible))
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

interface VisiblePath {
  readonly items: readonly Item[]
  /** The latest compaction. */
  readonly compaction: EntryHandle | undefined
  /** The summary at its beginning, if there is one: in the compaction, or in the entry after it. */
  readonly previous: Earlier | undefined
  /** The items after the summary. */
  readonly rest: readonly Item[]
}

/** Returns the context of the path to an entry, with the summary at its beginning separated from the rest. */
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
    return { ...seen, previous: { summary, ...defined({ details }) }, rest }
  }
  if (first && compaction !== undefined && (await reader.node(first.node)).parents[0] === compaction) {
    const { effect } = await access.view(compaction)
    if (effect?.kind === 'compaction' && effect.summary === undefined && effect.replacement === undefined)
      return { ...seen, previous: { summary: textOf(first.view) ?? '' }, rest }
  }
  return { ...seen, previous: undefined, rest: items }
}

/** Returns the cut properties of context items. Items that are not on the path to the tip cannot be the first kept one. */
async function cutItemsOn(
  reader: Reader,
  tip: EntryHandle,
  items: readonly Item[],
  compaction: EntryHandle | undefined,
): Promise<CutItem[]> {
  const listed = new Set(compaction === undefined ? [] : (await reader.node(compaction)).links.kept)
  const look = lookIn(reader)
  const { merge } = await look(tip)
  const cuts: CutItem[] = []
  for (const [at, cut] of cutItems(items.map(({ view }) => view)).entries()) {
    const { node, part } = items[at] as Item
    const isOnOwnPath =
      part !== 'replacement' &&
      !listed.has(node) &&
      (merge === undefined || (await isOnPath(node, tip, look)))
    cuts.push({ ...cut, cuttable: cut.cuttable && isOnOwnPath })
  }
  return cuts
}

interface Cutting {
  readonly tip: EntryHandle
  readonly rest: readonly Item[]
  readonly cuts: readonly CutItem[]
  readonly from: ResolvedRevision
}

/** Returns the cut before an entry or, if the context lacks it, before the next item after it. */
async function cutBefore(reader: Reader, { tip, rest, cuts, from }: Cutting): Promise<CutPoint | undefined> {
  const name = short(from.oid)
  if (!(await isOnPath(from.handle, tip, lookIn(reader))))
    throw new SessError('cannot-keep', name, { detail: 'it is not on the path that is compacted' })
  let at = rest.findIndex(({ node }) => node === from.handle)
  const { order } = await reader.node(from.handle)
  for (let next = 0; at < 0 && next < rest.length; next++)
    if ((await reader.node((rest[next] as Item).node)).order > order) at = next
  if (at < 0) throw new SessError('cannot-keep', name, { detail: 'the model sees nothing from there on' })
  if (at === 0 || cuts[at]?.cuttable) return cutAt(cuts, at)
  const before = rest[cuts.findLastIndex(({ cuttable }, other) => other < at && cuttable)]
  throw new SessError('cannot-keep', name, {
    detail: 'the beginning of an answer, or the call of a tool, would be parted from its end',
    ...(before && { remedy: { kind: 'keep-from', entry: short(await reader.oid(before.node)) } }),
  })
}

/** Returns the first of the consecutive invisible entries before an entry, which are kept with it, as in pi. */
async function firstWithInvisible(
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
 * Returns the number of tokens of a context as pi counts them: the usage of the newest model call after the latest
 * compaction, plus an estimate for the items since; an estimate for all items if no usage was recorded.
 */
async function tokensIn(
  reader: Reader,
  session: SessionTrunk | undefined,
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
  { usage = {} }: View,
): Promise<number> {
  const known = usedTokens(usage)
  if (known !== undefined) return known
  const { type } = await reader.node(node)
  return usedTokens((await usageBeside(reader, type, await records.find(node))) ?? {}) ?? 0
}
