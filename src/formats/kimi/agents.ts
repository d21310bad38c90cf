import type { View } from '../../model/view.ts'
import type { RecordIndex } from '../format.ts'
import { agentId } from './place.ts'

/** The line above what an agent found with which the result of a call names it. */
const STARTED = /^agent_id: ([\w-]+)$/gm

/** Gathers the agents that the calls of a session started. */
export class Agents {
  /** By the ids of their sessions. */
  readonly found = new Map<string, RecordIndex>()
  readonly #session: string
  readonly #calls = new Map<string, RecordIndex>()

  /** Begins with the id of the session. */
  constructor(session: string) {
    this.#session = session
  }

  /** Takes an entry: it may hold such a call, or bring what came of one. */
  add({ blocks }: View, entry: RecordIndex): void {
    for (const block of blocks) {
      if (block.kind === 'toolCall' && block.name.startsWith('Agent')) this.#calls.set(block.id, entry)
      const caller = block.kind === 'toolResult' ? this.#calls.get(block.id) : undefined
      if (block.kind !== 'toolResult' || caller === undefined) continue
      const [head = ''] = block.text.split('\n\n', 1)
      for (const [, agent = ''] of head.matchAll(STARTED)) {
        const id = agentId(this.#session, agent)
        if (!this.found.has(id)) this.found.set(id, caller)
      }
    }
  }
}
