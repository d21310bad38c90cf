import { resolve } from 'node:path'
import { defined } from '../model/json.ts'
import type { Actor } from '../model/operation.ts'
import { type PriceOf, pricesWith } from '../model/prices.ts'
import type { FindSecrets } from '../model/secrets/secret.ts'
import type { Zone } from '../model/time.ts'
import type { Variables } from '../model/variables.ts'
import type { Summarizer } from '../ops/summarize.ts'
import type { Repo, RepoOptions } from '../repo/repo.ts'
import type { OpenTrees } from './opentrees.ts'
import type { Progress } from './progress.ts'
import { type Config, readSettings } from './settingvalues.ts'
import { type Env, realEnv, thisMachine } from './surroundings.ts'
import type { Where } from './values.ts'

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

/** The machine whose agents and settings a call means. */
interface UserMachine {
  /** The user's home. */
  readonly home: string
  readonly variables: Variables
}

/** The context of one call of a verb that needs no open store. */
export interface FolderContext {
  /** The folder of the store; there may be none in it. */
  readonly store: string
  readonly env: Env
  readonly where: Where
  /** The machine whose agents and settings the call means; this one by default. */
  readonly machine?: UserMachine
  /** The settings of the user and of the store, where they were read already. */
  readonly config?: Config
  /** The interface that calls, and whether a person calls or a program: for the operation log. */
  readonly command: string
  readonly actor: Actor
  /** Whether nothing is written of what the call changes. */
  readonly dryRun: boolean
  readonly signal?: AbortSignal
  /** Called repeatedly during long work. */
  readonly onProgress?: (progress: Progress) => void
}

/** The context of one call of a verb. */
export interface VerbContext extends FolderContext {
  /** The store, with the signal, the command, the actor and the point in time of the call. */
  readonly repo: Store
  /** The prices of models, for costs that no agent records. */
  readonly priceOf: PriceOf
  /** The trees that the interface keeps open from one call to the next. */
  readonly trees?: OpenTrees
  /** Makes summaries where no text is given; without it, they are digests that need no model. */
  readonly summarize?: Summarizer
  /** The purpose of a summary, in words, for what makes it. */
  readonly instructions?: string
  /** Aborts the summary, and with it the change that it is for; the signal of the call by default. */
  readonly summarySignal?: AbortSignal
  /** Recognises secrets; the rules that sess comes with by default, which are loaded on use. */
  readonly findSecrets?: FindSecrets
}

/** The options of one call of a verb that needs no open store. */
export interface FolderCall extends Pick<FolderContext, 'machine' | 'config' | 'onProgress'> {
  /** Cancels the call. */
  readonly signal?: AbortSignal
  /** The interface that calls, for the operation log. */
  readonly command?: string
  /** Whether a person calls, or a program. */
  readonly actor?: Actor
  /** Writes nothing of what the call changes. */
  readonly dryRun?: boolean
  /** The zone of times that are typed; UTC by default. */
  readonly zone?: Zone
}

/** The options of one call of a verb. */
export interface Call
  extends FolderCall,
    Pick<VerbContext, 'summarize' | 'instructions' | 'summarySignal' | 'findSecrets'> {
  /** Reads the store as it was right after an operation, by its number, its id or the time. */
  readonly at?: string
  /** The prices of models, for costs that no agent records; those of the built-in list by default. */
  readonly priceOf?: PriceOf
}

/** Returns the context of a call of a verb that needs no open store; there may be no store in the folder. */
export function folderContextOf(
  folder: string,
  { signal, command = 'library', actor = 'program', dryRun = false, zone = () => 0, ...call }: FolderCall,
  env: Env = realEnv(),
): FolderContext {
  const { machine, config, onProgress } = call
  return {
    ...defined({ signal, machine, config, onProgress }),
    store: folder,
    env,
    command,
    actor,
    dryRun,
    where: { now: env.now, zone, absolute: (path) => resolve(env.cwd, path) },
  }
}

const listPrices = pricesWith()

/** Returns the context of a call. What it leaves out is that of the store. */
export function contextOf(store: Store, call: Call = {}): VerbContext {
  const { command, actor, at, dryRun, zone = () => 0 } = call
  const { summarize, instructions, summarySignal, findSecrets } = call
  const repo = store.call({ signal: call.signal, command, actor, at, dryRun, zone })
  const { signal, caller, isDry } = repo
  const by = { command: caller.command, actor: caller.actor }
  return {
    ...folderContextOf(repo.dir, { ...call, ...by, ...defined({ signal }), dryRun: isDry, zone }, repo.env),
    ...defined({ summarize, instructions, summarySignal, findSecrets }),
    repo,
    priceOf: call.priceOf ?? listPrices,
  }
}

/** Returns the machine whose agents and settings a call means. */
export const machineOf = ({ machine }: FolderContext): UserMachine => machine ?? thisMachine()

/** Returns the settings that hold for a call. */
export function settingsOf(context: FolderContext): Config {
  const { env, config, store } = context
  return config ?? readSettings({ variables: machineOf(context).variables, env }, store)
}
