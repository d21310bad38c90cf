import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Facts, ParsedEntry, Reader, Reading, RecordIndex } from '../format.ts'
import { millis } from '../hints.ts'
import { IdMap } from '../idmap.ts'
import { lackedIn, NO_ID } from '../lacking.ts'
import { given } from '../linearreader.ts'
import { NONE, Nodes } from '../nodes.ts'
import type { Unit, Warning } from '../unit.ts'
import { bodyOf, KINDS } from './body.ts'

/** The records that carry no entry. */
const PASSED: ReadonlySet<string> = new Set([
  'session_start',
  'todo_state',
  'agent_turn_outcome',
  'session_end',
  'error',
])

/** Reads the records of one session of Droid, or of what `droid exec` printed, in order. */
export class DroidReader implements Reader {
  readonly #nodes = new Nodes()
  readonly #ids = new IdMap()
  /** The compaction that came after a node: what continues the node continues the compaction. */
  readonly #compacted = new Map<RecordIndex, RecordIndex>()
  readonly #unknown = new Set<string>()
  #header: JsonObject | undefined
  #session: string | undefined
  #created: number | undefined
  /** What the assistant said last, in what was printed: the end says it again. */
  #said: string | undefined
  #last: RecordIndex = NONE

  read({ value }: Unit): Reading {
    const at = this.#nodes.length
    if (!isObject(value)) {
      this.#nodes.skip()
      return {}
    }
    const time = millis(value.timestamp)
    const native = asString(value.id)
    const kind = asString(value.type) ?? ''
    this.#gather(kind, value, time)
    const envelope = { ...(time !== undefined && { time }), ...(native !== undefined && { native }) }
    const warnings: Warning[] = []
    if (!this.#isEntry(kind, value, warnings)) {
      this.#nodes.skip()
      return { ...envelope, ...(warnings.length > 0 && { warnings }) }
    }
    const parent = this.#parentOf(value, warnings)
    const links = kind === 'compaction_state' ? this.#linksOf(value, parent, warnings) : {}
    if (kind === 'compaction_state' && parent !== NONE) this.#compacted.set(parent, at)
    this.#nodes.add(parent, true, lackedIn(warnings, value.parentId))
    this.#last = at
    if (kind === 'message' || kind === 'compaction_state') this.#name(native, at, warnings)
    if (kind === 'message' && native === undefined && value.parentId !== undefined) warnings.push(NO_ID)
    const entry: ParsedEntry = {
      type: `droid/${kind}`,
      body: bodyOf(kind, this.#once(kind, value)),
      parent: parent === NONE ? null : parent,
      ...links,
    }
    const dangling = given('dangling', this.#nodes.lacking(at))
    return { ...envelope, entry, ...dangling, ...(warnings.length > 0 && { warnings }) }
  }

  active(): RecordIndex | null {
    return this.#last === NONE ? null : this.#last
  }

  facts(): Facts {
    const title = asString(field(this.#header, 'title')) || asString(field(this.#header, 'sessionTitle'))
    const cwd = asString(field(this.#header, 'cwd'))
    return {
      ...(this.#session && { id: this.#session }),
      ...(title && { title }),
      ...(cwd && { cwd }),
      ...(this.#created !== undefined && { created: this.#created }),
    }
  }

  #gather(kind: string, value: JsonObject, time: number | undefined): void {
    this.#created ??= time
    if (kind === 'session_start' || kind === 'system') this.#header ??= value
    this.#session ??=
      kind === 'session_start' ? asString(value.id) : asString(value.session_id ?? value.sessionId)
  }

  #isEntry(kind: string, value: JsonObject, warnings: Warning[]): boolean {
    if (kind === 'message' && !isObject(value.message) && typeof value.text !== 'string') {
      warnings.push({ code: 'bad-message', message: 'a message record holds no message' })
      return false
    }
    if (KINDS.has(kind)) return kind !== 'system' || typeof value.model === 'string'
    if (PASSED.has(kind) || this.#unknown.has(kind)) return false
    this.#unknown.add(kind)
    warnings.push({ code: 'unknown-type', message: `records of type '${kind}' are kept as records only` })
    return false
  }

  /** Gives the node that a record continues: where it names none, the one before. */
  #parentOf({ parentId }: JsonObject, warnings: Warning[]): RecordIndex {
    if (parentId === undefined) return this.#last
    if (parentId === null || parentId === this.#session) return NONE
    const parent = this.#ids.get(asString(parentId) ?? '')
    if (parent !== undefined) return this.#compacted.get(parent) ?? parent
    warnings.push({ code: 'dangling-parent', message: 'its parent was not read before: a root' })
    return NONE
  }

  /** The anchor is the last message that was compacted. */
  #linksOf(value: JsonObject, parent: RecordIndex, warnings: Warning[]): Pick<ParsedEntry, 'links'> {
    const anchor = this.#ids.get(asString(field(value.anchorMessage, 'id')) ?? '')
    if (anchor === undefined || !this.#nodes.isOn(anchor, parent)) {
      if (value.anchorMessage !== undefined)
        warnings.push({ code: 'dangling-target', message: 'its anchor is no message before it on its path' })
      return {}
    }
    const firstKept = this.#nodes.entryAfter(anchor, parent)
    return firstKept === undefined ? {} : { links: { firstKept } }
  }

  #name(native: string | undefined, at: RecordIndex, warnings: Warning[]): void {
    if (native === undefined) return
    if (!this.#ids.has(native)) this.#ids.set(native, at)
    else
      warnings.push({
        code: 'duplicate-id',
        message: `the id '${native}' is taken; it names its first record`,
      })
  }

  /** Gives a record without the words that were said before. */
  #once(kind: string, value: JsonObject): JsonObject {
    const words: Json | undefined = kind === 'completion' ? value.finalText : value.text
    const again = kind === 'completion' && words !== undefined && words === this.#said
    if (kind === 'completion') this.#said = undefined
    else if (kind === 'message') this.#said = value.role === 'assistant' ? asString(words) : undefined
    if (!again) return value
    const { finalText: _, ...rest } = value
    return rest
  }
}
