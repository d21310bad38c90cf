import { Verbatim } from '../../model/encoding/verbatim.ts'
import { isObject, items, type Json } from '../../model/json.ts'
import { sortedNames, type UnknownNames } from '../../model/unknownnames.ts'
import { parseJson } from '../../model/value.ts'
import type { Unit } from './splitter.ts'

/** Names of types or fields by the place that they are at: a path of keys, in which lists have no part; '' is the record. */
type NamesByPath = Readonly<Record<string, readonly string[]>>

/** The types and fields that a format knows at some places of a value. Other places are not looked into. */
export interface KnownNames {
  /** The types of records and of the objects in them, by the path to the field that names them. */
  readonly types?: NamesByPath
  /** The fields of records and of the objects in them, by the path to the object. */
  readonly fields?: NamesByPath
}

/** The records that a format knows: those that it reads, and those that it keeps on purpose without reading them. */
export interface KnownRecords extends KnownNames {
  /** The newest version of its agent that its page in the docs describes; the month where its records have no version. */
  readonly written: string
  /** The known names of a document that surrounds the list of its records. */
  readonly document?: KnownNames
}

/** Returns the words of a text: names as they are declared. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** An object that is looked into. */
interface KnownObject {
  /** The names of its types begin with it, and with a dot those of its fields; '' for a record. */
  readonly path: string
  /** The fields that name its types, each with the known ones. */
  readonly types: [field: string, known: ReadonlySet<string>][]
  /** The known fields, each with the object in it if that is looked into; undefined where any field is. */
  fields: Map<string, KnownObject | null> | undefined
  /** The objects that are looked into. */
  readonly inside: Map<string, KnownObject>
}

const objectAt = (path: string): KnownObject => ({
  path,
  types: [],
  fields: undefined,
  inside: new Map(),
})

const joinPath = (...keys: readonly string[]): string => keys.filter((key) => key !== '').join('.')

const keysIn = (path: string): readonly string[] => (path === '' ? [] : path.split('.'))

/** Returns the object at a path of keys, which it adds. */
function openAt(root: KnownObject, keys: readonly string[]): KnownObject {
  let at = root
  for (const key of keys) {
    const next = at.inside.get(key) ?? objectAt(joinPath(at.path, key))
    at.inside.set(key, next)
    at = next
  }
  return at
}

/** Returns what is known of a value, with the fields that are read of it. */
function knownObject(
  path: string,
  { types = {}, fields = {} }: KnownNames,
  read: readonly string[],
): KnownObject {
  const root = objectAt(path)
  for (const [at, names] of Object.entries(fields)) openAt(root, keysIn(at)).fields = namesOf(names)
  for (const [at, names] of Object.entries(types)) {
    const keys = keysIn(at)
    openAt(root, keys.slice(0, -1)).types.push([keys.at(-1) ?? '', new Set(names)])
  }
  for (const at of read) addRead(root, keysIn(at.replaceAll('[]', '')))
  close(root)
  return root
}

const namesOf = (names: readonly string[]): Map<string, null> => new Map(names.map((name) => [name, null]))

/** Adds the fields on the way to one that is read, as far as objects are looked into. */
function addRead(root: KnownObject, keys: readonly string[]): void {
  let at: KnownObject | undefined = root
  for (const key of keys) {
    if (key !== '*') at?.fields?.set(key, null)
    at = at?.inside.get(key)
  }
}

/** Joins the objects that are looked into to the fields that they are in. */
function close(object: KnownObject): void {
  for (const [key, inner] of object.inside) {
    object.fields?.set(key, inner)
    close(inner)
  }
}

/** The most names that are kept of a source; the others are only counted. */
const MAX_NAMES = 50

/** A longer name is data. */
const MAX_NAME_UNITS = 64

/** The records that a format knows, in a form that is fast to compare with. */
export class KnownFormat {
  readonly #declared: KnownRecords
  readonly #read: readonly (readonly string[])[]
  #objects: { readonly record: KnownObject; readonly document: KnownObject | undefined } | undefined

  /** `read` has the paths of the fields that are bodies of entries. */
  constructor(declared: KnownRecords, read: Iterable<readonly string[]> = []) {
    this.#declared = declared
    this.#read = [...read]
  }

  /** The newest version of its agent that its page in the docs describes. */
  get written(): string {
    return this.#declared.written
  }

  /** Made at their first use, which most commands do not need. */
  get #known(): { readonly record: KnownObject; readonly document: KnownObject | undefined } {
    const { document } = this.#declared
    return (this.#objects ??= {
      record: knownObject('', this.#declared, this.#read.flat()),
      document: document && knownObject(DOCUMENT, document, []),
    })
  }

  /** Counts what is not known of a unit. */
  count({ value, enclosing }: Unit, into: UnknownCounter): void {
    const { record, document } = this.#known
    visit(record, value, into)
    if (enclosing && document) visit(document, enclosing, into)
  }

  /** Returns names without those that are known: an earlier version may have known less. */
  without({ types, fields, ...more }: UnknownNames): UnknownNames {
    return {
      types: types.filter(([name]) => !this.#knowsType(name)),
      fields: fields.filter(([name]) => !this.#knowsField(name)),
      ...more,
    }
  }

  #knowsType(name: string): boolean {
    const slash = name.indexOf('/')
    const keys = keysIn(slash < 0 ? '' : name.slice(0, slash))
    const type = name.slice(slash + 1)
    return (
      isTypeOf(this.#objectAt(keys), 'type', type) ||
      isTypeOf(this.#objectAt(keys.slice(0, -1)), keys.at(-1) ?? '', type)
    )
  }

  #knowsField(name: string): boolean {
    const keys = keysIn(name)
    const { fields } = this.#objectAt(keys.slice(0, -1)) ?? {}
    return fields?.has(keys.at(-1) ?? '') ?? false
  }

  #objectAt(keys: readonly string[]): KnownObject | undefined {
    const { record, document } = this.#known
    const isOfDocument = document !== undefined && keys[0] === DOCUMENT
    let at: KnownObject | undefined = isOfDocument ? document : record
    for (const key of isOfDocument ? keys.slice(1) : keys) at = at?.inside.get(key)
    return at
  }
}

const isTypeOf = (object: KnownObject | undefined, field: string, type: string): boolean =>
  object?.types.some(([name, known]) => name === field && known.has(type)) ?? false

/** The names in the document around records begin with it. */
const DOCUMENT = 'document'

/** Returns a value; of one that is kept as text the outermost level, parsed. */
function outermost(value: Json | undefined): Json | undefined {
  if (!(value instanceof Verbatim)) return value
  const { text } = value
  const parsed = text.startsWith('{') || text.startsWith('[') ? parseJson(text, true)?.value : undefined
  return parsed instanceof Verbatim ? undefined : parsed
}

/** Counts what is not known of an object, or of the objects in a list. A list in a list is data, however deep. */
function visit(known: KnownObject, value: Json | undefined, into: UnknownCounter): void {
  const read = outermost(value)
  if (isObject(read)) visitObject(known, read, into)
  else for (const one of items(read)) if (!isListText(one)) visitObject(known, outermost(one), into)
}

const isListText = (value: Json): boolean => value instanceof Verbatim && value.text.startsWith('[')

function visitObject(known: KnownObject, value: Json | undefined, into: UnknownCounter): void {
  if (!isObject(value)) return
  for (const [field, types] of known.types) {
    const type = value[field]
    if (typeof type !== 'string' || types.has(type)) continue
    // The fields of an unknown type are not known either.
    into.add('types', field === 'type' ? known.path : joinPath(known.path, field), type)
    return
  }
  const { fields } = known
  if (!fields) {
    for (const [key, inner] of known.inside) visit(inner, value[key], into)
    return
  }
  for (const key of Object.keys(value)) {
    const inner = fields.get(key)
    if (inner === undefined) into.add('fields', known.path, key)
    else if (inner !== null) visit(inner, value[key], into)
  }
}

/** Counts the types and fields of one source that no reader knows. */
export class UnknownCounter {
  readonly #known: KnownFormat | undefined
  private readonly counts = { types: new Map<string, number>(), fields: new Map<string, number>() }
  private uncounted = 0

  /** Counts nothing if nothing is known of a format. */
  constructor(known: KnownFormat | undefined) {
    this.#known = known
  }

  /** Counts what is not known of a unit. */
  take(unit: Unit): void {
    this.#known?.count(unit, this)
  }

  /** Counts a name at a path. */
  add(kind: 'types' | 'fields', path: string, name: string): void {
    const counts = this.counts[kind]
    const joint = path === '' ? '' : kind === 'types' ? '/' : '.'
    const full = `${path}${joint}${name}`.toWellFormed()
    const before = counts.get(full)
    if (before === undefined && (this.#isFull || name.length > MAX_NAME_UNITS)) this.uncounted++
    else counts.set(full, (before ?? 0) + 1)
  }

  get #isFull(): boolean {
    const { types, fields } = this.counts
    return types.size + fields.size >= MAX_NAMES
  }

  /** The counts so far, in the order of names; undefined if nothing was counted. */
  get found(): UnknownNames | undefined {
    const { types, fields } = this.counts
    if (types.size + fields.size + this.uncounted === 0) return undefined
    return {
      types: sortedNames(types),
      fields: sortedNames(fields),
      ...(this.uncounted > 0 && { more: this.uncounted }),
    }
  }
}
