import { asString, field } from '../../model/json.ts'
import { promptIn } from '../../model/summary.ts'
import type { Block } from '../../model/view.ts'
import type { RecordIndex } from '../format.ts'

/** The tools that start a sub-agent. */
const STARTS: ReadonlySet<string> = new Set(['Agent', 'Task'])

/** Gathers what a session asked sub-agents, which is all that its calls and these have in common. */
export class Asks {
  /** The entries with the calls, by the first words; what two asked alike is none's. */
  readonly found = new Map<string, RecordIndex>()
  readonly #twice = new Set<string>()

  /** Takes what an entry says. */
  add(blocks: readonly Block[], entry: RecordIndex): void {
    for (const block of blocks) {
      const text =
        block.kind === 'toolCall' && STARTS.has(block.name) ? field(block.input, 'prompt') : undefined
      const asked = promptIn({ role: 'user', blocks: [{ kind: 'text', text: asString(text) ?? '' }] })
      if (asked === undefined || this.#twice.has(asked) || this.found.get(asked) === entry) continue
      if (!this.found.has(asked)) this.found.set(asked, entry)
      else if (this.found.delete(asked)) this.#twice.add(asked)
    }
  }
}
