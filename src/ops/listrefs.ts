import { isObject, type Json } from '../model/json.ts'
import { isOid, type Oid } from '../model/oid.ts'
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
  native: 'native',
  natives: 'natives',
  source: 'source',
} as const satisfies Record<SessionRef['kind'], string>

/** A ref as it is stored. */
export interface ListedRef {
  readonly name: RefName
  /** `other` where it is no ref of a session. */
  readonly kind: (typeof KINDS)[SessionRef['kind']] | 'other'
  readonly session: string | null
  /** Of a branch or a label its own name. */
  readonly short: string | null
  /** The entry that it names itself: null for a HEAD on a branch, for heads of logs, for descriptions. */
  readonly oid: Oid | null
  /** What it holds where that is no oid. */
  readonly value: Json
}

/** Yields the refs that match any of some patterns, or all, in the order of their names. Reads no others that it can help. */
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

/** What stands for the place before the first entry of a session. */
export const ROOT = 'root:'

/**
 * Returns in one word what a ref names: the oid of an entry; `ref:BRANCH` for a HEAD on a branch, whose name is escaped
 * as in names of refs; `root:` for a HEAD before the first entry. Undefined where it holds something else.
 */
export function spelledValue(value: RefValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (!isObject(value)) return undefined
  const { branch, oid } = value
  if (typeof branch === 'string') return `ref:${part(branch)}`
  if (oid === null) return ROOT
  return typeof oid === 'string' ? oid : undefined
}
