import type { Json, JsonObject } from '../../src/model/json.ts'
import { loadVerb, type VerbName } from '../../src/verbs/index.ts'
import { contextOf, openStore, type Store } from '../../src/verbs/open.ts'
import { readInput } from '../../src/verbs/readinput.ts'
import { perform } from '../../src/verbs/verb.ts'

/** What the interface sends for a call. */
interface ToyReply {
  readonly operation: number | null
  readonly repeated: boolean
  readonly result: Json
}

/** A whole interface: JSON comes in and goes out, and it knows nothing of a store but verbs. */
export class ToyInterface {
  readonly called = new Set<VerbName>()
  readonly #store: Store

  private constructor(store: Store) {
    this.#store = store
  }

  static async open(folder: string): Promise<ToyInterface> {
    return new ToyInterface(await openStore(folder, { create: true, cwd: '/work', lockTimeout: 60_000 }))
  }

  async call(name: VerbName, asked: JsonObject = {}, signal?: AbortSignal): Promise<ToyReply> {
    this.called.add(name)
    const verb = await loadVerb(name)
    const call = { command: `toy ${name}`, actor: 'person' as const, ...(signal && { signal }) }
    const context = contextOf(this.#store, call)
    const { input, terms } = readInput(verb, asked, context.where)
    const { result, ...done } = await perform(verb, context, input, terms)
    const sent = result === null ? null : verb.output.wire(result)
    return { ...done, result: JSON.parse(JSON.stringify(sent)) as Json }
  }

  /** Yields the pages of a list. */
  async *pages(name: VerbName, asked: JsonObject = {}): AsyncGenerator<readonly JsonObject[]> {
    for (let after: Json = null; ; ) {
      const { result } = await this.call(name, { ...asked, after })
      const { items, next } = result as {
        readonly items: readonly JsonObject[]
        readonly next: string | null
      }
      yield items
      if (next === null) return
      after = next
    }
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
