import { filesOf } from './toolcalls.ts'
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
export type Outcome = 'complete' | 'failed' | 'interrupted' | 'pending'

/** Totals over entries. */
export interface Figures {
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
  /** Tokens of the model calls as their agent tells; null where it does not. */
  readonly tokens: Tokens | null
  /** Tokens of all entries, estimated. */
  readonly estimated: number
  /** In US dollars as the agent tells; null where it does not. */
  readonly cost: number | null
  /** Null if unknown. */
  readonly outcome: Outcome | null
}

const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cost'] as const

type CountName = (typeof COUNTS)[number]

/** Counts what entries come to, one by one in the order of their path. Takes memory by model calls, tools and files. */
export class Tally {
  #entries = 0
  #errors = 0
  #calls = 0
  #estimated = 0
  readonly #roles: Record<Role, number> = { user: 0, assistant: 0, tool: 0, system: 0 }
  readonly #tools = new Map<string, number>()
  readonly #read = new Set<string>()
  readonly #changed = new Set<string>()
  readonly #sums = new Map<CountName, number>()
  /** By the name of a model call the most that any entry of it tells. */
  readonly #told = new Map<string, Usage>()
  /** The calls of tools since the last prompt that nothing answers yet. */
  readonly #open = new Set<string>()
  #last: Outcome | null = null

  /** Adds an entry, and its tokens as they are estimated. */
  add(view: View, estimated: number): void {
    this.#entries++
    this.#estimated += estimated
    const call = view.usage?.call
    if (view.role !== null && (call === undefined || !this.#told.has(call))) this.#roles[view.role]++
    if (view.usage) this.#addUsage(view.usage)
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

  /** The entries of one call repeat its usage, which may grow from one to the next. */
  #addUsage(usage: Usage): void {
    const { call } = usage
    const before = (call === undefined ? undefined : this.#told.get(call)) ?? {}
    const most: { -readonly [K in CountName]?: number } = {}
    for (const name of COUNTS) {
      const [had, has] = [before[name], usage[name] ?? before[name]]
      if (has === undefined) continue
      most[name] = Math.max(had ?? 0, has)
      this.#sums.set(name, (this.#sums.get(name) ?? 0) + most[name] - (had ?? 0))
    }
    if (call !== undefined) this.#told.set(call, most)
  }

  /** Returns the totals of what was added. */
  get figures(): Figures {
    const [input, output, cacheRead, cacheWrite] = COUNTS.map((name) => this.#sums.get(name) ?? 0) as [
      number,
      number,
      number,
      number,
    ]
    const total = input + output + cacheRead + cacheWrite
    const told = COUNTS.some((name) => name !== 'cost' && this.#sums.has(name))
    return {
      entries: this.#entries,
      messages: ROLES.reduce((sum, role) => sum + this.#roles[role], 0),
      roles: { ...this.#roles },
      calls: this.#calls,
      tools: Object.fromEntries(this.#tools),
      errors: this.#errors,
      files: { read: [...this.#read].sort(), changed: [...this.#changed].sort() },
      tokens: told ? { input, output, cacheRead, cacheWrite, total } : null,
      estimated: this.#estimated,
      cost: this.#sums.get('cost') ?? null,
      outcome: this.#open.size > 0 && this.#last !== null ? 'interrupted' : this.#last,
    }
  }
}

/** Returns the outcome of a path that ends with an entry; undefined if the entry does not show it. */
function endOf(view: View): Outcome | undefined {
  const { role, blocks } = view
  if (blocks.length === 0 || role === null || role === 'system') return undefined
  if (role === 'user') return 'pending'
  if (role === 'tool')
    return blocks.some((block) => block.kind === 'toolResult' && block.error) ? 'failed' : 'interrupted'
  return textOf(view) === null ? 'interrupted' : 'complete'
}
