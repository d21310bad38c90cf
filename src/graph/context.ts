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

/** A value, or the promise of one: what is at hand is not waited for. */
export type Awaitable<T> = T | Promise<T>

/** The nodes on which a node's meaning depends; all of them are its ancestors. */
export interface NodeLinks<N> {
  readonly firstKept?: N
  readonly kept?: readonly N[]
  readonly target?: N
}

/** How a context finds its nodes. A node is whatever names an entry and can be the key of a Map. */
export interface ContextAccess<N> {
  /** Gives the first parent; undefined above a root. */
  parent(node: N): Awaitable<N | undefined>
  traits(node: N): Awaitable<Traits>
  view(node: N): Awaitable<View>
  links(node: N): Awaitable<NodeLinks<N>>
  /**
   * Gives the nearest node, from `node` upward and itself included, whose traits have the bit. Where this is
   * left out, the path is walked.
   */
  setter?(node: N, bit: Traits): Awaitable<N | undefined>
}

/**
 * What an item of a context is: a message after the latest compaction, or `kept` from before it; a message
 * that a compaction carries; a summary; or a result that closes a tool call which has none.
 */
export type Part = 'message' | 'kept' | 'replacement' | 'compaction-summary' | 'branch-summary' | 'closing'

/** One thing that the model sees. */
export interface ContextItem<N> {
  /** The entry that it comes from. */
  readonly node: N
  readonly part: Part
  /** What it says, edits applied. */
  readonly view: View
  /** Of a `replacement`: its place among the messages of the compaction. */
  readonly index?: number
  /** The entry that put these words in place of the node's own. */
  readonly edit?: N
}

/** What was done to a context so that each tool result has its call and each call its result. */
export interface Repair<N> {
  readonly kind: 'dropped-result' | 'closed-call'
  readonly node: N
  /** The id of the tool call. */
  readonly call: string
}

/** What the model sees of a path, and how it is set. */
export interface Context<N> extends Setting {
  readonly items: readonly ContextItem<N>[]
  /** Empty unless the context was asked to be valid. */
  readonly repairs: readonly Repair<N>[]
}

export interface ContextOptions {
  /** Drops tool results without a call and closes calls without a result. */
  readonly valid?: boolean
}

/** What a walk from the tip toward the root found, its lists newest first. */
interface Walk<N> {
  /** What follows the latest compaction; the whole path where there is none. */
  readonly after: readonly N[]
  readonly cut: Cut<N> | undefined
  /** The latest edit of each node. */
  readonly edits: ReadonlyMap<N, Edit<N>>
  readonly settings: Setting
}

/** The latest compaction. */
interface Cut<N> {
  readonly node: N
  readonly view: View
  readonly effect: Compaction
  readonly kept: readonly N[]
  /** The entry after it on the path, which carries the summary where the compaction does not. */
  readonly next: N | undefined
}

type Compaction = Extract<Effect, { kind: 'compaction' }>

interface Edit<N> {
  readonly node: N
  readonly replacement: readonly Block[] | null
}

/**
 * Gives what the model sees at a tip: the path from the root by first parents, of which the latest compaction
 * leaves its summary and what it keeps. Older compactions say nothing, turns rolled back and entries edited
 * away are not there. Reads no further up than the first entry that is kept, but for settings that an older
 * entry made.
 */
export async function contextOf<N>(
  tip: N,
  access: ContextAccess<N>,
  options: ContextOptions = {},
): Promise<Context<N>> {
  const { after, cut, edits, settings } = await walk(tip, access)
  const items: ContextItem<N>[] = []
  const show = async (node: N, part: Part): Promise<void> => {
    const edit = edits.get(node)
    if (edit?.replacement === null) return
    const answer = access.view(node)
    const view = answer instanceof Promise ? await answer : answer
    const { effect } = view
    if (effect?.kind === 'summary') items.push({ node, part: 'branch-summary', view })
    if (effect !== undefined || (view.role === null && view.blocks.length === 0)) return
    if (edit === undefined) items.push({ node, part, view })
    else items.push({ node, part, view: edited(view, edit.replacement), edit: edit.node })
  }
  let rest = after.length
  if (cut !== undefined) {
    const { node, view, effect, kept } = cut
    const { summary, replacement } = effect
    if (summary !== undefined) {
      if (edits.get(node)?.replacement !== null) items.push({ node, part: 'compaction-summary', view })
    } else if (replacement === undefined && rest > 0 && after[rest - 1] === cut.next) {
      await show(after[--rest] as N, 'message')
    }
    replacement?.forEach((said, index) => {
      items.push({ node, part: 'replacement', view: said, index })
    })
    for (let i = kept.length - 1; i >= 0; i--) await show(kept[i] as N, 'kept')
  }
  while (rest > 0) await show(after[--rest] as N, 'message')
  return { ...settings, ...(options.valid ? paired(items) : { items, repairs: [] }) }
}

async function walk<N>(tip: N, access: ContextAccess<N>): Promise<Walk<N>> {
  const setters = new Map<Traits, N>()
  const edits = new Map<N, Edit<N>>()
  const after: N[] = []
  let cut: Cut<N> | undefined
  /** What is kept: all from the first entry kept, or what is listed. */
  let kept: N[] = []
  let first: N | undefined
  let unmet: Set<N> | undefined
  /** How many turns of the user, from here upward, are rolled back. */
  let hidden = 0
  let next: N | undefined
  let node: N | undefined = tip
  while (node !== undefined) {
    const at: N = node
    const found = access.traits(at)
    const traits = found instanceof Promise ? await found : found
    noteSetters(setters, at, traits)
    const view = traits & (COMPACTS | EDITS) ? await access.view(at) : undefined
    const effect = view?.effect
    if (effect?.kind === 'rollback') hidden += Math.max(0, effect.turns)
    else if (hidden > 0) hidden -= roleOf(traits) === 'user' ? 1 : 0
    else if (effect?.kind === 'edit') {
      const { target } = await access.links(at)
      if (target !== undefined && !edits.has(target))
        edits.set(target, { node: at, replacement: effect.replacement })
    } else if (cut !== undefined) {
      if (first !== undefined && effect === undefined) kept.push(at)
    } else if (view !== undefined && effect?.kind === 'compaction') {
      const links: NodeLinks<N> = effect.replacement === undefined ? await access.links(at) : {}
      if (links.kept !== undefined) {
        kept = [...links.kept].reverse()
        unmet = new Set(kept)
      } else first = links.firstKept
      cut = { node: at, view, effect, kept, next }
    } else after.push(at)
    unmet?.delete(at)
    if (cut !== undefined && (first === undefined ? !unmet?.size : at === first)) break
    next = at
    const parent = access.parent(at)
    node = parent instanceof Promise ? await parent : parent
  }
  // a first entry that is not on the path keeps nothing
  if (node === undefined && first !== undefined) kept.length = 0
  return { after, cut, edits, settings: await settingsOf(setters, node, access) }
}

const SETTERS: readonly Traits[] = [SETS_MODEL, SETS_THINKING, SETS_MODE]

function noteSetters<N>(setters: Map<Traits, N>, node: N, traits: Traits): void {
  if (traits < SETS_MODEL) return
  for (const bit of SETTERS) if (traits & bit && !setters.has(bit)) setters.set(bit, node)
}

/**
 * Gives the settings in force: those of the setters that were met below `from`, and of the nearest others
 * above.
 */
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
      const traits = access.traits(node)
      noteSetters(setters, node, traits instanceof Promise ? await traits : traits)
      const parent: Awaitable<N | undefined> = access.parent(node)
      node = parent instanceof Promise ? await parent : parent
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
 * Gives a view with other words. What answers tool calls goes on answering them, so words alone stand in the
 * place of its text.
 */
function edited(view: View, blocks: readonly Block[]): View {
  const results = view.blocks.filter((block) => block.kind === 'toolResult')
  if (results.length === 0 || blocks.some((block) => block.kind === 'toolResult')) return { ...view, blocks }
  const text = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')
  return {
    ...view,
    blocks: [
      ...results.map((block) => ({ ...block, text })),
      ...blocks.filter((block) => block.kind !== 'text'),
    ],
  }
}

/** Stands where a call was never answered: the agent was stopped, or the answer is on another branch. */
const NO_RESULT = 'no result was recorded'

/**
 * Drops the tool results that answer no call before them, and answers the calls that nothing after them
 * answers.
 */
function paired<N>(items: readonly ContextItem<N>[]): Pick<Context<N>, 'items' | 'repairs'> {
  const repairs: Repair<N>[] = []
  /** The calls not answered yet, by id: a result answers the latest. */
  const open = new Map<string, { readonly at: number; readonly name: string }[]>()
  const answering = items.map((item, at): ContextItem<N> | undefined => {
    const blocks = item.view.blocks.filter((block) => {
      if (block.kind === 'toolCall') add(open, block.id, { at, name: block.name })
      if (block.kind !== 'toolResult' || open.get(block.id)?.pop() !== undefined) return true
      repairs.push({ kind: 'dropped-result', node: item.node, call: block.id })
      return false
    })
    if (blocks.length === item.view.blocks.length) return item
    const isLeft = item.view.role !== 'tool' ? blocks.length > 0 : blocks.some((b) => b.kind === 'toolResult')
    return isLeft ? { ...item, view: { ...item.view, blocks } } : undefined
  })
  const closing = new Map<number, ContextItem<N>[]>()
  for (const [id, calls] of open) {
    for (const { at, name } of calls) {
      const { node } = items[at] as ContextItem<N>
      const result: Block = { kind: 'toolResult', id, name, text: NO_RESULT, error: true }
      add(closing, at, { node, part: 'closing', view: { role: 'tool', blocks: [result] } })
      repairs.push({ kind: 'closed-call', node, call: id })
    }
  }
  const valid = answering.flatMap((item, at) => (item ? [item, ...(closing.get(at) ?? [])] : []))
  return { items: valid, repairs }
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
