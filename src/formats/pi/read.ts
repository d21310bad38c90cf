import { Verbatim } from '../../model/encoding/verbatim.ts'
import { asString, field, isObject, items, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import { NumberList } from '../../model/numberlist.ts'
import { bodyOf, type EntryDeclarations } from '../core/define.ts'
import {
  type Facts,
  type FormatReader,
  NONE,
  type ParsedEntry,
  type Reading,
  type RecordIndex,
} from '../core/format.ts'
import { IdMap } from '../core/idmap.ts'
import { IdTree } from '../core/idtree.ts'
import type { Unit, Warning } from '../core/splitter.ts'
import { factsOf, fieldAt } from '../core/values.ts'
import { ENTRIES } from './entries.ts'

/** The properties of one agent among those that write pi's form of files. */
export interface PiDialect {
  /** The part of entry types before the slash. */
  readonly name: string
  /** The entries, by the types of the records that carry them. */
  readonly entries: EntryDeclarations
  /** Returns the title in a record, empty if the record removes it; undefined if it has none. */
  readonly titleIn: (value: JsonObject) => string | undefined
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ').trim()

/** pi itself. */
export const PI: PiDialect = {
  name: 'pi',
  entries: ENTRIES,
  titleIn: ({ type, name }) => (type === 'session_info' ? oneLine(asString(name) ?? '') : undefined),
}

/**
 * Returns whether a value is the header of a pi session. Pi leaves `version` out of its first format, so that a
 * header of version 1 is Dash's; headers with a place in the tree (`parent`, `uuid`) are those of other
 * formats.
 */
export const isPiHeader = (value: Json | undefined): boolean =>
  field(value, 'type') === 'session' &&
  typeof field(value, 'id') === 'string' &&
  field(value, 'version') !== 1 &&
  field(value, 'parent') === undefined &&
  field(value, 'uuid') === undefined

/**
 * Returns when a record was written, in milliseconds since 1970: by its own time, else by that of its message.
 * Undefined if neither holds one.
 */
export const timeOf = (record: Json): number | undefined =>
  millis(field(record, 'timestamp')) ?? millis(fieldAt(record, 'message', 'timestamp'))

/** Returns the milliseconds since 1970 that a number or an ISO date holds, or undefined if it holds none. */
export function millis(time: Json | undefined): number | undefined {
  const value = typeof time === 'number' ? time : Date.parse(asString(time) ?? '')
  return Number.isFinite(value) ? value : undefined
}

/** Reads the records of one session file in the form of pi, in order. */
export class PiReader implements FormatReader {
  readonly #dialect: PiDialect
  private readonly tree = new IdTree()
  /** The messages that hold tool calls, by the ids of the calls. */
  private readonly calls = new IdMap()
  /** The records that pi's own loader finds, header included, as version 1 numbers them. */
  private readonly loaded = new NumberList()
  /** The line of the last unit, and whether the last of `#loaded` is on it. */
  #line = 0
  #fresh = false
  /** The latest label of each target, the newest last. */
  private readonly labels = new Map<string, string>()
  private header: JsonObject | undefined
  private title = ''

  constructor(dialect: PiDialect) {
    this.#dialect = dialect
  }

  read(unit: Unit): Reading {
    const at = this.tree.length
    const { value } = unit
    this.#count(unit, at)
    if (!isObject(value)) {
      this.tree.skip(unit)
      return {}
    }
    const [native, time] = [asString(value.id), timeOf(value)]
    this.title = this.#dialect.titleIn(value) ?? this.title
    if (value.type === 'session' || value.type === 'title') {
      if (value.type === 'session') this.header ??= value
      this.tree.skip(unit)
      return { time, native }
    }
    const warnings: Warning[] = []
    const parent = this.#parentOf(value, warnings)
    const kind = this.#kindOf(value, warnings)
    const entry = kind === undefined ? undefined : this.#entryOf(kind, value, parent, warnings)
    const { parentId } = value
    const reading = this.tree.add(unit, { native, time, parent, parentId, entry, warnings })
    if (value.type === 'leaf') this.tree.last = parent
    if (this.tree.nodes.isNode(at)) this.#note(value, at)
    return reading
  }

  active(): RecordIndex | null {
    return this.tree.entryOf(this.tree.last)
  }

  /** Returns the entry of the record with an id, or the one above it; null if there is none. */
  entryOf(id: string): RecordIndex | null {
    return this.tree.entryOf(this.tree.named(id) ?? NONE)
  }

  /** Returns entries by the ids that name them, without names of nothing. */
  entriesOf(ids: ReadonlyMap<string, string>): ReadonlyMap<string, RecordIndex> {
    return this.tree.entriesOf([...ids].map(([name, id]) => [name, this.tree.named(id)]))
  }

  facts(): Facts {
    const labels = new Map([...this.labels].map(([id, label]) => [label, id] as const))
    const { id, cwd, parentSession, branchedFrom } = this.header ?? {}
    const facts = factsOf({
      id: asString(id),
      title: this.title,
      cwd: asString(cwd),
      parent: sessionIn(parentSession ?? branchedFrom),
      created: this.header && timeOf(this.header),
    })
    return { ...facts, labels: this.entriesOf(labels) }
  }

  /** Pi skips a line that is not one JSON value and nothing else: no record on it has a number. */
  #count(unit: Unit, at: RecordIndex): void {
    const sameLine = unit.line === this.#line
    if (sameLine && this.#fresh) this.loaded.pop()
    this.#line = unit.line
    this.#fresh = !sameLine && unit.value !== undefined && !unit.salvaged
    if (this.#fresh) this.loaded.push(at)
  }

  /**
   * Returns the node that a record continues: the one before it if the record has no parent field, as in version 1. A
   * `leaf` record is no node of its own but moves to its target.
   */
  #parentOf(value: JsonObject, warnings: Warning[]): RecordIndex {
    const name = value.type === 'leaf' ? 'targetId' : 'parentId'
    if (!Object.hasOwn(value, name)) return this.tree.last
    const id = value[name] as Json
    if (id === null) return NONE
    const known = this.#nodeOf(id)
    if (known !== undefined) return known
    if (id === field(this.header, 'id')) return NONE
    warnings.push(dangling(name, id))
    return value.type === 'leaf' ? this.tree.last : NONE
  }

  /** OpenClaw lets a tool's result name the call as its parent: that is the message which holds the call. */
  #nodeOf(id: Json | undefined): RecordIndex | undefined {
    const known = this.tree.named(id)
    if (known !== undefined) return known
    const call = this.calls.get(asString(id) ?? '')
    return call === undefined ? undefined : this.tree.current(call)
  }

  /** Returns the kind of entry that a record carries, or undefined if it carries none. */
  #kindOf(value: JsonObject, warnings: Warning[]): string | undefined {
    const kind = asString(value.type)
    if (kind === undefined || !Object.hasOwn(this.#dialect.entries, kind)) return undefined
    if (kind !== 'message' || isObject(value.message) || value.message instanceof Verbatim) return kind
    warnings.push({ code: 'bad-message', message: 'a message record holds no message' })
    return undefined
  }

  #entryOf(
    kind: string,
    value: JsonObject,
    parent: RecordIndex,
    warnings: Warning[],
  ): Omit<ParsedEntry, 'parent'> {
    const links = this.#linksOf(kind, value, parent, warnings)
    const type = `${this.#dialect.name}/${kind}`
    return { type, body: bodyOf(this.#dialect.entries, kind, value), ...(links && { links }) }
  }

  #linksOf(
    kind: string,
    value: JsonObject,
    parent: RecordIndex,
    warnings: Warning[],
  ): ParsedEntry['links'] | undefined {
    if (kind === 'compaction') {
      const firstKept = this.#firstKept(value, parent, warnings)
      return firstKept === undefined ? undefined : { firstKept }
    }
    if (kind !== 'context_edit') return undefined
    const target = this.#nodeOf(value.targetId)
    if (target !== undefined && this.tree.nodes.entryFrom(target, parent) === target) return { target }
    warnings.push(dangling('targetId', value.targetId))
    return undefined
  }

  /**
   * A compaction that keeps nothing names itself; one of version 1 names a place, which may be the header's.
   */
  #firstKept(value: JsonObject, parent: RecordIndex, warnings: Warning[]): RecordIndex | undefined {
    const { nodes } = this.tree
    const { firstKeptEntryId: id, firstKeptEntryIndex: index } = value
    if (id === undefined || id === null) {
      const target = typeof index === 'number' ? this.loaded.at(index) : undefined
      return target !== undefined && nodes.isNode(target) ? nodes.entryFrom(target, parent) : undefined
    }
    if (id === value.id) return undefined
    const target = this.tree.named(id)
    const kept = target === undefined ? undefined : nodes.entryFrom(target, parent)
    if (kept === undefined) warnings.push(dangling('firstKeptEntryId', id))
    return kept
  }

  /** Notes the calls and the label of a record for later records and the facts. */
  #note(value: JsonObject, at: RecordIndex): void {
    if (value.type === 'message') {
      for (const block of items(field(value.message, 'content'))) {
        const call = field(block, 'type') === 'toolCall' ? asString(field(block, 'id')) : undefined
        if (call !== undefined) this.calls.set(call, at)
      }
    }
    if (value.type === 'label') this.#label(asString(value.targetId), asString(value.label))
  }

  #label(target: string | undefined, label: string | undefined): void {
    if (target === undefined) return
    this.labels.delete(target)
    if (label) this.labels.set(target, label)
  }
}

const dangling = (name: string, id: Json | undefined): Warning =>
  name === 'parentId'
    ? { code: 'dangling-parent', message: `the parent '${spelling(id)}' was not read before: a root` }
    : { code: 'dangling-target', message: `${name} '${spelling(id)}' is no entry before it on its path` }

/** pi names the session that one was forked from by its file, oh-my-pi by its file or its id: the id ends the name. */
function sessionIn(name: Json | undefined): string | undefined {
  const text = asString(name) ?? ''
  const last = text.slice(1 + Math.max(...['\\', '/', '_'].map((before) => text.lastIndexOf(before))))
  return last.replace(/(?<=.)\.jsonl$/, '') || undefined
}

const spelling = (id: Json | undefined): string => asString(id) ?? (id === undefined ? '' : jsonText(id))

/** Translates the place of a record into pi's version 3, and leaves its content unchanged. */
export interface Translator {
  translate(value: JsonObject, unit: Unit): JsonObject
  /** The branches that were named, by the ids of their newest records. */
  readonly branches?: ReadonlyMap<string, string> | undefined
  /** The record that the agent is at: its id, null before the first; undefined if it is the last record. */
  readonly leaf?: string | null | undefined
}

/** Reads records whose place in the tree has to be translated. */
export class TranslatedReader implements FormatReader {
  private readonly reader: PiReader
  private readonly translator: Translator

  constructor(dialect: PiDialect, translator: Translator) {
    this.reader = new PiReader(dialect)
    this.translator = translator
  }

  read(unit: Unit): Reading {
    const { value } = unit
    return this.reader.read(
      isObject(value) ? { ...unit, value: this.translator.translate(value, unit) } : unit,
    )
  }

  active(): RecordIndex | null {
    const { leaf } = this.translator
    if (leaf === undefined) return this.reader.active()
    return leaf === null ? null : this.reader.entryOf(leaf)
  }

  facts(): Facts {
    const { branches } = this.translator
    return {
      ...this.reader.facts(),
      ...(branches && { branches: this.reader.entriesOf(branches) }),
    }
  }
}
