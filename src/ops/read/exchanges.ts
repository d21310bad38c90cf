import type { Oid } from '../../model/encoding/oid.ts'
import type { Subagent } from '../../model/turn.ts'
import type { Block } from '../../model/view.ts'
import type { LogEntry } from '../entries.ts'

type Call = Block & { readonly kind: 'toolCall' }
type Result = Block & { readonly kind: 'toolResult' }

/** The result of a call, and the entry that holds it. */
interface FoundResult {
  readonly oid: Oid
  readonly block: Result
}

/** The tool calls among entries in the order of their path, with their results and the sub-agents that they started. */
export class Exchanges {
  readonly #results = new Map<Call, FoundResult>()
  readonly #calls = new Map<Result, Call>()
  readonly #agents = new Map<Call, readonly Subagent[]>()

  constructor(entries: readonly LogEntry[]) {
    /** The calls without a result so far, by their ids. */
    const open = new Map<string, Call[]>()
    for (const entry of entries) {
      for (const block of entry.view.blocks)
        if (block.kind === 'toolCall') open.set(block.id, [...(open.get(block.id) ?? []), block])
        else if (block.kind === 'toolResult') {
          const call = open.get(block.id)?.shift()
          if (!call) continue
          this.#results.set(call, { oid: entry.oid, block })
          this.#calls.set(block, call)
        }
      const starter = this.#lastCall(entry)
      if (starter && entry.subagents)
        this.#agents.set(starter, [...this.agentsOf(starter), ...entry.subagents])
    }
  }

  resultOf(call: Call): FoundResult | undefined {
    return this.#results.get(call)
  }

  /** Returns whether a result answers one of the calls. */
  isAnswer(result: Result): boolean {
    return this.#calls.has(result)
  }

  /** Returns the sub-agents that a call started: those of its entry or, if that has several calls, of its last call. */
  agentsOf(call: Call): readonly Subagent[] {
    return this.#agents.get(call) ?? []
  }

  /** Returns the sub-agents of an entry that neither calls a tool nor answers a call; undefined if there are none. */
  agentsWithoutCall(entry: LogEntry): readonly Subagent[] | undefined {
    return this.#lastCall(entry) ? undefined : entry.subagents
  }

  /** Returns the last call of an entry, or the call that its last result answers. */
  #lastCall({ view }: LogEntry): Call | undefined {
    for (const block of view.blocks.toReversed())
      if (block.kind === 'toolCall') return block
      else if (block.kind === 'toolResult') return this.#calls.get(block)
    return undefined
  }
}
