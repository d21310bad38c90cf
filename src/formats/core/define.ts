import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { OPAQUE, type Usage, type View } from '../../model/view.ts'
import { type AllowList, fieldNames, selectFields } from './fields.ts'
import type { Facts, Format, Reader, Reading, RecordIndex } from './format.ts'
import { IdMap } from './idmap.ts'
import { jsonLines } from './jsonlines.ts'
import { lackedIn, NO_ID, NONE, RecordTree } from './recordtree.ts'
import type { Unit, Warning } from './splitter.ts'
import { millis } from './values.ts'

/** A kind of entry of a format. */
interface EntryDeclaration {
  /** The fields of a record that carry the conversation; all others belong to the record. Without it all are the body. */
  readonly body?: AllowList
  /** The keys that lead from a record to the object that has these fields. */
  readonly at?: readonly string[]
  /** Returns the view of an entry from its body. Never throws. */
  readonly view: (body: Json) => View
  /** Returns the usage that a record holds outside of the body. */
  readonly usage?: (record: Json) => Usage | undefined
}

/** The entries of a format by their kinds. */
export type EntryDeclarations = Readonly<Record<string, EntryDeclaration>>

/** Returns the declaration of entries that one function views, from the fields of each kind. */
export const entriesBy = (
  bodies: Readonly<Record<string, AllowList | undefined>>,
  view: (kind: string, body: Json) => View,
  more: Omit<EntryDeclaration, 'body' | 'view'> = {},
): EntryDeclarations =>
  Object.fromEntries(
    Object.entries(bodies).map(([kind, body]) => [
      kind,
      { ...more, ...(body && { body }), view: (value: Json) => view(kind, value) },
    ]),
  )

/** Returns the declaration of entries of some kinds with the same fields. */
export const entriesOf = (
  kinds: Iterable<string>,
  body: AllowList | undefined,
  view: (kind: string, body: Json) => View,
  more: Omit<EntryDeclaration, 'body' | 'view'> = {},
): EntryDeclarations => entriesBy(Object.fromEntries([...kinds].map((kind) => [kind, body])), view, more)

/** The fields of a record that the standard reader needs. */
interface RecordDeclaration {
  /** The field with its id, and the one with the id of its parent: without a parent each entry continues the one before. */
  readonly id?: string
  readonly parent?: string
  /** The field with its time, or a function that returns the time in milliseconds since 1970. */
  readonly time?: string | ((record: JsonObject) => number | undefined)
  /** Returns the kind of entry that a record carries, undefined for none; its `type` by default. */
  readonly kind?: (record: JsonObject) => string | undefined
  /** Returns the facts that a record gives; the first record that gives a fact determines it. */
  readonly facts?: (record: JsonObject) => Facts
  /** Returns the facts that the names of the file, its folder and the folders above give. */
  readonly names?: (name: string, folder?: string, above?: readonly string[]) => Facts
}

/**
 * A format, declared once: the reader, the view and the table of fields in the docs use `entries`. A format of JSON lines
 * needs no more than this; another one brings its own splitter or reader.
 */
export interface FormatDeclaration
  extends Omit<
      Format,
      'dialect' | 'reading' | 'conversational' | 'splitter' | 'reader' | 'view' | 'usage' | 'fields'
    >,
    Partial<Pick<Format, 'dialect' | 'reading' | 'conversational' | 'splitter' | 'reader'>> {
  readonly entries: EntryDeclarations
  /** Returns the view of an entry whose kind is not declared; opaque by default. */
  readonly otherView?: (kind: string, body: Json) => View
  readonly record?: RecordDeclaration
}

/** Returns the format of a declaration. Its dialect is its name, its reading 1, its source JSON lines by default. */
export function defineFormat({ entries, record = {}, otherView, ...rest }: FormatDeclaration): Format {
  const { name, dialect = name } = rest
  const kinds: ReadonlyMap<string, EntryDeclaration> = new Map(Object.entries(entries))
  const usage = Object.entries(entries).flatMap(([kind, { usage: of }]) => (of ? [[kind, of] as const] : []))
  return {
    dialect,
    reading: 1,
    conversational: true,
    splitter: jsonLines,
    reader: (file, folder, above) =>
      new RecordReader(dialect, record, kinds, record.names?.(file, folder, above) ?? {}),
    ...rest,
    view: (kind, body) => kinds.get(kind)?.view(body) ?? otherView?.(kind, body) ?? OPAQUE,
    ...(usage.length > 0 && { usage: Object.fromEntries(usage) }),
    fields: new Map([...kinds].map(([kind, { body, at }]) => [kind, body ? fieldNames(body, at) : ['*']])),
  }
}

/** Reads records one by one: a tree by ids where the records name their parents, else one chain. */
class RecordReader implements Reader {
  readonly #dialect: string
  readonly #record: RecordDeclaration
  readonly #kinds: ReadonlyMap<string, EntryDeclaration>
  readonly #nodes = new RecordTree()
  readonly #ids = new IdMap()
  #facts: Facts
  #last: RecordIndex = NONE

  constructor(
    dialect: string,
    record: RecordDeclaration,
    kinds: ReadonlyMap<string, EntryDeclaration>,
    known: Facts,
  ) {
    this.#dialect = dialect
    this.#record = record
    this.#kinds = kinds
    this.#facts = known
  }

  read({ value }: Unit): Reading {
    const at = this.#nodes.length
    if (!isObject(value)) {
      this.#nodes.skip()
      return {}
    }
    const record = this.#record
    const time = typeof record.time === 'function' ? record.time(value) : timeIn(value, record.time)
    const native = record.id === undefined ? undefined : asString(value[record.id])
    if (record.facts) this.#facts = { ...record.facts(value), ...this.#facts }
    const kind = record.kind ? record.kind(value) : asString(value.type)
    const declared = kind === undefined ? undefined : this.#kinds.get(kind)
    const warnings: Warning[] = []
    const parent = this.#parentOf(value, warnings)
    if (declared && record.parent !== undefined && native === undefined) warnings.push(NO_ID)
    const isNode = declared !== undefined || record.parent !== undefined
    if (isNode) {
      const lacking = record.parent === undefined ? undefined : lackedIn(warnings, value[record.parent])
      this.#nodes.add(parent, declared !== undefined, lacking)
      this.#last = at
    } else this.#nodes.skip()
    if (native !== undefined && !this.#ids.has(native)) this.#ids.set(native, at)
    const noticed = warnings.length > 0 ? warnings : undefined
    if (!declared) return { time, native, warnings: noticed }
    const { at: bodyPath } = declared
    const inner = innerOf(value, bodyPath)
    const body = isObject(inner) && declared.body ? selectFields(inner, declared.body) : (inner ?? null)
    const above = this.#nodes.entryAt(parent)
    const place = { type: `${this.#dialect}/${kind}`, body, parent: above === NONE ? null : above }
    const entry = bodyPath === undefined ? place : { ...place, bodyPath }
    return { entry, time, native, dangling: this.#nodes.lacking(at), warnings: noticed }
  }

  active(): RecordIndex | null {
    const entry = this.#last === NONE ? NONE : this.#nodes.entryAt(this.#last)
    return entry === NONE ? null : entry
  }

  facts(): Facts {
    return this.#facts
  }

  #parentOf(value: JsonObject, warnings: Warning[]): RecordIndex {
    const { parent } = this.#record
    const id = parent === undefined ? undefined : value[parent]
    if (parent === undefined || id === undefined) return this.#last
    if (id === null) return NONE
    const known = this.#ids.get(asString(id) ?? '')
    if (known === undefined)
      warnings.push({ code: 'dangling-parent', message: 'its parent was not read before: a root' })
    return known ?? NONE
  }
}

const timeIn = (value: JsonObject, name: string | undefined): number | undefined =>
  name === undefined ? undefined : millis(value[name])

function innerOf(value: Json, path: readonly string[] | undefined): Json | undefined {
  let inner: Json | undefined = value
  for (const key of path ?? []) inner = field(inner, key)
  return inner
}
