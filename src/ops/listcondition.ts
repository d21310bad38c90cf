import { SessError } from '../model/errors.ts'
import { isCommit, isPullRequest, isRepository } from '../model/gitfacts.ts'
import { isOfProject } from '../model/paths.ts'
import type { Listed } from '../repo/listedsession.ts'

/** A field of each session that conditions can name: its values, and whether one of them is the one that was asked for. */
interface KnownField {
  readonly of: (session: Listed) => readonly (string | null)[]
  readonly is?: (value: string, asked: string) => boolean
}

/** Returns the folders and repositories that a session worked in. */
export const placesOf = ({ folders, git }: Pick<Listed, 'folders' | 'git'>): readonly string[] => [
  ...folders,
  ...(git?.repositories ?? []),
]

const commit: KnownField = { of: ({ git }) => git?.commits ?? [], is: isCommit }
const repository: KnownField = { of: ({ git }) => git?.repositories ?? [], is: isRepository }
const pullRequest: KnownField = { of: ({ pullRequests }) => pullRequests, is: isPullRequest }

/** The fields that conditions can name, some of them also by the names that they have in queries. */
const KNOWN: { readonly [key: string]: KnownField } = {
  id: { of: ({ id }) => [id] },
  title: { of: ({ title }) => [title] },
  agent: { of: ({ format }) => [format] },
  cwd: { of: ({ folders }) => folders },
  project: {
    of: placesOf,
    is: (one, asked) => isOfProject([one], asked),
  },
  model: { of: ({ model }) => [model] },
  /** The branches besides the current one: a session has always that. */
  branch: { of: ({ branches, head }) => Object.keys(branches).filter((name) => name !== head) },
  label: { of: ({ labels }) => Object.keys(labels) },
  'git-branch': { of: ({ git }) => git?.branches ?? [] },
  'git-commit': commit,
  'git-repository': repository,
  'pull-request': pullRequest,
  commit,
  repository,
  pr: pullRequest,
}

/** Returns whether a key is a field of each session, which users cannot set. */
export const isKnownKey = (key: string): boolean => Object.hasOwn(KNOWN, key)

const CONDITION = /^([^=!]+)(?:(!?=)([^]*))?$/

/**
 * Parses a condition on a field of a session or on a key that its user set: `key=value`, `key!=value`, or `key` for any
 * value. A missing value is the empty text. Throws `bad-usage`.
 */
export function parseCondition(text: string): (session: Listed) => boolean {
  const [, name = '', sign, value = ''] = CONDITION.exec(text) ?? []
  const key = name.trim()
  if (key === '')
    throw new SessError('bad-usage', `'${text}' is no condition`, {
      hint: 'write KEY=VALUE, KEY!=VALUE, or KEY for any value',
    })
  const own = ({ set }: Listed): (string | null)[] => [Object.hasOwn(set, key) ? (set[key] ?? null) : null]
  const { of, is = (one, asked) => one === asked }: KnownField = (isKnownKey(key)
    ? KNOWN[key]
    : undefined) ?? { of: own }
  const valuesOf = (session: Listed): string[] => of(session).flatMap((one) => (one ? [one] : []))
  if (sign === undefined) return (session) => valuesOf(session).length > 0
  const hasValue = (session: Listed): boolean => {
    const values = valuesOf(session)
    return value === '' ? values.length === 0 : values.some((one) => is(one, value))
  }
  return (session) => hasValue(session) === (sign === '=')
}
