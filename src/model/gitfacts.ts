/**
 * The state of the git repository that a session worked in, as it stands at the end. The lists hold all values, in the
 * order of their first use, where there are several.
 */
export type GitFacts = {
  readonly branch?: string
  readonly commit?: string
  /** The address of the remote repository, or its owner and name. */
  readonly repository?: string
  readonly branches?: readonly string[]
  readonly commits?: readonly string[]
  readonly repositories?: readonly string[]
}

/** The state of a git repository with the lists filled in: one value makes a list of one. */
export type GitState = {
  readonly branch: string | null
  readonly commit: string | null
  readonly repository: string | null
  readonly branches: readonly string[]
  readonly commits: readonly string[]
  readonly repositories: readonly string[]
}

const listOf = (one: string | undefined, all: readonly string[] | undefined): readonly string[] =>
  all ?? (one === undefined ? [] : [one])

/** Returns git facts with their lists filled in; null without any. */
export const gitState = (git: GitFacts | undefined): GitState | null =>
  git === undefined
    ? null
    : {
        branch: git.branch ?? null,
        commit: git.commit ?? null,
        repository: git.repository ?? null,
        branches: listOf(git.branch, git.branches),
        commits: listOf(git.commit, git.commits),
        repositories: listOf(git.repository, git.repositories),
      }

/** The shortest text that a commit is abbreviated to. */
const SHORTEST_COMMIT = 4

/** Returns whether a text names a commit: its hash in any case of letters, or the beginning of one of them. */
export function isCommit(commit: string, asked: string): boolean {
  const [known, wanted] = [commit.toLowerCase(), asked.toLowerCase()]
  if (known === wanted) return true
  const [long, short] = known.length > wanted.length ? [known, wanted] : [wanted, known]
  return short.length >= SHORTEST_COMMIT && long.startsWith(short)
}

/** Returns the host and path of a repository's address in the forms that git takes, without `.git`. */
const repositoryPath = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^[a-z][a-z+.-]*:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?=[^/])/, '$1/')
    .replace(/\/$/, '')
    .replace(/\.git$/, '')

/** Returns whether a text names a repository: its address in any form, or the end of its path, such as `owner/name`. */
export function isRepository(repository: string, asked: string): boolean {
  const [known, wanted] = [repositoryPath(repository), repositoryPath(asked)]
  return wanted !== '' && (known === wanted || known.endsWith(`/${wanted}`))
}

/** The addresses of pull requests on the common hosts, and their short form. */
const REQUEST =
  /^(.+?)(?:\/-)?\/(?:pull|pulls|pull-requests|pullrequest|merge_requests)\/(\d{1,15})(?:[/?#].*)?$|^(.*)#(\d{1,15})$/i

/** Returns the repository and the number of a pull request; undefined for a text that is no pull request. */
function requestIn(text: string): { readonly repository: string; readonly number: string } | undefined {
  const [, path, number, owner, short] = REQUEST.exec(text) ?? []
  if (number !== undefined) return { repository: path ?? '', number }
  return short === undefined ? undefined : { repository: owner ?? '', number: short }
}

/** Returns whether a text names a pull request: its address, its number, or `owner/name#number`. */
export function isPullRequest(request: string, asked: string): boolean {
  if (request.toLowerCase() === asked.toLowerCase()) return true
  const known = requestIn(request)
  const wanted = /^\d+$/.test(asked) ? { repository: '', number: asked } : requestIn(asked)
  if (!known || !wanted || Number(known.number) !== Number(wanted.number)) return false
  return wanted.repository === '' || isRepository(known.repository, wanted.repository)
}
