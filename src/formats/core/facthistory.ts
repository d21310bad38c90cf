import type { GitFacts } from '../../model/gitfacts.ts'
import type { Json } from '../../model/json.ts'
import type { Facts } from './format.ts'

/** The number of different values that are kept of one fact: the newest ones. Transcripts are untrusted. */
const MAX_VALUES = 100

/** The longest value that is kept, in UTF-16 units. */
const MAX_UNITS = 4096

/** Collects the values that a fact of a session had, in the order of their first use. */
export class FactHistory {
  private newest: string | undefined
  private readonly values = new Set<string>()

  /** Adds the value that the fact has from now on. */
  add(value: unknown): void {
    if (value === this.newest || typeof value !== 'string' || value === '' || value.length > MAX_UNITS) return
    this.newest = value
    this.values.add(value)
    if (this.values.size > MAX_VALUES)
      for (const oldest of this.values) return void this.values.delete(oldest)
  }

  /** The value that it has at the end. */
  get last(): string | undefined {
    return this.newest
  }

  /** All values; undefined if there are none. */
  get all(): readonly string[] | undefined {
    return this.values.size > 0 ? [...this.values] : undefined
  }

  /** All values; undefined unless there are several. */
  get several(): readonly string[] | undefined {
    return this.values.size > 1 ? [...this.values] : undefined
  }

  /** Returns the last value of which a test holds, in the order of first use. */
  findLast(holds: (value: string) => boolean): string | undefined {
    return [...this.values].findLast(holds)
  }
}

/** The names of git facts that change on their own. */
type GitFact = 'branch' | 'commit' | 'repository'

/** Collects the states of the git repository that a session worked in. */
export class GitHistory {
  private readonly branches = new FactHistory()
  private readonly commits = new FactHistory()
  private readonly repositories = new FactHistory()

  /** Adds the branch that it works on from now on. A detached HEAD is no branch. */
  addBranch(branch: unknown): void {
    if (branch !== 'HEAD') this.branches.add(branch)
  }

  /** Adds what is known of the state from now on. */
  add({ branch, commit, repository }: { readonly [K in GitFact]?: unknown }): void {
    this.addBranch(branch)
    this.commits.add(commit)
    this.repositories.add(repository)
  }

  /** Returns the state at the end, and all values of each of its parts that had several. */
  facts(): Pick<Facts, 'git'> {
    const parts = [
      ['branch', this.branches.last],
      ['commit', this.commits.last],
      ['repository', this.repositories.last],
      ['branches', this.branches.several],
      ['commits', this.commits.several],
      ['repositories', this.repositories.several],
    ] as const
    const git: GitFacts = Object.fromEntries(parts.filter(([, value]) => value !== undefined)) as GitFacts
    return Object.keys(git).length > 0 ? { git } : {}
  }
}

/** Collects the folders that a session worked in, and the states of their repositories. */
export class PlaceHistory {
  readonly folders = new FactHistory()
  readonly git = new GitHistory()

  /** Adds what facts say of the place from now on. */
  add({ cwd, git }: Pick<Facts, 'cwd' | 'git'>): void {
    this.folders.add(cwd)
    if (git) this.git.add(git)
  }

  /** Returns the place at the end, and all folders where there are several. */
  facts(): Pick<Facts, 'cwd' | 'folders' | 'git'> {
    const { last: cwd, several: folders } = this.folders
    return { ...(cwd !== undefined && { cwd }), ...(folders && { folders }), ...this.git.facts() }
  }
}

/** Returns git facts without those that are not known. */
export function gitFacts(known: { readonly [K in GitFact]?: Json | undefined }): Pick<Facts, 'git'> {
  const history = new GitHistory()
  history.add(known)
  return history.facts()
}
