import { asString, field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { OPAQUE, type Usage, type View } from '../../model/view.ts'
import { PlaceHistory } from './facthistory.ts'
import type { Facts, Format, FormatReader, ParsedEntry, Reading, RecordIndex } from './format.ts'
import { jsonLines } from './jsonlines.ts'
import { KnownFormat, type KnownRecords } from './known.ts'
import type { Unit } from './splitter.ts'
import { millis } from './values.ts'

/** Returns the part of a value that belongs to the conversation: the value itself where that is all of it. */
export type FieldSelector = (value: Json) => Json

/** The fields of an object that belong to the conversation, each with the part of it that does. */
export type AllowList = Readonly<Record<string, FieldSelector>>

const whole: FieldSelector = (value) => value

/** The names of the fields that a selection is made of, below the field that it selects from. */
const names = new WeakMap<FieldSelector, readonly string[]>()

function named(select: FieldSelector, below: readonly string[]): FieldSelector {
  names.set(select, below)
  return select
}

/** Returns the names of fields as a path each, below a path of keys. */
const fieldNames = (allowed: AllowList, at: readonly string[] = []): readonly string[] =>
  Object.entries(allowed).flatMap(([key, select]) => {
    const path = [...at, key].join('.')
    const below = names.get(select)
    return below ? below.map((name) => `${path}${name.startsWith('[') ? '' : '.'}${name}`) : [path]
  })

/** Selects named fields of an object. A value that is no object is taken whole. */
export const fields = (allowed: AllowList): FieldSelector =>
  named((value) => (isObject(value) ? selectFields(value, allowed) : value), fieldNames(allowed))

/** Returns the named fields of an object, in its order; the object itself where it has no others. */
export function selectFields(value: JsonObject, allowed: AllowList): JsonObject {
  const body: Record<string, Json> = {}
  let same = true
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(allowed, key)) {
      same = false
      continue
    }
    const child = value[key] as Json
    const select = allowed[key] as FieldSelector
    const part = select === whole ? child : select(child)
    if (part !== child) same = false
    body[key] = part
  }
  return same ? value : body
}

/** Selects from each element of a list. A value that is no list is taken whole. */
export const each = (select: FieldSelector): FieldSelector =>
  named(
    (value) => {
      if (!Array.isArray(value)) return value
      const parts = items(value).map(select)
      return parts.every((part, i) => part === value[i]) ? (value as Json) : parts
    },
    (names.get(select) ?? ['']).map((name) => (name === '' ? '[]' : `[].${name}`)),
  )

/** Selects fields of an object by its `type`. An object of another type is taken whole, as is any other value. */
export const byType = (types: Readonly<Record<string, AllowList>>): FieldSelector =>
  named(
    (value) => {
      if (!isObject(value)) return value
      const { type } = value
      return typeof type === 'string' && Object.hasOwn(types, type)
        ? selectFields(value, types[type] as AllowList)
        : value
    },
    [...new Set(Object.values(types).flatMap((one) => fieldNames(one)))],
  )

/** Selects fields of an object that has one of them; an object with none of them is taken whole, as is any other value. */
export const known = (allowed: AllowList): FieldSelector =>
  named(
    (value) =>
      isObject(value) && Object.keys(value).some((key) => Object.hasOwn(allowed, key))
        ? selectFields(value, allowed)
        : value,
    fieldNames(allowed),
  )

/** Names fields that are taken whole. */
export const all = (...keys: readonly string[]): Record<string, FieldSelector> =>
  Object.fromEntries(keys.map((key) => [key, whole]))

/** A kind of entry of a format. */
export interface EntryDeclaration {
  /** The fields of a record that carry the conversation; all others belong to the record. Without it all are the body. */
  readonly body?: AllowList
  /** Returns the view of an entry from its body. Never throws. */
  readonly view: (body: Json) => View
  /** Returns the usage that a record holds outside of the body. */
  readonly usage?: (record: Json) => Usage | undefined
}

/** The entries of a format by their kinds. */
export type EntryDeclarations = Readonly<Record<string, EntryDeclaration>>

/** Returns the declaration of a kind of entry; undefined if it is not declared. */
const declarationOf = (entries: EntryDeclarations, kind: string): EntryDeclaration | undefined =>
  Object.hasOwn(entries, kind) ? entries[kind] : undefined

/** Returns the body of an entry of a declared kind: the declared fields of an object, or all of it. */
export function bodyOf(entries: EntryDeclarations, kind: string, value: JsonObject): JsonObject {
  const body = declarationOf(entries, kind)?.body
  return body ? selectFields(value, body) : value
}

/** Returns the view of an entry from its kind and body; opaque if the kind is not declared. */
export const viewOf = (entries: EntryDeclarations, kind: string, body: Json): View =>
  declarationOf(entries, kind)?.view(body) ?? OPAQUE

/** The entry that a record carries, where its kind alone does not say it. */
export interface CarriedEntry extends Pick<ParsedEntry, 'bodyPath' | 'links'> {
  readonly kind: string
  /** The body, if it is not made of the declared fields of the object at `bodyPath`. */
  readonly body?: Json
}

/** The properties of the records of one source that the standard reader needs: each entry continues the one before. */
export interface RecordDeclaration {
  /** The field with its id, or a function that returns its id. */
  readonly id?: string | ((record: JsonObject) => string | undefined)
  /** The field with its time, or a function that returns the time in milliseconds since 1970. */
  readonly time?: string | ((record: JsonObject) => number | undefined)
  /** Returns the entry that a record carries, or its kind; undefined for none. By default its `type` is the kind. */
  readonly carries?: (record: JsonObject, at: RecordIndex) => string | CarriedEntry | undefined
  /** Returns the facts of a record. The first record with a fact determines it, of folder and repository the last one. */
  readonly facts?: (record: JsonObject, at: RecordIndex) => Facts | undefined
  /** Returns the facts of a document, which surrounds the list of its records. */
  readonly documentFacts?: (document: JsonObject) => Facts
  /** The facts in the names of the source. */
  readonly known?: Facts
  /** An object that holds all that its functions remember from one record to the next. */
  readonly state?: object
}

/**
 * Returns the declaration for one source, from the names of its file, its folder and the folders above. What its functions
 * remember is in its `state`.
 */
type RecordsOf = (name: string, folder?: string, above?: readonly string[]) => RecordDeclaration

/**
 * A format, declared once: the reader, the view and the table of fields in the docs use `entries`. A format of JSON lines, or
 * of a JSON document with its splitter, needs no more than this; another one brings its own reader.
 */
export interface FormatDeclaration
  extends Omit<
      Format,
      'dialect' | 'reading' | 'conversational' | 'splitter' | 'reader' | 'view' | 'usage' | 'fields' | 'known'
    >,
    Partial<Pick<Format, 'dialect' | 'reading' | 'conversational' | 'splitter' | 'reader'>> {
  readonly entries: EntryDeclarations
  /** The types and fields of its records, besides the fields of entries; without it they may have any. */
  readonly known?: KnownRecords
  /** The keys that lead from a record to the object that has the fields of its entry. */
  readonly at?: readonly string[]
  /** Returns the view of an entry whose kind is not declared; opaque by default. */
  readonly otherView?: (body: Json) => View
  /** The declaration for all sources, or a function that returns it for one source. */
  readonly record?: RecordDeclaration | RecordsOf
}

/** Returns the format of a declaration. Its dialect is its name, its reading 1, its source JSON lines by default. */
export function defineFormat({
  entries,
  known: agent,
  at,
  record = {},
  otherView,
  ...rest
}: FormatDeclaration): Format {
  const { name, dialect = name } = rest
  const read = new Map(
    Object.entries(entries).map(([kind, { body }]) => [kind, body ? fieldNames(body, at) : ['*']]),
  )
  const usage = Object.entries(entries).flatMap(([kind, { usage: of }]) => (of ? [[kind, of] as const] : []))
  return {
    dialect,
    reading: 1,
    conversational: true,
    splitter: jsonLines,
    reader: (file, folder, above) => {
      const declared = typeof record === 'function' ? record(file, folder, above) : record
      return new RecordReader({ dialect, entries, at }, declared)
    },
    ...rest,
    view: (kind, body) => (declarationOf(entries, kind)?.view ?? otherView)?.(body) ?? OPAQUE,
    ...(usage.length > 0 && { usage: Object.fromEntries(usage) }),
    fields: read,
    ...(agent && { known: new KnownFormat(agent, read.values()) }),
  }
}

/** The parts of a declaration that hold for all sources. */
interface EntryRules {
  readonly dialect: string
  readonly entries: EntryDeclarations
  readonly at: readonly string[] | undefined
}

/** Reads records one by one, as one chain of entries. */
class RecordReader implements FormatReader {
  readonly #rules: EntryRules
  readonly #record: RecordDeclaration
  private count = 0
  private last: RecordIndex | null = null
  private collected: Facts
  private readonly place = new PlaceHistory()
  readonly state: object | undefined

  constructor(rules: EntryRules, record: RecordDeclaration) {
    this.#rules = rules
    this.#record = record
    this.state = record.state
    this.collected = {}
    this.#note(record.known)
  }

  read({ value, enclosing }: Unit): Reading {
    const record = this.#record
    const at = this.count++
    if (enclosing && record.documentFacts) this.#note(record.documentFacts(enclosing))
    if (!isObject(value)) return {}
    if (record.facts) this.#note(record.facts(value, at))
    const time = typeof record.time === 'function' ? record.time(value) : timeIn(value, record.time)
    const native = typeof record.id === 'function' ? record.id(value) : idIn(value, record.id)
    const entry = this.#entryOf(value, at)
    if (entry) this.last = at
    return { entry, time, native }
  }

  active(): RecordIndex | null {
    return this.last
  }

  facts(): Facts {
    return { ...this.collected, ...this.place.facts() }
  }

  #note(facts: Facts | undefined): void {
    if (!facts) return
    this.place.add(facts)
    this.collected = { ...facts, ...this.collected }
  }

  #entryOf(value: JsonObject, at: RecordIndex): ParsedEntry | undefined {
    const { carries } = this.#record
    const carried = carries ? carries(value, at) : asString(value.type)
    if (carried === undefined) return undefined
    const { kind, body, ...more }: CarriedEntry = typeof carried === 'string' ? { kind: carried } : carried
    const { dialect, entries, at: usual } = this.#rules
    const declared = declarationOf(entries, kind)
    if (!declared) return undefined
    const bodyPath = more.bodyPath ?? usual
    return {
      type: `${dialect}/${kind}`,
      body: body ?? bodyIn(value, declared, bodyPath),
      parent: this.last,
      ...more,
      ...(bodyPath && { bodyPath }),
    }
  }
}

const timeIn = (value: JsonObject, name: string | undefined): number | undefined =>
  name === undefined ? undefined : millis(value[name])

const idIn = (value: JsonObject, name: string | undefined): string | undefined =>
  name === undefined ? undefined : asString(value[name])

/** Returns the declared fields of the object to which a path leads; a value that is no object, or all of it, whole. */
function bodyIn(value: Json, { body }: EntryDeclaration, path: readonly string[] = []): Json {
  let inner: Json | undefined = value
  for (const key of path) inner = field(inner, key)
  return isObject(inner) && body ? selectFields(inner, body) : (inner ?? null)
}
