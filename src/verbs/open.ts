import { resolve } from 'node:path'
import type { Actor } from '../model/operation.ts'
import { type PriceOf, pricesWith } from '../model/prices.ts'
import type { Zone } from '../model/time.ts'
import type { Summarizer } from '../ops/summarize.ts'
import type { Repo, RepoOptions } from '../repo/repo.ts'
import type { Where } from './values.ts'

export { homeOf } from '../repo/environment.ts'

/** An open store. */
export type Store = Repo

/** How a store is opened. */
export type OpenStoreOptions = Omit<RepoOptions, 'works'>

/** Opens the store in a folder; it serves appends of other processes while it has the database. Throws as `Repo.open`. */
export async function openStore(folder: string, options: OpenStoreOptions = {}): Promise<Store> {
  const [{ Repo }, { REQUEST_HANDLERS }] = await Promise.all([
    import('../repo/repo.ts'),
    import('../ops/append/handlers.ts'),
  ])
  return Repo.open(folder, { ...options, works: REQUEST_HANDLERS })
}

/** The context of one call of a verb. */
export interface VerbContext {
  /** The store, with the signal, the command, the actor and the point in time of the call. */
  readonly repo: Store
  readonly where: Where
  readonly signal?: AbortSignal
  /** The prices of models, for costs that no agent records. */
  readonly priceOf: PriceOf
  /** Makes summaries where no text is given; without it, they are digests that need no model. */
  readonly summarize?: Summarizer
}

/** The context of one call of a verb. */
export interface Call {
  /** Cancels the call. */
  readonly signal?: AbortSignal
  /** The interface that calls, for the operation log. */
  readonly command?: string
  /** Whether a person calls, or a program. */
  readonly actor?: Actor
  /** Reads the store as it was right after an operation, by its number, its id or the time. */
  readonly at?: string
  /** Writes nothing of what the call changes. */
  readonly dryRun?: boolean
  /** The zone of times that are typed; UTC by default. */
  readonly zone?: Zone
  /** The prices of models, for costs that no agent records; those of the built-in list by default. */
  readonly priceOf?: PriceOf
  readonly summarize?: Summarizer
}

/** Returns the context of a call. */
export function contextOf(repo: Store, call: Call = {}): VerbContext {
  const { signal, command, actor, at, dryRun, summarize, zone = () => 0 } = call
  return {
    repo: repo.call({ signal, command, actor, at, dryRun, zone }),
    where: { now: repo.env.now, zone, absolute: (path) => resolve(repo.env.cwd, path) },
    ...(signal && { signal }),
    ...(summarize && { summarize }),
    // Asked on use: most verbs count no costs.
    get priceOf() {
      return call.priceOf ?? pricesWith()
    },
  }
}
