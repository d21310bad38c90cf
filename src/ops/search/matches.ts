import type { Rank } from '../../model/search/ranking.ts'

/** A hit by its rank, and by where it comes in the order in which a search looks through sessions. */
export interface Placed {
  readonly rank: Rank
  /** The pass of a search in which it is found at the latest. */
  readonly tier: number
  /** The place of its session in the order of the search. */
  readonly place: number
  /** Of hits of one session that are equal otherwise the one with the higher order comes first. */
  readonly order: number
}

/** A position in the order of a search: of the entries of a session, those of this order and above were looked at. */
export type SearchPosition = Pick<Placed, 'place' | 'order'>

const compare = (a: SearchPosition, b: SearchPosition): number => a.place - b.place || b.order - a.order

/** Compares hits: the better one comes first. */
export const compareMatches = (a: Placed, b: Placed): number => a.rank - b.rank || compare(a, b)

/**
 * The hits of a search. What is known beforehand of where words occur decides when a hit is found, and must not decide
 * which hits there are: each tier keeps its first hits in the order of the search, whenever they were found.
 */
export class Matches<T extends Placed> {
  readonly #most: number
  readonly #tiers = new Map<number, T[]>()
  #count = 0

  /** Each tier keeps at most `most` hits. */
  constructor(most: number) {
    this.#most = most
  }

  get count(): number {
    return this.#count
  }

  add(match: T): void {
    const tier = this.#tiers.get(match.tier)
    if (tier) tier.push(match)
    else this.#tiers.set(match.tier, [match])
    this.#count++
  }

  /** Returns whether a tier has all hits that it keeps, once a search has come to a position in it. */
  isFull(tier: number, position: SearchPosition): boolean {
    const found = this.#tiers.get(tier) ?? []
    if (found.length < this.#most) return false
    return found.filter((match) => compare(match, position) <= 0).length >= this.#most
  }

  /** Drops what a tier that was looked through does not keep. */
  end(tier: number): void {
    const found = this.#tiers.get(tier) ?? []
    if (found.length <= this.#most) return
    this.#tiers.set(tier, found.sort(compare).slice(0, this.#most))
    this.#count -= found.length - this.#most
  }

  /** Returns how many hits come before all that are not found yet, which are of a rank or a worse one. */
  settled(rank: Rank, position: SearchPosition): number {
    let count = 0
    for (const found of this.#tiers.values())
      for (const match of found)
        if (match.rank < rank || (match.rank === rank && compare(match, position) <= 0)) count++
    return count
  }

  /** Returns the best hits, the best first. */
  best(limit: number): T[] {
    return [...this.#tiers.values()].flat().sort(compareMatches).slice(0, limit)
  }
}
