import { isOid, type Oid } from '../encoding/oid.ts'
import { SessError } from '../errors.ts'
import type { Json } from '../json.ts'
import type { RefValue } from '../operation.ts'
import type { BlobId, LogId } from '../record.ts'
import { isPart, type RefName } from '../refname.ts'
import { REF_KINDS, type RefKind } from './kinds.ts'
import type { ReferenceVisitor } from './schema.ts'

/** A kind with its pattern in parts. */
interface PatternedKind {
  readonly kind: RefKind
  readonly parts: readonly string[]
}

/** The kinds by the first part of their names. */
const byFirstPart = new Map<string, PatternedKind[]>()

/** The kinds of sessions' refs by the third part of their names. */
const ofSessions = new Map<string, RefKind>()

for (const kind of REF_KINDS) {
  const parts = kind.pattern.split('/')
  const [first = '', , third = ''] = parts
  byFirstPart.set(first, [...(byFirstPart.get(first) ?? []), { kind, parts }])
  if (first === 'sessions') ofSessions.set(third, kind)
}

/** Returns the kind of a ref; undefined where no kind has such names. */
export function kindOf(name: string): RefKind | undefined {
  const parts = name.split('/')
  return byFirstPart.get(parts[0] as string)?.find((one) => matches(parts, one.parts))?.kind
}

/** Returns the kind of a session's refs, by the part of the name after the session. */
export const sessionKind = (part: string): RefKind | undefined => ofSessions.get(part)

function matches(parts: readonly string[], pattern: readonly string[]): boolean {
  if (parts.length !== pattern.length) return false
  for (let at = 0; at < parts.length; at++) {
    const [part, expected] = [parts[at] as string, pattern[at]]
    if (expected === '*' ? !isPart(part) : expected === '<oid>' ? !isOid(part) : part !== expected)
      return false
  }
  return true
}

/** The names of the refs whose values were found to have the form of their kind, or were built in it. */
const sound = new WeakMap<object, string>()

/** Returns a value that was built in the form of its ref: only values from elsewhere are checked when they are read. */
export function builtValue<V extends RefValue>(name: RefName, value: V): V {
  if (typeof value === 'object' && value !== null) sound.set(value, name)
  return value
}

const isKnown = (name: string, value: Json): boolean =>
  typeof value === 'object' && value !== null && sound.get(value) === name

/** Returns how the value of a ref departs from the form of a kind; undefined where it does not. */
export function problemAs(kind: RefKind, name: string, value: Json): string | undefined {
  if (isKnown(name, value)) return undefined
  const at = kind.value.problem(value)
  if (at !== undefined)
    return at === '' ? 'its value has another form' : `its value has another form at '${at}'`
  if (typeof value === 'object' && value !== null) sound.set(value, name)
  return undefined
}

export const UNKNOWN_KIND = 'no kind of refs has such names'

/** Returns what is wrong with a ref; undefined where it is of a kind and its value has the form of that. */
export function refProblem(name: string, value: Json): string | undefined {
  const kind = kindOf(name)
  return kind ? problemAs(kind, name, value) : UNKNOWN_KIND
}

/** Returns the value of a ref. Throws `corrupt` where it has not the form of its kind. */
export function checkedValue<V extends Json>(name: RefName<V>, value: Json): V {
  if (isKnown(name, value)) return value as V
  const problem = refProblem(name, value)
  if (problem !== undefined) throw malformedRef(name, problem)
  return value as V
}

/** Returns the error for a ref that has not the form of its kind. */
export const malformedRef = (name: string, detail: string): SessError =>
  new SessError('corrupt', `the ref '${name}' cannot be read`, {
    detail,
    remedy: { kind: 'repair-refs', ref: name },
  })

/** Returns whether an error is about a ref that has not the form of its kind. */
export const isMalformedRef = (
  error: unknown,
): error is SessError & { readonly remedy: { readonly ref: string } } =>
  error instanceof SessError && error.remedy?.kind === 'repair-refs'

/** The entries, records and blobs that a ref names. */
export interface References {
  readonly oids: ReadonlySet<Oid>
  /** The number of records of each log. */
  readonly logs: ReadonlyMap<LogId, number>
  readonly blobs: ReadonlySet<BlobId>
}

/** Returns what a ref names, in its name and in its value; nothing where the value has not the form of its kind. */
export function referencesOf(name: RefName, value: Json | undefined): References {
  const [oids, logs, blobs] = [new Set<Oid>(), new Map<LogId, number>(), new Set<BlobId>()]
  for (const oid of oidsInName(name)) oids.add(oid)
  visitReferences(name, value, {
    oid: (oid) => void oids.add(oid),
    log: (log, count) => void logs.set(log, Math.max(count, logs.get(log) ?? 0)),
    blobs: (list) => {
      for (const blob of list) blobs.add(blob)
      return list
    },
  })
  return { oids, logs, blobs }
}

/** Returns the oids in the name of a ref that names their entries. */
function oidsInName(name: string): Oid[] {
  const pattern = kindOf(name)?.pattern.split('/') ?? []
  const parts = name.split('/')
  return pattern.flatMap((expected, at) => (expected === '<oid>' ? [parts[at] as Oid] : []))
}

/**
 * Visits what the value of a ref names, and returns the value with other blobs; the same object where none changes, and
 * where the value has not the form of its kind.
 */
export function visitReferences<V extends Json | undefined>(
  name: string,
  value: V,
  visitor: ReferenceVisitor,
): V {
  const kind = kindOf(name)
  if (!kind?.value.visit || value === undefined || problemAs(kind, name, value) !== undefined) return value
  return kind.value.visit(value, visitor) as V
}

/** Returns the lists of consecutive blobs that the value of a ref names, without those of compressed bytes. */
export function plainBlobs(name: string, value: Json | undefined): readonly (readonly BlobId[])[] {
  const found: (readonly BlobId[])[] = []
  visitReferences(name, value, {
    oid: () => undefined,
    log: () => undefined,
    blobs: (list, isCompressed) => {
      if (!isCompressed && list.length > 0) found.push(list)
      return list
    },
  })
  return found
}
