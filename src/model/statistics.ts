import type { PriceOf } from './prices.ts'
import { filesOf } from './toolinput.ts'
import { ModelCalls, priceSums, UsageSums, type UsageTotals } from './usage.ts'
import { ROLES, type Role, textOf, type Usage, type View } from './view.ts'

/**
 * How a path ends: `complete` with words of the assistant, `failed` with a tool that did, `interrupted` with a call that
 * nothing answers or a result that nothing follows, `pending` with words of the user.
 */
export type PathOutcome = 'complete' | 'failed' | 'interrupted' | 'pending'

/** Totals over entries. */
export interface Figures extends UsageTotals {
  readonly entries: number
  /** The number of messages: the entries of one model call are one message. */
  readonly messages: number
  /** The number of messages by role. */
  readonly roles: Readonly<Record<Role, number>>
  /** Tool calls, and how many of each tool in the order of the first one. */
  readonly calls: number
  readonly tools: { readonly [name: string]: number }
  /** Tool calls that failed. */
  readonly errors: number
  /** The files that tool calls read and changed, each once, in the order of their names. */
  readonly files: { readonly read: readonly string[]; readonly changed: readonly string[] }
  /** Tokens of all entries, estimated. */
  readonly estimated: number
  /** Null if unknown. */
  readonly outcome: PathOutcome | null
}

/** Computes the totals of entries, added one by one in the order of their path. Takes memory by model calls, tools and files. */
export class PathStatistics {
  #entries = 0
  #errors = 0
  #calls = 0
  #estimated = 0
  readonly #roles: Record<Role, number> = { user: 0, assistant: 0, tool: 0, system: 0 }
  readonly #tools = new Map<string, number>()
  readonly #read = new Set<string>()
  readonly #changed = new Set<string>()
  readonly #modelCalls = new ModelCalls()
  readonly #usage = new UsageSums()
  readonly #priceOf: PriceOf | undefined
  /** The calls of tools since the last prompt that nothing answers yet. */
  readonly #open = new Set<string>()
  #last: PathOutcome | null = null

  /** Costs that agents do not record are computed by `priceOf`. */
  constructor(priceOf?: PriceOf) {
    this.#priceOf = priceOf
  }

  /** Records a model call of an entry before those that are added: they count only what they add to it. */
  begin(usage: Usage, model: string): void {
    this.#modelCalls.add(usage, model)
  }

  /** Adds an entry, its tokens as they are estimated, and the model that is set on its path. */
  add(view: View, estimated: number, model = ''): void {
    this.#entries++
    this.#estimated += estimated
    const call = view.usage?.call
    if (view.role !== null && !this.#modelCalls.has(call)) this.#roles[view.role]++
    if (view.usage) this.#usage.add(this.#modelCalls.add(view.usage, view.sets?.model?.id ?? model))
    if (view.role === 'user') this.#open.clear()
    for (const block of view.blocks) {
      if (block.kind === 'toolCall') {
        this.#calls++
        this.#tools.set(block.name, (this.#tools.get(block.name) ?? 0) + 1)
        this.#open.add(block.id)
        for (const { path, does } of filesOf(block))
          (does === 'read' ? this.#read : this.#changed).add(path.toWellFormed())
      } else if (block.kind === 'toolResult') {
        this.#open.delete(block.id)
        if (block.error) this.#errors++
      }
    }
    this.#last = endOf(view) ?? this.#last
  }

  /** Returns the totals of what was added. */
  get figures(): Figures {
    return {
      entries: this.#entries,
      messages: ROLES.reduce((sum, role) => sum + this.#roles[role], 0),
      roles: { ...this.#roles },
      calls: this.#calls,
      tools: Object.fromEntries(this.#tools),
      errors: this.#errors,
      files: { read: [...this.#read].sort(), changed: [...this.#changed].sort() },
      ...priceSums(this.#usage.value, this.#priceOf),
      estimated: this.#estimated,
      outcome: this.#open.size > 0 && this.#last !== null ? 'interrupted' : this.#last,
    }
  }
}

/** Returns the outcome of a path that ends with an entry; undefined if the entry does not show it. */
function endOf(view: View): PathOutcome | undefined {
  const { role, blocks } = view
  if (blocks.length === 0 || role === null || role === 'system') return undefined
  if (role === 'user') return 'pending'
  if (role === 'tool')
    return blocks.some((block) => block.kind === 'toolResult' && block.error) ? 'failed' : 'interrupted'
  return textOf(view) === null ? 'interrupted' : 'complete'
}
