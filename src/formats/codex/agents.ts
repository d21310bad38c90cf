import { asString, field, type Json, type JsonObject } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import type { Handle } from '../format.ts'

/** Gathers the agents that a rollout's calls started: the result of `spawn_agent` names the thread. */
export class Agents {
  /** By the id of the thread. */
  readonly found = new Map<string, Handle>()
  readonly #calls = new Map<string, Handle>()

  /** Takes an item that is an entry. */
  add(item: JsonObject, entry: Handle): void {
    const call = asString(item.call_id)
    if (call === undefined) return
    if (item.type === 'function_call' && item.name === 'spawn_agent') this.#calls.set(call, entry)
    const caller = item.type === 'function_call_output' ? this.#calls.get(call) : undefined
    const agent = caller === undefined ? undefined : agentIn(item.output)
    if (caller !== undefined && agent !== undefined) this.found.set(agent, caller)
  }
}

const agentIn = (output: Json | undefined): string | undefined => {
  const text = asString(output)
  return text === undefined ? undefined : asString(field(tryParse(text), 'agent_id'))
}
