import type { JsonObject } from '../../model/json.ts'
import type { Facts } from '../format.ts'
import { idAt, textAt } from './look.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const AGENT = /^agent-[\w-]*[0-9a-f]{6}$/i

/**
 * Gathers what the records say of their session. The first folder counts: a session may move between
 * projects.
 */
export class Gatherer {
  readonly #stem: string
  #session: string | undefined
  #agent: string | undefined
  #first = true
  /** The session that this one was forked from. */
  #source: string | undefined
  #cwd: string | undefined
  #created: number | undefined
  #customTitle: string | undefined
  #aiTitle: string | undefined
  readonly #summaries: { readonly text: string; readonly leaf: string | undefined }[] = []

  /** Begins with the name of the file: agents name it by the session. */
  constructor(name: string) {
    this.#stem = name.replace(/\.jsonl?(\.\w+)?$/, '')
  }

  /** Takes the next record. */
  add(record: JsonObject, time: number | undefined): void {
    this.#session ??= idAt(record, 'sessionId')
    this.#source ??= idAt(record, 'forkedFrom', 'sessionId')
    this.#cwd ??= idAt(record, 'cwd')
    this.#created ??= time
    if (this.#first && idAt(record, 'uuid') !== undefined) {
      this.#first = false
      if (record.isSidechain === true) this.#agent = idAt(record, 'agentId')
    }
    const type = textAt(record, 'type')
    if (type === 'custom-title') this.#customTitle = idAt(record, 'customTitle') ?? this.#customTitle
    else if (type === 'ai-title') this.#aiTitle = idAt(record, 'aiTitle') ?? this.#aiTitle
    else if (type === 'summary') this.#addSummary(record)
  }

  /** Whether the file is a sub-agent's own. */
  get isAgent(): boolean {
    return this.#agentId() !== undefined
  }

  /** Gives the facts; `isHere` tells whether the file has a record with an id. */
  facts(isHere: (id: string) => boolean): Facts {
    const id = UUID.test(this.#stem) ? this.#stem : (this.#agentId() ?? this.#session)
    const source = this.isAgent ? this.#session : this.#source
    const parent = source === id ? undefined : source
    const own = this.#summaries.findLast(({ leaf }) => leaf !== undefined && isHere(leaf))
    const title = this.#customTitle ?? this.#aiTitle ?? (own ?? this.#summaries.at(-1))?.text
    return {
      ...(id !== undefined && { id }),
      ...(title !== undefined && { title }),
      ...(parent !== undefined && { parent }),
      ...(this.#cwd !== undefined && { cwd: this.#cwd }),
      ...(this.#created !== undefined && { created: this.#created }),
    }
  }

  #agentId(): string | undefined {
    if (AGENT.test(this.#stem)) return this.#stem
    return this.#agent === undefined ? undefined : `agent-${this.#agent}`
  }

  #addSummary(record: JsonObject): void {
    const text = idAt(record, 'summary')
    if (text !== undefined) this.#summaries.push({ text, leaf: idAt(record, 'leafUuid') })
  }
}
