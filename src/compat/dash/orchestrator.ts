import type { Store } from '../../library/store.ts'
import type { BranchComparison } from './types.ts'

/** The purpose of a swarm. Dash's other settings say how it runs agents, which is not the matter of a store. */
export interface SwarmConfig {
  readonly name: string
  readonly task: string
  readonly [setting: string]: unknown
}

/** A swarm, whose id is its name. */
export interface Swarm {
  readonly id: string
  readonly name: string
  readonly task: string
  /** The session in which its agents work, each on a branch. */
  readonly session: string
}

/** A branch of a swarm. */
export interface SwarmBranch {
  readonly name: string
  readonly description: string | null
  /** The entry that it begins at. */
  readonly entryId: string | null
}

/** The part of Dash's orchestrator that concerns sessions: swarms in a store, their branches, and which one did best. */
export class SwarmOrchestrator {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Makes a swarm, whose session begins with the task. Throws `exists` for a name that is taken, and `bad-name`. */
  async create({ name, task }: SwarmConfig): Promise<Swarm> {
    const { result } = await this.#store.perform('swarm-new', { swarm: name, task })
    return { id: name, name, task, session: result?.session as string }
  }

  /** Makes a branch at the current entry of the swarm's session, or at another one. Throws `no-swarm` and `exists`. */
  async createBranch(
    swarmId: string,
    name: string,
    description?: string,
    fromEntryId?: string,
  ): Promise<SwarmBranch> {
    const { result } = await this.#store.perform('swarm-branch', {
      swarm: swarmId,
      name,
      ...(description !== undefined && { about: description }),
      ...(fromEntryId !== undefined && { start: fromEntryId }),
    })
    return { name, description: description ?? null, entryId: result?.oid ?? null }
  }

  /** Makes a branch current. Throws `no-swarm` and `no-branch`. */
  async switchBranch(swarmId: string, branchName: string): Promise<void> {
    await this.#store.perform('swarm-switch', { swarm: swarmId, name: branchName })
  }

  /**
   * Compares two branches or more by what each has of its own. What is not known is 0, and without a known cost there is no
   * winner. Throws `no-swarm`, `no-branch`, and `bad-usage` for fewer.
   */
  async compareBranches(swarmId: string, branchIds: readonly string[]): Promise<BranchComparison> {
    const { result } = await this.#store.perform('swarm-compare', { swarm: swarmId, name: branchIds })
    const { sides = [], differences = [], winner = null } = result ?? {}
    return {
      branches: sides.map(({ revision, entries, cost, tokens, lastActivity }) => ({
        branchId: revision,
        name: revision,
        entryCount: entries,
        totalCost: cost ?? 0,
        totalTokens: tokens?.total ?? 0,
        lastActivity: lastActivity ?? '',
      })),
      ...(winner !== null && { winner }),
      differences: differences.flatMap(({ metric, a, b, diff, percent }) =>
        metric === 'cost' || metric === 'tokens'
          ? [{ metric, branchA: a, branchB: b, diff: diff ?? 0, percentDiff: percent ?? 0 }]
          : [],
      ),
    }
  }
}
