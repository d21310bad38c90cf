import { isOid, type Oid } from '../encoding/oid.ts'
import { isObject, type Json } from '../json.ts'
import { type BlobId, isLogId, type LogId } from '../record.ts'

/** Is told of everything that a value names. */
export interface ReferenceVisitor {
  readonly oid: (oid: Oid) => void
  /** Called with a log and how many of its first records are named. */
  readonly log: (log: LogId, count: number) => void
  /** Called with consecutive blobs, and whether their bytes are compressed. Returns the blobs that take their place. */
  readonly blobs: (blobs: readonly BlobId[], isCompressed: boolean) => readonly BlobId[]
}

/** The form of a value. */
export interface Schema<T> {
  /** Returns where a value departs from the form, as a path such as `.fork.base[0]`; undefined where it does not. */
  readonly problem: (value: unknown) => string | undefined
  /** Visits what a value of this form names, and returns it with other blobs; the same object if none changes. */
  visit?(this: void, value: T, visitor: ReferenceVisitor): T
}

/** The form of a field that may be missing or null. */
export interface Optional<T> extends Schema<T> {
  readonly isOptional: true
}

/** The forms of the fields of a value. */
export type Fields<T> = {
  readonly [K in keyof T]-?: undefined extends T[K]
    ? Optional<NonNullable<T[K]>>
    : null extends T[K]
      ? Optional<NonNullable<T[K]>> | Schema<T[K]>
      : Schema<T[K]>
}

/** Returns the form of the values for which a function returns true. */
const where = <T>(is: (value: unknown) => boolean): Schema<T> => ({
  problem: (value) => (is(value) ? undefined : ''),
})

export const text: Schema<string> = where((value) => typeof value === 'string')

export const number: Schema<number> = where((value) => typeof value === 'number')

/** A number of things. */
export const count: Schema<number> = where((value) => Number.isSafeInteger(value) && (value as number) >= 0)

export const flag: Schema<boolean> = where((value) => typeof value === 'boolean')

export const always: Schema<true> = where((value) => value === true)

const isHash = (value: unknown): value is Oid => typeof value === 'string' && isOid(value)

/** A hash that names nothing. */
export const hash: Schema<string> = where(isHash)

/** The name of an entry. */
export const oid: Schema<Oid> = {
  problem: hash.problem,
  visit: (value, visitor) => {
    visitor.oid(value)
    return value
  },
}

/** The name of a log alone: the number of its records is in another field. */
export const log: Schema<LogId> = where(isLogId)

/** Consecutive blobs. */
const blobsOf = (isCompressed: boolean): Schema<readonly BlobId[]> => ({
  problem: list(hash).problem,
  visit: (value, visitor) => visitor.blobs(value, isCompressed),
})

/** The first records of a log. */
export const prefix: Schema<readonly [log: LogId, count: number]> = {
  problem: (value) => {
    if (!Array.isArray(value) || value.length !== 2) return ''
    return log.problem(value[0]) ?? count.problem(value[1])
  },
  visit: (value, visitor) => {
    visitor.log(...value)
    return value
  },
}

/** Returns the form of a field that may be missing or null. */
export const optional = <T>(schema: Schema<T>): Optional<T> => ({
  problem: (value) => (value === null || value === undefined ? undefined : schema.problem(value)),
  ...(schema.visit && {
    visit: (value: T, visitor: ReferenceVisitor) =>
      value === null || value === undefined ? value : (schema.visit?.(value, visitor) as T),
  }),
  isOptional: true,
})

/** Returns the form of a field that may be null, and not be missing. */
export const nullable = <T>(schema: Schema<T>): Schema<T | null> => {
  const { problem, visit } = optional(schema)
  return {
    problem: (value) => (value === undefined ? '' : problem(value)),
    ...(visit && { visit }),
  }
}

/** Returns the form of a list. */
export function list<T>(item: Schema<T>): Schema<readonly T[]> {
  const { visit } = item
  return {
    problem: (value) => {
      if (!Array.isArray(value)) return ''
      for (let at = 0; at < value.length; at++) {
        const problem = item.problem(value[at])
        if (problem !== undefined) return `[${at}]${problem}`
      }
      return undefined
    },
    ...(visit && {
      visit: (value: readonly T[], visitor: ReferenceVisitor) => {
        const next = value.map((one) => visit(one, visitor))
        return next.every((one, at) => one === value[at]) ? value : next
      },
    }),
  }
}

export const blobs = blobsOf(false)
export const compressedBlobs = blobsOf(true)

/** Returns the form of a list of two values. */
export const pair = <A, B>(first: Schema<A>, second: Schema<B>): Schema<readonly [A, B]> => ({
  problem: (value) => {
    if (!Array.isArray(value) || value.length !== 2) return ''
    return first.problem(value[0]) ?? second.problem(value[1])
  },
})

/** Returns the form of a map with any keys. */
export const map = <T>(item: Schema<T>): Schema<{ readonly [key: string]: T }> => ({
  problem: (value) => {
    if (!isObject(value as Json)) return ''
    const parts = value as { readonly [key: string]: unknown }
    for (const key of Object.keys(parts)) {
      const problem = item.problem(parts[key])
      if (problem !== undefined) return `.${key}${problem}`
    }
    return undefined
  },
  ...(item.visit && {
    visit: (value: { readonly [key: string]: T }, visitor: ReferenceVisitor) =>
      visitFields(value, () => item as Schema<unknown>, visitor),
  }),
})

/**
 * Returns the form of a map of fields. Other fields are allowed, and name nothing. `visitOwn` visits what several fields
 * name together.
 */
export function object<T extends object>(
  fields: Fields<T>,
  visitOwn?: (value: T, visitor: ReferenceVisitor) => void,
): Schema<T> {
  const schemas = new Map(Object.entries(fields) as [string, Schema<unknown> & { isOptional?: true }][])
  const required = [...schemas].flatMap(([key, { isOptional }]) => (isOptional ? [] : [key]))
  return {
    problem: (value) => {
      if (!isObject(value as Json)) return ''
      const parts = value as { readonly [key: string]: unknown }
      for (const key of required) if (!Object.hasOwn(parts, key)) return `.${key}`
      for (const key of Object.keys(parts)) {
        const problem = schemas.get(key)?.problem(parts[key])
        if (problem !== undefined) return `.${key}${problem}`
      }
      return undefined
    },
    visit: (value, visitor) => {
      visitOwn?.(value, visitor)
      return visitFields(value, (key) => schemas.get(key), visitor)
    },
  }
}

function visitFields<T extends object>(
  value: T,
  schemaOf: (key: string) => Schema<unknown> | undefined,
  visitor: ReferenceVisitor,
): T {
  const changed: { [key: string]: unknown } = {}
  for (const [key, part] of Object.entries(value) as [string, unknown][]) {
    const now = schemaOf(key)?.visit?.(part, visitor) ?? part
    if (now !== part) changed[key] = now
  }
  return Object.keys(changed).length > 0 ? { ...value, ...changed } : value
}

/** Returns the form of values of one of two forms. */
export const either = <A, B>(first: Schema<A>, second: Schema<B>): Schema<A | B> => ({
  problem: (value) => (first.problem(value) === undefined ? undefined : second.problem(value)),
  visit: (value, visitor) => {
    const { visit } = (first.problem(value) === undefined ? first : second) as Schema<A | B>
    return visit ? visit(value, visitor) : value
  },
})
