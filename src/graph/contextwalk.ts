import type { Awaitable } from '../model/async.ts'
import {
  type Block,
  COMPACTS,
  EDITS,
  type Effect,
  roleOf,
  SETS_MODE,
  SETS_MODEL,
  SETS_THINKING,
  type Setting,
  type Traits,
  type View,
} from '../model/view.ts'

/** The nodes on which a node's meaning depends; all of them are its ancestors. */
export interface ContextLinks<N> {
  readonly firstKept?: N
  readonly kept?: readonly N[]
  readonly target?: N
}

/** How a context reads its nodes. `N` is the type of node handles: any type that can be the key of a Map. */
export interface ContextAccess<N> {
  /** Returns the first parent, or undefined for a root. */
  parent(node: N): Awaitable<N | undefined>
  traits(node: N): Awaitable<Traits>
  view(node: N): Awaitable<View>
  links(node: N): Awaitable<ContextLinks<N>>
  /**
   * Returns the nearest node, from `node` upward and itself included, whose traits have the bit. Without this function
   * the path is walked.
   */
  setter?(node: N, bit: Traits): Awaitable<N | undefined>
  /** Reads the views of some nodes ahead: together they are cheaper than one by one. */
  prefetch?(nodes: readonly N[]): Promise<void>
  /**
   * Returns an item to use instead of the one made of the node's view, or undefined. Called from the tip upward, only for
   * nodes without edits.
   */
  itemOf?(node: N, part: ContextPart): Awaitable<ContextItem<N> | undefined>
  /** Returns the parents after the first one. Without this function merges add nothing to a context. */
  otherParents?(node: N): Awaitable<readonly N[]>
}

/** The result of a walk from the tip toward the root. Lists are in the order newest first. */
export interface ContextWalk<N> {
  /** The nodes after the latest compaction, or the whole path. */
  readonly after: readonly N[]
  readonly cut: LatestCompaction<N> | undefined
  /** The latest edit of each node. */
  readonly edits: ReadonlyMap<N, ViewEdit<N>>
  readonly settings: Setting
}

/** The latest compaction of a path. */
export interface LatestCompaction<N> {
  readonly node: N
  readonly view: View
  readonly effect: Compaction
  readonly kept: readonly N[]
  /** The entry after it on the path, which carries the summary where the compaction does not. */
  readonly next: N | undefined
}

type Compaction = Extract<Effect, { kind: 'compaction' }>

export interface ViewEdit<N> {
  readonly node: N
  readonly replacement: readonly Block[] | null
}

/**
 * Walks from a tip toward the root, as far as the first entry that the latest compaction keeps. With `edits` false edits
 * are ignored. With `until` the walk ends before that entry, and settings are not determined.
 */
export async function walk<N>(
  tip: N,
  access: ContextAccess<N>,
  edits = true,
  until?: N,
): Promise<ContextWalk<N>> {
  const setters = new Map<Traits, N>()
  const edited = new Map<N, ViewEdit<N>>()
  const after: N[] = []
  let cut: LatestCompaction<N> | undefined
  /** The kept entries: all from the first kept one on, or those that are listed. */
  let kept: N[] = []
  let first: N | undefined
  let unmet: Set<N> | undefined
  /** The number of user turns, from here upward, that are still to be rolled back. */
  let hidden = 0
  let next: N | undefined
  let node: N | undefined = tip
  while (node !== undefined && node !== until) {
    const at: N = node
    const traits = await access.traits(at)
    noteSetters(setters, at, traits)
    const view = traits & (COMPACTS | EDITS) ? await access.view(at) : undefined
    const effect = view?.effect
    if (effect?.kind === 'rollback') hidden += Math.max(0, effect.turns)
    else if (hidden > 0) hidden -= roleOf(traits) === 'user' ? 1 : 0
    else if (effect?.kind === 'edit') {
      const { target } = await access.links(at)
      if (edits && target !== undefined && !edited.has(target))
        edited.set(target, { node: at, replacement: effect.replacement })
    } else if (cut !== undefined) {
      if (first !== undefined && effect === undefined) kept.push(at)
    } else if (view !== undefined && effect?.kind === 'compaction') {
      const links: ContextLinks<N> = effect.replacement === undefined ? await access.links(at) : {}
      if (links.kept !== undefined) {
        kept = [...links.kept].reverse()
        unmet = new Set(kept)
      } else first = links.firstKept
      cut = { node: at, view, effect, kept, next }
    } else after.push(at)
    unmet?.delete(at)
    if (cut !== undefined && (first === undefined ? !unmet?.size : at === first)) break
    next = at
    node = await access.parent(at)
  }
  // a first entry that is not on the path keeps nothing
  if (node === undefined && first !== undefined) kept.length = 0
  if (until === undefined)
    return { after, cut, edits: edited, settings: await settingsOf(setters, node, access) }
  const here = cut && { ...cut, kept: cut.kept.filter((one) => !unmet?.has(one)) }
  return { after, cut: here, edits: edited, settings: {} }
}

const SETTERS: readonly Traits[] = [SETS_MODEL, SETS_THINKING, SETS_MODE]

function noteSetters<N>(setters: Map<Traits, N>, node: N, traits: Traits): void {
  if (traits < SETS_MODEL) return
  for (const bit of SETTERS) if (traits & bit && !setters.has(bit)) setters.set(bit, node)
}

/** Returns the settings in force: those of the setters met below `from`, and of the nearest ones above for the rest. */
async function settingsOf<N>(
  setters: Map<Traits, N>,
  from: N | undefined,
  access: ContextAccess<N>,
): Promise<Setting> {
  if (from !== undefined && access.setter !== undefined) {
    for (const bit of SETTERS) {
      const node = setters.has(bit) ? undefined : await access.setter(from, bit)
      if (node !== undefined) setters.set(bit, node)
    }
  } else {
    let node = from
    while (node !== undefined && setters.size < SETTERS.length) {
      noteSetters(setters, node, await access.traits(node))
      node = await access.parent(node)
    }
  }
  const sets = async (bit: Traits): Promise<Setting> => {
    const node = setters.get(bit)
    return node === undefined ? {} : ((await access.view(node)).sets ?? {})
  }
  const { model } = await sets(SETS_MODEL)
  const { thinking } = await sets(SETS_THINKING)
  const { mode } = await sets(SETS_MODE)
  return {
    ...(model && { model }),
    ...(thinking !== undefined && { thinking }),
    ...(mode !== undefined && { mode }),
  }
}

/**
 * The kind of an item of a context: a message after the latest compaction, or `kept` from before it; a message
 * that a compaction carries, or the system prompt that it carries (`checkpoint`); a summary; or a result that closes a
 * tool call which has none.
 */
export type ContextPart =
  | 'message'
  | 'kept'
  | 'replacement'
  | 'checkpoint'
  | 'compaction-summary'
  | 'branch-summary'
  | 'closing'

/** One message that the model sees. */
export interface ContextItem<N> {
  /** The entry that it comes from. */
  readonly node: N
  readonly part: ContextPart
  /** Its meaning, edits applied. */
  readonly view: View
  /** Of a `replacement`: its index among the messages of the compaction. */
  readonly index?: number
  /** The entry that put these words in place of the node's own. */
  readonly edit?: N
  /** Whether it carries the summary of the compaction before it. */
  readonly summary?: true
  /** Whether it says less than its entry, to fit a budget. */
  readonly reduced?: true
}
