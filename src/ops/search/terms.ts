import { FORMATS } from '../../formats/registry.ts'
import { SessError } from '../../model/errors.ts'
import { gitState, isCommit, isPullRequest, isRepository } from '../../model/gitfacts.ts'
import type { EntryHandle } from '../../model/node.ts'
import { isOfProject, isWithin } from '../../model/paths.ts'
import type { Pattern } from '../../model/pattern/pattern.ts'
import type { NamedField, Query, Term } from '../../model/search/query.ts'
import type { MatchedPart } from '../../model/search/ranking.ts'
import { demandsOf, folded, type Pieces } from '../../model/search/words.ts'
import type { Role } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { resolveSession } from '../../repo/revision.ts'
import { foldersOf, type SessionMeta } from '../../repo/session.ts'
import { absolute } from '../../sources/files.ts'
import { placesOf } from '../listcondition.ts'
import type { SearchedSession } from './searchedsession.ts'

/** Parts of an entry, or of a session's title, that a query is matched against. */
export interface SearchedEntry {
  readonly role: Role | null
  readonly parts: readonly MatchedPart[]
  /** Returns the name of the tool of a call or result. */
  readonly toolOf: (part: MatchedPart) => Promise<string | undefined>
}

/** An entry that a query is matched against. */
export interface MatchableEntry extends SearchedEntry {
  readonly handle: EntryHandle
}

/** The resolved names of a query. */
export interface QueryNames {
  /** The ids of sessions, by their names in the query. */
  readonly sessions: ReadonlyMap<string, string>
  /** Absolute folders, by their names in the query. */
  readonly folders: ReadonlyMap<string, string>
}

/** Resolves the names in a query. Throws as `resolveSession`, and `bad-query`. */
export async function namesIn(reader: Reader, { clauses }: Query, cwd: string): Promise<QueryNames> {
  const sessions = new Map<string, string>()
  const folders = new Map<string, string>()
  for (const term of clauses.flat()) {
    if (!('value' in term)) continue
    const { kind, value } = term
    if (kind === 'session') sessions.set(value, (await resolveSession(reader, value)).id)
    if (kind === 'cwd') folders.set(value, absolute(cwd, value))
    if (kind === 'agent' && !FORMATS.some(({ name }) => isAgent(name, value)))
      throw new SessError('bad-query', `no agent is called '${value}'`, {
        hint: `the agents are ${FORMATS.map(({ name }) => name).join(', ')}`,
      })
  }
  return { sessions, folders }
}

/** Returns whether a text names an agent: its name, or the first word of that. */
const isAgent = (name: string, asked: string): boolean =>
  name === asked.toLowerCase() || name.startsWith(`${asked.toLowerCase()}-`)

/** Returns whether a term holds for all entries of a session or for none; undefined if that depends on the entry. */
export async function holdsOfSession(
  term: Term,
  searched: SearchedSession,
  { sessions, folders }: QueryNames,
): Promise<boolean | undefined> {
  if (!('value' in term) || term.kind === 'tool' || term.kind === 'label' || term.kind === 'branch')
    return undefined
  const { kind, value } = term
  if (kind === 'session') return searched.id === sessions.get(value)
  const meta = (await searched.session)?.meta
  return meta !== undefined && holdsOfMeta(kind, value, meta, folders)
}

/** Returns whether a session has a value in a field, by its metadata. */
function holdsOfMeta(
  field: Exclude<NamedField, 'tool' | 'label' | 'branch' | 'session'>,
  asked: string,
  meta: SessionMeta,
  folders: QueryNames['folders'],
): boolean {
  const git = gitState(meta.git)
  switch (field) {
    case 'agent':
      return isAgent(meta.format, asked)
    case 'title':
      return folded(meta.title ?? '').includes(folded(asked))
    case 'git-branch':
      return git?.branches.includes(asked) ?? false
    case 'commit':
      return git?.commits.some((commit) => isCommit(commit, asked)) ?? false
    case 'repository':
      return git?.repositories.some((repository) => isRepository(repository, asked)) ?? false
    case 'pr':
      return meta.pullRequests?.some((request) => isPullRequest(request, asked)) ?? false
    case 'cwd': {
      const folder = folders.get(asked)
      return folder !== undefined && foldersOf(meta).some((one) => isWithin(one, folder))
    }
    case 'project':
      return isOfProject(placesOf({ folders: foldersOf(meta), git }), asked)
  }
}

/** The kinds of terms that hold for a session or do not. */
const OF_SESSIONS: ReadonlySet<string> = new Set<NamedField>([
  'agent',
  'session',
  'title',
  'cwd',
  'project',
  'git-branch',
  'commit',
  'repository',
  'pr',
])

/** Returns whether a term is about a time: of an entry, or of a session where only sessions are asked for. */
export const isTime = (term: Term): term is Extract<Term, { readonly time: number }> =>
  term.kind === 'since' || term.kind === 'until'

/** Returns whether a query asks only for sessions: it has fields of sessions, and beside them at most times. */
export function isOfSessions({ clauses }: Query): boolean {
  const terms = clauses.flat()
  const isOfSession = ({ kind }: Term): boolean => OF_SESSIONS.has(kind)
  return terms.some(isOfSession) && terms.every((term) => isOfSession(term) || isTime(term))
}

/** Returns whether a term holds for a session itself, of which `title` is the title: words are searched in it. */
export async function holdsOfTitled(
  term: Term,
  searched: SearchedSession,
  title: readonly MatchedPart[],
  names: QueryNames,
): Promise<boolean> {
  const isSo = isWords(term)
    ? title.some(({ folded: text }) => term.pattern.test(text))
    : term.kind === 'since'
      ? (searched.updated ?? Number.NEGATIVE_INFINITY) >= term.time
      : term.kind === 'until'
        ? (searched.updated ?? Number.POSITIVE_INFINITY) < term.time
        : await holdsOfSession(term, searched, names)
  return isSo !== undefined && isSo !== term.not
}

/** Returns whether a term holds for an entry in a session. */
export async function holds(
  term: Term,
  entry: MatchableEntry,
  searched: SearchedSession,
  names: QueryNames,
): Promise<boolean> {
  switch (term.kind) {
    case 'text':
    case 'pattern':
      return entry.parts.some(({ folded: text }) => term.pattern.test(text))
    case 'role':
      return entry.role === term.role
    case 'failed':
      return entry.parts.some(({ failed = false }) => failed)
    case 'since':
      return ((await searched.time(entry.handle)) ?? Number.NEGATIVE_INFINITY) >= term.time
    case 'until':
      return ((await searched.time(entry.handle)) ?? Number.POSITIVE_INFINITY) < term.time
    case 'tool':
      for (const part of entry.parts) if (isTool(await entry.toolOf(part), term.value)) return true
      return false
    case 'label':
      return entry.parts.some(
        ({ place, folded: text }) => place === 'label' && text.includes(folded(term.value)),
      )
    case 'branch':
      return searched.reaches(entry.handle, term.value)
    default:
      return (await holdsOfSession(term, searched, names)) ?? false
  }
}

/** Returns whether a text names a tool: its name, or that without the name of its server. */
const isTool = (name: string | undefined, asked: string): boolean => {
  const [known, wanted] = [name?.toLowerCase(), asked.toLowerCase()]
  return known === wanted || (known?.endsWith(`__${wanted}`) ?? false)
}

/** A term that is searched in the text of entries. */
export type Words = Extract<Term, { readonly pattern: Pattern }>

/** Returns whether a term is searched in the text of entries. */
const isWords = (term: Term): term is Words => term.kind === 'text' || term.kind === 'pattern'

/** Returns the clauses that match only entries with text: at least one word of each list must occur. */
export const wordsOf = ({ clauses }: Query): readonly (readonly Words[])[] =>
  clauses.flatMap((clause) => {
    const words = clause.filter((term): term is Words => isWords(term) && !term.not)
    return words.length === clause.length ? [words] : []
  })

/** Returns the pieces of words that a text contains where a term matches it: for each word the ways to say it. */
export const piecesOf = (term: Words): readonly (readonly Pieces[])[] =>
  term.kind === 'text' ? demandsOf(term.text) : term.pattern.literals.flatMap((text) => [...demandsOf(text)])
