import { isOid, type Oid } from './encoding/oid.ts'
import { SessError } from './errors.ts'

/**
 * The names of refs, `/` between their parts. Session ids and the names that users give are escaped so that each is
 * one part: every name is legal in the store, whatever a transcript holds.
 */
export type RefName = string & { readonly __brand: 'RefName' }

/** Names in which nothing is escaped, as most are. */
const PLAIN = /^[\w.-]*$/

/** Escapes a name into one part: letters, digits and `. _ -` stay, each other byte becomes `%XX`. */
export const part = (name: string): string =>
  PLAIN.test(name)
    ? name
    : encodeURIComponent(name.toWellFormed()).replace(
        /[!'()*~]/g,
        (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
      )

/** Returns the name that was escaped into one part. Throws a `URIError` on anything else. */
export const unescapePart = (escaped: string): string =>
  escaped.includes('%') ? decodeURIComponent(escaped) : escaped

const SESSIONS = 'sessions/'

/** Returns the common prefix of all refs of a session. */
export const sessionPrefix = (session: string): string => `${SESSIONS}${part(session)}/`

const of =
  (kind: string) =>
  (session: string): RefName =>
    `${sessionPrefix(session)}${kind}` as RefName

/** A session's description: a map. A session exists while it has one. */
export const metaRef = of('meta')
/** The current branch of a session, or an oid when detached. */
export const headRef = of('HEAD')
/** The position of the agent in its own file: a small map. */
export const leafRef = of('leaf')
/** The head of the log of a session's source. */
export const sourceLogRef = of('source')
/** The head of the log of a session's native appends. */
export const nativeLogRef = of('native')

/** The head of the log of native appends that another store's writer made to a session. */
export const nativesRef = (session: string, writer: string): RefName =>
  `${sessionPrefix(session)}natives/${part(writer)}` as RefName

/** The head of the log of a file that a session was written to for another agent, by the id that it has there. */
export const exportRef = (session: string, native: string): RefName =>
  `${sessionPrefix(session)}exports/${part(native)}` as RefName

/** The head of the log of a file that an agent keeps beside a session, by its path from the session's own file. */
export const fileRef = (session: string, name: string): RefName =>
  `${sessionPrefix(session)}files/${part(name)}` as RefName

/** Which session has the file that others name by the SHA-256 of its bytes: a small map. */
export const blobRef = (sha256: string): RefName => `blobs/sha256-${sha256}` as RefName

/** The prefix of the refs that name the files with whole results. */
export const OUTPUTS = 'outputs/'

/** The files of a session that hold the whole results of an entry: a small map. */
export const outputRef = (entry: Oid): RefName => `${OUTPUTS}${entry}` as RefName

/** Which session was written under an id, for another agent: a small map. */
export const exportedRef = (native: string): RefName => `exports/${part(native)}` as RefName

/** The prefix of the refs that name current sessions. */
const CURRENT = 'current/'

/** The session that is current in a folder: a small map. */
export const currentRef = (folder: string): RefName => `${CURRENT}${part(folder)}` as RefName

/** The prefix of all grafts. */
export const GRAFTS = 'grafts/'

/** The graft of a root whose source lacks its parent: a small map. */
export const graftRef = (root: Oid): RefName => `${GRAFTS}${root}` as RefName

/** Returns the root of a graft; undefined for other refs. */
export function graftedRoot(name: string): Oid | undefined {
  const root = name.startsWith(GRAFTS) ? name.slice(GRAFTS.length) : ''
  return isOid(root) ? root : undefined
}

/** The prefix of the refs that record missing parents. */
export const LACKING = 'lacking/'

/** Records that the parent of a root is missing, which its source names and no known session has: a small map. */
export const unresolvedRef = (native: string, root: Oid): RefName =>
  `${LACKING}${part(native)}/${root}` as RefName

/** Returns the native id and the root of such a ref; undefined for other refs. */
export function lackedBy(name: string): { readonly native: string; readonly root: Oid } | undefined {
  const [, native, root] = name.startsWith(LACKING) ? name.split('/') : []
  return native !== undefined && root !== undefined && isOid(root)
    ? { native: unescapePart(native), root }
    : undefined
}

/** The prefix of the refs that record missing bases. */
export const AWAITED = 'awaited/'

/** Records that the history of a session is missing, which its source refers to by the id of another one: a small map. */
export const awaitedRef = (base: string, session: string): RefName =>
  `${AWAITED}${part(base)}/${part(session)}` as RefName

/** Returns the id that such a ref names, and the session that waits; undefined for other refs. */
export function awaitedBy(name: string): { readonly base: string; readonly session: string } | undefined {
  const [, base, session] = name.startsWith(AWAITED) ? name.split('/') : []
  return base !== undefined && session !== undefined
    ? { base: unescapePart(base), session: unescapePart(session) }
    : undefined
}

/** The prefix of tombstones: one ref for each thing that was expunged. */
const EXPUNGED = 'expunged/'
const EXPUNGED_BODIES = `${EXPUNGED}body/`
const EXPUNGED_SECRETS = `${EXPUNGED}secret/`

/** The prefix of all tombstones. */
export const TOMBSTONES = EXPUNGED

/** The tombstone of the bodies with a digest. */
export const expungedBodyRef = (digest: string): RefName => `${EXPUNGED_BODIES}${digest}` as RefName

/** The tombstone of a secret, by its mark. */
export const expungedSecretRef = (mark: string): RefName => `${EXPUNGED_SECRETS}${mark}` as RefName

/** Returns the digest or the mark that the name of a tombstone holds; undefined for every other ref. */
export function tombstoneOf(
  name: string,
): { readonly digest: string } | { readonly mark: string } | undefined {
  if (name.startsWith(EXPUNGED_BODIES)) return { digest: name.slice(EXPUNGED_BODIES.length) }
  if (name.startsWith(EXPUNGED_SECRETS)) return { mark: name.slice(EXPUNGED_SECRETS.length) }
  return undefined
}

/** Returns the name of a ref with each of its parts replaced by `change`, which takes it without escapes. */
export const renamedRef = (name: RefName, change: (part: string) => string): RefName =>
  name
    .split('/')
    .map((escaped) => {
      const plain = unescapePart(escaped)
      const next = change(plain)
      return next === plain ? escaped : part(next)
    })
    .join('/') as RefName

/** A branch of a session. */
export const branchRef = (session: string, branch: string): RefName =>
  `${sessionPrefix(session)}branches/${part(branch)}` as RefName

/** A label of a session. */
export const labelRef = (session: string, label: string): RefName =>
  `${sessionPrefix(session)}labels/${part(label)}` as RefName

/** A parsed ref name of a session: its kind and, for branches and labels, its name. */
export interface SessionRef {
  readonly session: string
  readonly kind:
    | 'meta'
    | 'HEAD'
    | 'leaf'
    | 'source'
    | 'native'
    | 'natives'
    | 'exports'
    | 'files'
    | 'branches'
    | 'labels'
  readonly name?: string
}

/** Reads the name of a session's ref; undefined for every other ref. */
export function parseSessionRef(name: string): SessionRef | undefined {
  if (!name.startsWith(SESSIONS)) return undefined
  const id = partAt(name, SESSIONS.length)
  const at = SESSIONS.length + id.length + 1
  const kind = partAt(name, at)
  const ref = { session: unescapePart(id), kind: kind as SessionRef['kind'] }
  const last = at + kind.length + 1
  return last > name.length ? ref : { ...ref, name: unescapePart(partAt(name, last)) }
}

/** Returns the part of a name at an offset: splitting all parts takes five times as long, and appends do this often. */
function partAt(name: string, at: number): string {
  const end = name.indexOf('/', at)
  return end < 0 ? name.slice(at) : name.slice(at, end)
}

const KINDS: readonly string[] = ['meta', 'HEAD', 'leaf', 'source', 'native']
const NAMED: readonly string[] = ['branches', 'labels', 'exports', 'files', 'natives']

/** The kinds of refs whose values are heads of logs. */
export const LOG_HEADS: ReadonlySet<string> = new Set(['native', 'natives', 'source', 'exports', 'files'])

/** Reads the name of a session's ref as somebody typed it; undefined where no ref of a session is named so. */
export function typedSessionRef(text: string): (SessionRef & { readonly ref: RefName }) | undefined {
  const [, session, kind = '', name, ...more] = text.split('/')
  const isWhole = name === undefined ? KINDS.includes(kind) : NAMED.includes(kind) && more.length === 0
  if (!isWhole || !isPart(session) || (name !== undefined && !isPart(name))) return undefined
  const parsed = parseSessionRef(text)
  return parsed && { ...parsed, ref: text as RefName }
}

/** Returns whether a text is a name escaped into one part. */
function isPart(text = ''): boolean {
  try {
    return text !== '' && part(unescapePart(text)) === text
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

/** Returns a ref as users name it: `SESSION/NAME` for branches, labels and HEAD, else `SESSION` and the kind. */
export function plainName(ref: RefName): string {
  if (ref.startsWith(CURRENT)) return `current session in ${unescapePart(ref.slice(CURRENT.length))}`
  const parsed = parseSessionRef(ref)
  if (!parsed) return ref
  const { session, kind, name } = parsed
  if (kind === 'meta') return session
  if (kind === 'exports') return `${session} (export ${name})`
  if (kind === 'natives') return `${session} (appends of ${name})`
  if (kind === 'files') return `${session} (file ${name})`
  return kind === 'source' || kind === 'native' ? `${session} (${kind})` : `${session}/${name ?? kind}`
}

/** The prefix of every session's refs. */
export const ALL_SESSIONS = SESSIONS

/** Made when it is needed: to make an expression of such classes takes a quarter of a millisecond. */
const chosenName = (): RegExp => /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._@+/-]*[\p{L}\p{M}\p{N}._+-])?$/u

/**
 * Returns a valid branch or label name, or throws `bad-name`: it must be typable in a revision, and no two names may look
 * the same because one spells a letter with a mark as two characters.
 */
export function checkName(name: string): string {
  if (
    name.length > 200 ||
    !chosenName().test(name) ||
    name !== name.normalize() ||
    name.includes('..') ||
    name.includes('//') ||
    name === 'HEAD'
  )
    throw new SessError('bad-name', name)
  return name
}
