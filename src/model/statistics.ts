import { costOf, type Price, type PriceOf } from './prices.ts'
import { filesOf } from './toolinput.ts'
import { ROLES, type Role, textOf, type Usage, type View } from './view.ts'

/** Tokens by what they were, and all together. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly total: number
}

/**
 * How a path ends: `complete` with words of the assistant, `failed` with a tool that did, `interrupted` with a call that
 * nothing answers or a result that nothing follows, `pending` with words of the user.
 */
export type PathOutcome = 'complete' | 'failed' | 'interrupted' | 'pending'

/** Sums of the usage of model calls. */
export interface UsageTotals {
  /** Tokens of the model calls as their agent records them; null where it does not. */
  readonly tokens: Tokens | null
  /** Their cost in US dollars, recorded by the agent or computed by list prices; null where neither is known. */
  readonly cost: number | null
  /** The part of the cost that is computed. */
  readonly computed: number
  /** The tokens of model calls of which neither the cost nor a price is known. */
  readonly unpriced: number
}

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

const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cost'] as const

type CountedField = (typeof COUNTS)[number]

/** The counts of a model call. */
type Counts = { readonly [K in CountedField]?: number }

/**
 * Model calls, each counted once. The entries of one call repeat its usage, which may grow from one to the next.
 */
export class ModelCalls {
  /** By the name of a call, the most that any entry of it has. */
  readonly #known = new Map<string, Counts>()

  /** Whether a call was counted before. */
  has(call: string | undefined): boolean {
    return call !== undefined && this.#known.has(call)
  }

  /** Counts the usage of an entry. Returns the counts of its call before and now. */
  add(usage: Usage): { readonly before: Counts; readonly now: Counts } {
    const { call } = usage
    const before = (call === undefined ? undefined : this.#known.get(call)) ?? {}
    const now: { -readonly [K in CountedField]?: number } = {}
    for (const name of COUNTS) {
      const [had, has] = [before[name], usage[name] ?? before[name]]
      if (has !== undefined) now[name] = Math.max(had ?? 0, has)
    }
    if (call !== undefined) this.#known.set(call, now)
    return { before, now }
  }
}

/** Sums of the usage of model calls, with a cost that is computed where the agent does not record it. */
export class UsageSums {
  readonly #sums = new Map<CountedField, number>()
  #computed: number | undefined
  #unpriced = 0

  /** Adds the counts of a call, which had others before, at the price of its model. */
  add(before: Counts, now: Counts, price?: Price, whole = false): void {
    for (const name of COUNTS) {
      const has = now[name]
      if (has !== undefined) this.#sums.set(name, (this.#sums.get(name) ?? 0) + has - (before[name] ?? 0))
    }
    if (now.cost !== undefined) return
    if (price === undefined) this.#unpriced += tokensIn(now) - tokensIn(before)
    else this.#computed = (this.#computed ?? 0) + costOf(now, price, whole) - costOf(before, price, whole)
  }

  /** Returns the sums: null where nothing is known. */
  get totals(): UsageTotals {
    const of = (name: CountedField): number => this.#sums.get(name) ?? 0
    const [input, output, cacheRead, cacheWrite] = [
      of('input'),
      of('output'),
      of('cacheRead'),
      of('cacheWrite'),
    ]
    const isKnown = COUNTS.some((name) => name !== 'cost' && this.#sums.has(name))
    const recorded = this.#sums.get('cost')
    const total = input + output + cacheRead + cacheWrite
    return {
      tokens: isKnown ? { input, output, cacheRead, cacheWrite, total } : null,
      cost:
        recorded === undefined && this.#computed === undefined
          ? null
          : (recorded ?? 0) + (this.#computed ?? 0),
      computed: this.#computed ?? 0,
      unpriced: this.#unpriced,
    }
  }
}

const tokensIn = ({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Counts): number =>
  input + output + cacheRead + cacheWrite

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
  #model = ''
  /** The calls of tools since the last prompt that nothing answers yet. */
  readonly #open = new Set<string>()
  #last: PathOutcome | null = null

  /** Costs that agents do not record are computed by `priceOf`. */
  constructor(priceOf?: PriceOf) {
    this.#priceOf = priceOf
  }

  /** Adds an entry, and its tokens as they are estimated. */
  add(view: View, estimated: number): void {
    this.#entries++
    this.#estimated += estimated
    const call = view.usage?.call
    if (view.role !== null && !this.#modelCalls.has(call)) this.#roles[view.role]++
    this.#model = view.sets?.model?.id ?? this.#model
    if (view.usage) {
      const { before, now } = this.#modelCalls.add(view.usage)
      this.#usage.add(before, now, this.#priceOf?.(this.#model))
    }
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
      ...this.#usage.totals,
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
