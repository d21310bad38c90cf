import { SessError } from '../model/errors.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { allTrunks } from '../repo/session.ts'

/** The kinds of names that can be unknown. */
export const WANTED = ['revision', 'session', 'branch', 'label'] as const

type Wanted = (typeof WANTED)[number]

/** The meaning of a name that is not of the wanted kind, or the names that it may be a misspelling of. */
export type NearNames =
  | { readonly kind: 'no-sessions' }
  /** It names an entry; with the session through which it does. */
  | { readonly kind: 'entry'; readonly session: string | null }
  /** It names a session, which has a branch. */
  | { readonly kind: 'session'; readonly name: string; readonly branch: string }
  /** It looks like a range. */
  | { readonly kind: 'range' }
  /** It is `owner/name` with a session as owner, which has these branches and labels. */
  | {
      readonly kind: 'within'
      readonly owner: string
      readonly name: string
      readonly names: readonly string[]
    }
  /** The names that it may be like, and whether the current session has several branches. */
  | { readonly kind: 'names'; readonly names: readonly string[]; readonly hasBranches: boolean }

/** Returns what an unknown name of some kind may mean instead. An empty name means nothing. */
export const nearNames = (repo: Repo, name: string, wanted: Wanted): Promise<NearNames> =>
  repo.read(async (reader) => {
    if (name === '')
      return (await hasSessions(reader)) ? { kind: 'names', names: [], hasBranches: false } : NO_SESSIONS
    return (await otherMeaning(reader, name, wanted)) ?? namesLike(reader, name, wanted)
  })

const NO_SESSIONS: NearNames = { kind: 'no-sessions' }

async function hasSessions(reader: Reader): Promise<boolean> {
  for await (const _ of allTrunks(reader)) return true
  return false
}

/** Returns what a word names if it is not of the wanted kind; undefined if it names nothing. */
async function otherMeaning(reader: Reader, word: string, wanted: Wanted): Promise<NearNames | undefined> {
  if (wanted === 'session') {
    const at = await ifFound(resolve(reader, word))
    return at && { kind: 'entry', session: at.session?.id ?? null }
  }
  if (wanted === 'branch') {
    const name = word.slice(word.indexOf('/') + 1)
    const session = await ifFound(resolveSession(reader, name))
    const [first] = session?.someBranches.keys() ?? []
    const branch = session && 'branch' in session.head ? session.head.branch : first
    return branch === undefined ? undefined : { kind: 'session', name, branch }
  }
  return /[^.]\.{2,3}[^.]/.test(word) ? { kind: 'range' } : undefined
}

/** Returns what a name resolves to; undefined if it is unknown or ambiguous. */
async function ifFound<T>(named: Promise<T>): Promise<T | undefined> {
  try {
    return await named
  } catch (error) {
    if (error instanceof SessError) return undefined
    throw error
  }
}

/** Digits of an oid, HEAD and expressions are not taken for mistyped titles. */
const NO_TITLE = /^(?:[0-9a-f]{4,}|HEAD|.*[@~^:].*)$/

/** Returns the names of the same kind that a word may have meant. */
async function namesLike(reader: Reader, word: string, wanted: Wanted): Promise<NearNames> {
  const slash = word.indexOf('/')
  const [owner, name] = [word.slice(0, slash), word.slice(slash + 1)]
  const here = slash < 0 && wanted === 'revision' ? await ifFound(resolveSession(reader, '@')) : undefined
  const names = here ? ['HEAD', ...here.someBranches.keys(), ...here.labels.keys()] : []
  let isEmpty = true
  for await (const { id, meta, someBranches, labels } of allTrunks(reader)) {
    isEmpty = false
    if (slash > 0 && (id.startsWith(owner) || meta.title === owner)) {
      const all = [
        ...(wanted === 'label' ? [] : someBranches.keys()),
        ...(wanted === 'branch' ? [] : labels.keys()),
      ]
      return { kind: 'within', owner, name, names: all }
    }
    // A short word is no mistyped id, but may be like a title.
    if (word.length >= id.length / 2) names.push(id)
    if (meta.title && !NO_TITLE.test(word)) names.push(meta.title)
  }
  return isEmpty ? NO_SESSIONS : { kind: 'names', names, hasBranches: (here?.someBranches.size ?? 0) > 1 }
}
