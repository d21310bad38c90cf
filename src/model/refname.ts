import { isOid, type Oid } from './encoding/oid.ts'
import { SessError } from './errors.ts'
import type { Json } from './json.ts'
import type {
  EmptyValue,
  ExportHead,
  FileHead,
  GraftValue,
  Head,
  LeafValue,
  NativeHead,
  OutputFiles,
  SessionMeta,
  SessionName,
  SourceHead,
  SwarmValue,
  UnresolvedValue,
} from './refs/values.ts'
import type { Reason, Watched } from './secrets/expunged.ts'

/**
 * The names of refs, `/` between their parts. Session ids and the names that users give are escaped so that each is
 * one part: every name is legal in the store, whatever a transcript holds. `V` is the type of the value.
 */
export type RefName<V extends Json = Json> = string & { readonly __brand: 'RefName'; readonly __value?: V }

/** The beginning of the names of refs of one kind. */
export type RefPrefix<V extends Json> = string & { readonly __value?: V }

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

/** Returns the name that was escaped into one part; the text itself where it is no such part. */
export function unescapePart(escaped: string): string {
  if (!escaped.includes('%')) return escaped
  try {
    return decodeURIComponent(escaped)
  } catch (error) {
    if (error instanceof URIError) return escaped
    throw error
  }
}

/** Returns whether a text is a name escaped into one part. */
export const isPart = (text: string): boolean => PLAIN.test(text) || part(unescapePart(text)) === text

const SESSIONS = 'sessions/'

/** Returns the common prefix of all refs of a session. */
export const sessionPrefix = (session: string): string => `${SESSIONS}${part(session)}/`

const of =
  <V extends Json>(kind: string) =>
  (session: string): RefName<V> =>
    `${sessionPrefix(session)}${kind}` as RefName<V>

/** A session's description: a map. A session exists while it has one. */
export const metaRef = of<SessionMeta>('meta')
/** The current branch of a session, or an oid when detached. */
export const headRef = of<Head>('HEAD')
/** The position of the agent in its own file: a small map. */
export const leafRef = of<LeafValue>('leaf')
/** The head of the log of a session's source. */
export const sourceLogRef = of<SourceHead>('source')

/** The head of the log of the native appends that a writer made to a session: the same name in every store. */
export const nativesRef = (session: string, writer: string): RefName<NativeHead> =>
  `${sessionPrefix(session)}natives/${part(writer)}` as RefName<NativeHead>

/** The head of the log of a file that a session was written to for another agent, by the id that it has there. */
export const exportRef = (session: string, native: string): RefName<ExportHead> =>
  `${sessionPrefix(session)}exports/${part(native)}` as RefName<ExportHead>

/** The head of the log of a file that an agent keeps beside a session, by its path from the session's own file. */
export const fileRef = (session: string, name: string): RefName<FileHead> =>
  `${sessionPrefix(session)}files/${part(name)}` as RefName<FileHead>

/** Which session has the file that others name by the SHA-256 of its bytes: a small map. */
export const blobRef = (sha256: string): RefName<SessionName> =>
  `blobs/sha256-${sha256}` as RefName<SessionName>

/** The prefix of the refs that name the files with whole results. */
export const OUTPUTS: RefPrefix<OutputFiles> = 'outputs/'

/** The files of a session that hold the whole results of an entry: a small map. */
export const outputRef = (entry: Oid): RefName<OutputFiles> => `${OUTPUTS}${entry}` as RefName<OutputFiles>

/** Which session was written under an id, for another agent: a small map. */
export const exportedRef = (native: string): RefName<SessionName> =>
  `exports/${part(native)}` as RefName<SessionName>

/** The prefix of the refs that name current sessions. */
const CURRENT = 'current/'

/** The session that is current in a folder: a small map. */
export const currentRef = (folder: string): RefName<SessionName> =>
  `${CURRENT}${part(folder)}` as RefName<SessionName>

/** The prefix of the refs of swarms. */
export const SWARMS: RefPrefix<SwarmValue> = 'swarms/'

/** A swarm: a small map with its members. */
export const swarmRef = (name: string): RefName<SwarmValue> => `${SWARMS}${part(name)}` as RefName<SwarmValue>

/** Returns the name of the swarm that a ref is of; undefined for other refs. */
export const swarmOf = (ref: string): string | undefined =>
  ref.startsWith(SWARMS) ? unescapePart(ref.slice(SWARMS.length)) : undefined

/** The prefix of all grafts. */
export const GRAFTS = 'grafts/'

/** The graft of a root whose source lacks its parent: a small map. */
export const graftRef = (root: Oid): RefName<GraftValue> => `${GRAFTS}${root}` as RefName<GraftValue>

/** Returns the root of a graft; undefined for other refs. */
export function graftedRoot(name: string): Oid | undefined {
  const root = name.startsWith(GRAFTS) ? name.slice(GRAFTS.length) : ''
  return isOid(root) ? root : undefined
}

/** The prefix of the refs that record missing parents. */
export const LACKING: RefPrefix<UnresolvedValue> = 'lacking/'

/** Records that the parent of a root is missing, which its source names and no known session has: a small map. */
export const unresolvedRef = (native: string, root: Oid): RefName<UnresolvedValue> =>
  `${LACKING}${part(native)}/${root}` as RefName<UnresolvedValue>

/** Returns the native id and the root of such a ref; undefined for other refs. */
export function lackedBy(name: string): { readonly native: string; readonly root: Oid } | undefined {
  const [, native, root] = name.startsWith(LACKING) ? name.split('/') : []
  return native !== undefined && isPart(native) && root !== undefined && isOid(root)
    ? { native: unescapePart(native), root }
    : undefined
}

/** The prefix of the refs that record missing bases. */
export const AWAITED = 'awaited/'

/** Records that the history of a session is missing, which its source refers to by the id of another one: a small map. */
export const awaitedRef = (base: string, session: string): RefName<EmptyValue> =>
  `${AWAITED}${part(base)}/${part(session)}` as RefName<EmptyValue>

/** Returns the id that such a ref names, and the session that waits; undefined for other refs. */
export function awaitedBy(name: string): { readonly base: string; readonly session: string } | undefined {
  const [, base, session] = name.startsWith(AWAITED) ? name.split('/') : []
  return base !== undefined && session !== undefined && isPart(base) && isPart(session)
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
export const expungedBodyRef = (digest: string): RefName<Reason> =>
  `${EXPUNGED_BODIES}${digest}` as RefName<Reason>

/** The tombstone of a secret, by its mark. */
export const expungedSecretRef = (mark: string): RefName<Watched> =>
  `${EXPUNGED_SECRETS}${mark}` as RefName<Watched>

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
export const branchRef = (session: string, branch: string): RefName<Oid> =>
  `${sessionPrefix(session)}branches/${part(branch)}` as RefName<Oid>

/** The prefix of the branches of a session. */
export const branchesOf = (session: string): RefPrefix<Oid> =>
  `${sessionPrefix(session)}branches/` as RefPrefix<Oid>

/** A label of a session. */
export const labelRef = (session: string, label: string): RefName<Oid> =>
  `${sessionPrefix(session)}labels/${part(label)}` as RefName<Oid>

/** A parsed ref name of a session: its kind and, for branches and labels, its name. */
export interface SessionRef {
  readonly session: string
  readonly kind: 'meta' | 'HEAD' | 'leaf' | 'source' | 'natives' | 'exports' | 'files' | 'branches' | 'labels'
  readonly name?: string
}

/** Reads the name of a session's ref; undefined for every other ref. */
export function parseSessionRef(name: string): SessionRef | undefined {
  if (!name.startsWith(SESSIONS)) return undefined
  const id = partAt(name, SESSIONS.length)
  if (!isPart(id)) return undefined
  const at = SESSIONS.length + id.length + 1
  const kind = partAt(name, at)
  const ref = { session: unescapePart(id), kind: kind as SessionRef['kind'] }
  const last = at + kind.length + 1
  if (last > name.length) return ref
  const own = partAt(name, last)
  return isPart(own) ? { ...ref, name: unescapePart(own) } : undefined
}

/** Returns the part of a name at an offset: splitting all parts takes five times as long, and appends do this often. */
function partAt(name: string, at: number): string {
  const end = name.indexOf('/', at)
  return end < 0 ? name.slice(at) : name.slice(at, end)
}

const KINDS: readonly string[] = ['meta', 'HEAD', 'leaf', 'source']
const NAMED: readonly string[] = ['branches', 'labels', 'exports', 'files', 'natives']

/** Reads the name of a session's ref as somebody typed it; undefined where no ref of a session is named so. */
export function typedSessionRef(text: string): (SessionRef & { readonly ref: RefName }) | undefined {
  const [, session, kind = '', name, ...more] = text.split('/')
  const isWhole = name === undefined ? KINDS.includes(kind) : NAMED.includes(kind) && more.length === 0
  if (!isWhole || !session || name === '') return undefined
  const parsed = parseSessionRef(text)
  return parsed && { ...parsed, ref: text as RefName }
}

/** Returns a ref as users name it: `SESSION/NAME` for branches, labels and HEAD, else `SESSION` and the kind. */
export function plainName(ref: RefName): string {
  if (ref.startsWith(CURRENT)) return `current session in ${unescapePart(ref.slice(CURRENT.length))}`
  const swarm = swarmOf(ref)
  if (swarm !== undefined) return `swarm ${swarm}`
  const parsed = parseSessionRef(ref)
  if (!parsed) return ref
  const { session, kind, name } = parsed
  if (kind === 'meta') return session
  if (kind === 'exports') return `${session}: its export ${name}`
  if (kind === 'natives') return `${session}: appended entries`
  if (kind === 'files') return `${session}: its file ${name}`
  return kind === 'source' ? `${session}: its source` : `${session}/${name ?? kind}`
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
