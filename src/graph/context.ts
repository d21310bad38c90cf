import { chunksOf, prefetched } from '../model/async.ts'
import type { RequestRepair } from '../model/repair.ts'
import { type Effect, editedView, type Setting, type View } from '../model/view.ts'
import {
  type ContextAccess,
  type ContextItem,
  type ContextPart,
  type ContextWalk,
  type ViewEdit,
  walk,
} from './contextwalk.ts'
import { repairToolPairs } from './repairtoolpairs.ts'

/** The context of a path: what the model sees, and the settings in force. */
export interface Context<N> extends Setting {
  readonly items: readonly ContextItem<N>[]
  /** Empty unless the context was asked to be valid. */
  readonly repairs: readonly RequestRepair<N>[]
}

export interface ContextRules {
  /** Drops tool results without a call and closes calls without a result. */
  readonly valid?: boolean
  /** Applies edits: unless this is false. */
  readonly edits?: boolean
  /** Puts the system prompt that a compaction carries in the place of those that it keeps: unless this is false. */
  readonly checkpoints?: boolean
}

/**
 * Returns the context at a tip: the path along first parents, of which the latest compaction leaves its summary and what
 * it keeps. Older compactions have no effect; turns that were rolled back and entries that were edited away are left out.
 * Reads no further up than the first kept entry, except for settings that an older entry made.
 */
export async function contextOf<N>(
  tip: N,
  access: ContextAccess<N>,
  { valid = false, edits: editing = true, checkpoints = true }: ContextRules = {},
): Promise<Context<N>> {
  const contextUpTo = async (from: N, until?: N, outer?: PathContext<N>['edits']): Promise<ShownPath<N>> =>
    shown(await walk(from, access, editing, until), access, checkpoints, outer)
  const { settings, ...path } = await contextUpTo(tip)
  const runs = await insertMerges(path, async ({ node }, edits) => {
    const [other] = (await access.otherParents?.(node)) ?? []
    return other === undefined ? undefined : contextUpTo(other, (await access.links(node)).target, edits)
  })
  const whole = runs.map((items) => (valid ? repairToolPairs(items) : { items, repairs: [] }))
  return {
    ...settings,
    items: whole.flatMap(({ items }) => items),
    repairs: whole.flatMap(({ repairs }) => repairs),
  }
}

type ShownPath<N> = PathContext<N> & Pick<ContextWalk<N>, 'settings'>

/** Returns the context of a walked path. Edits of the surrounding path take precedence. */
async function shown<N>(
  { after, cut, edits: own, settings }: ContextWalk<N>,
  access: ContextAccess<N>,
  checkpoints: boolean,
  outer: PathContext<N>['edits'] = new Map(),
): Promise<ShownPath<N>> {
  const edits = outer.size === 0 ? own : new Map([...own, ...outer])
  const system = checkpoints ? cut?.effect.system : undefined
  const items: ContextItem<N>[] = []
  const merges = new Set<ContextItem<N>>()
  const ready = async (nodes: readonly N[]): Promise<readonly N[]> => {
    await access.prefetch?.(nodes.filter((node) => edits.get(node)?.replacement !== null))
    return nodes
  }
  const show = async (
    nodes: readonly N[],
    part: ContextPart,
    carries?: { readonly summary: true },
  ): Promise<void> => {
    for await (const some of prefetched(chunksOf(nodes, BATCH), ready))
      for (const node of some) {
        const edit = edits.get(node)
        if (edit?.replacement === null) continue
        const stored = edit === undefined ? await access.itemOf?.(node, part) : undefined
        if (stored) {
          items.push(carries ? { ...stored, ...carries } : stored)
          continue
        }
        const ofNode = await access.view(node)
        const view = ofNode.effect?.kind === 'merge' ? mergeMark(ofNode.effect) : ofNode
        const { effect } = view
        if (part === 'kept' && system !== undefined && view.role === 'system') continue
        const isSummary = effect?.kind === 'summary'
        if (!isSummary && (effect !== undefined || (view.role === null && view.blocks.length === 0))) continue
        const item: ContextItem<N> = isSummary
          ? { node, part: 'branch-summary', view }
          : edit === undefined
            ? { node, part, view, ...carries }
            : { node, part, view: editedView(view, edit.replacement), edit: edit.node, ...carries }
        items.push(item)
        if (view !== ofNode && !isSummary) merges.add(item)
      }
  }
  // Nodes are read from the tip upward, in the order of the parent links.
  const last = cut && cut.effect.summary === undefined && cut.effect.replacement === undefined
  const carrier = last && after.length > 0 && after.at(-1) === cut.next ? after.at(-1) : undefined
  await show(carrier === undefined ? after : after.slice(0, -1), 'message')
  if (cut !== undefined) {
    const { node, view, effect, kept } = cut
    const { summary, replacement = [] } = effect
    await show(kept, 'kept')
    for (const [index, part] of [...replacement.entries()].reverse()) {
      // The last of the replacing messages carries the summary.
      const carries = summary === undefined && index === replacement.length - 1 ? SUMMARY : {}
      items.push({ node, part: 'replacement', view: part, index, ...carries })
    }
    if (summary !== undefined && edits.get(node)?.replacement !== null)
      items.push({ node, part: 'compaction-summary', view })
    if (carrier !== undefined) await show([carrier], 'message', SUMMARY)
    if (system) items.push({ node, part: 'checkpoint', view: system })
  }
  return { items: items.reverse(), merges, edits, settings }
}

const SUMMARY = { summary: true } as const

/** The number of views that are read ahead together. */
const BATCH = 256

/** The context of a path, or of the part of another path that a merge adds. */
export interface PathContext<N> {
  readonly items: readonly ContextItem<N>[]
  /** The items of merges: each is followed by the context that it adds. */
  readonly merges: ReadonlySet<ContextItem<N>>
  /** The latest edits. Edits of a path also apply to the paths that are merged into it. */
  readonly edits: ReadonlyMap<N, ViewEdit<N>>
}

/** Returns the view that introduces merged items: a line in the user's role, or a summary in place of the items. */
export function mergeMark({ from, summary }: Extract<Effect, { kind: 'merge' }>): View {
  if (summary !== undefined)
    return { role: null, blocks: [], effect: { kind: 'summary', text: `From '${from}':\n${summary}` } }
  return {
    role: 'user',
    blocks: [{ kind: 'text', text: `[What follows was said on '${from}' and is merged here.]` }],
  }
}

/**
 * Inserts the items that merges add after their marks, at any depth of nesting, without items that are there already.
 * Returns the items in sections, within which each call has its result. `bring` returns the context that a merge adds, or
 * undefined.
 */
async function insertMerges<N>(
  path: PathContext<N>,
  bring: (merge: ContextItem<N>, edits: PathContext<N>['edits']) => Promise<PathContext<N> | undefined>,
): Promise<(readonly ContextItem<N>[])[]> {
  if (path.merges.size === 0) return [path.items]
  const seen = new Set(path.items.map(({ node }) => node))
  const open = [{ ...path, at: 0 }]
  const sections: ContextItem<N>[][] = [[]]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const item = top.items[top.at++]
    if (item === undefined) {
      open.pop()
      sections.push([])
      continue
    }
    sections.at(-1)?.push(item)
    const brought = top.merges.has(item) ? await bring(item, top.edits) : undefined
    if (!brought) continue
    const items = brought.items.filter(({ node }) => !seen.has(node))
    for (const { node } of items) seen.add(node)
    open.push({ ...brought, items, at: 0 })
    sections.push([])
  }
  return sections
}
