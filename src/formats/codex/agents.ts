import { asString, field, type Json, type JsonObject } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import type { RecordIndex } from '../format.ts'

/** Gathers the agents that a rollout's calls started: an event, or the result of `spawn_agent`, names the thread. */
export class Agents {
  /** By the id of the thread. */
  readonly found = new Map<string, RecordIndex>()
  /** The calls that have no result yet, by their ids. */
  readonly #calls = new Map<string, { readonly name: Json | undefined; readonly entry: RecordIndex }>()

  /** Takes an item that is an entry. */
  add(item: JsonObject, entry: RecordIndex): void {
    const call = asString(item.call_id)
    if (call === undefined) return
    if (item.type === 'function_call') this.#calls.set(call, { name: item.name, entry })
    if (item.type !== 'function_call_output') return
    const caller = this.#calls.get(call)
    this.#calls.delete(call)
    if (caller?.name === 'spawn_agent') this.#link(agentIn(item.output), caller.entry)
  }

  /** Takes an event. */
  tell(event: JsonObject): void {
    if (event.type !== 'collab_agent_spawn_end') return
    const caller = this.#calls.get(asString(event.call_id) ?? '')
    if (caller) this.#link(asString(event.new_thread_id), caller.entry)
  }

  #link(agent: string | undefined, caller: RecordIndex): void {
    if (agent !== undefined && !this.found.has(agent)) this.found.set(agent, caller)
  }
}

const agentIn = (output: Json | undefined): string | undefined => {
  const text = asString(output)
  return text === undefined ? undefined : asString(field(tryParse(text), 'agent_id'))
}
