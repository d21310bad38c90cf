import { isOid, type Oid } from '../model/encoding/oid.ts'
import { isObject, type Json } from '../model/json.ts'
import type { RefValue } from '../model/operation.ts'
import { refGlob } from '../model/pattern/pattern.ts'
import { parseSessionRef, part, type RefName, type SessionRef } from '../model/refname.ts'
import type { Repo } from '../repo/repo.ts'

const KINDS = {
  HEAD: 'HEAD',
  branches: 'branch',
  exports: 'export',
  files: 'file',
  labels: 'label',
  leaf: 'leaf',
  meta: 'meta',
  natives: 'natives',
  source: 'source',
} as const satisfies Record<SessionRef['kind'], string>

/** A stored ref. */
export interface ListedRef {
  readonly name: RefName
  /** `other` for refs of no session. */
  readonly kind: (typeof KINDS)[SessionRef['kind']] | 'other'
  readonly session: string | null
  /** The name of a branch or label; else null. */
  readonly short: string | null
  /** The entry that it names; null for a HEAD on a branch, heads of logs and metadata. */
  readonly oid: Oid | null
  /** Its value, if that is no oid. */
  readonly value: Json
}

/** Yields the refs that match any of some patterns, or all refs, in the order of their names. */
export async function* listRefs(repo: Repo, patterns: readonly string[] = []): AsyncGenerator<ListedRef> {
  const globs = patterns.map(refGlob)
  const prefix = globs.map((glob) => glob.prefix).reduce(common, globs[0]?.prefix ?? '')
  yield* repo.stream(async function* (reader) {
    for await (const [name, value] of reader.refs(prefix))
      if (globs.length === 0 || globs.some((glob) => glob.test(name))) yield listed(name, value)
  })
}

function common(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return a.slice(0, length)
}

function listed(name: RefName, value: RefValue): ListedRef {
  const parsed = parseSessionRef(name)
  const held = spelledValue(value)
  const oid = held !== undefined && isOid(held) ? held : null
  return {
    name,
    kind: parsed ? KINDS[parsed.kind] : 'other',
    session: parsed?.session ?? null,
    short: parsed?.name ?? null,
    oid,
    value: oid === null ? value : null,
  }
}

/** The word for the place before the first entry of a session. */
export const ROOT = 'root:'

/**
 * Returns the value of a ref as one word: the oid of an entry; `ref:BRANCH` for a HEAD on a branch, with its name escaped as
 * in ref names; `root:` for a HEAD before the first entry. Undefined for other values.
 */
export function spelledValue(value: RefValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (!isObject(value)) return undefined
  const { branch, oid } = value
  if (typeof branch === 'string') return `ref:${part(branch)}`
  if (oid === null) return ROOT
  return typeof oid === 'string' ? oid : undefined
}
