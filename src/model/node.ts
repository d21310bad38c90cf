import type { Digest, LinksBy } from './encoding/entry.ts'
import type { Oid } from './encoding/oid.ts'
import type { Weight } from './tokens.ts'
import { COMPACTS, SETS_MODE, SETS_MODEL, SETS_THINKING, type Traits } from './view.ts'

declare const handle: unique symbol

/**
 * The name by which one open backend knows a stored entry. Opaque: only that backend can interpret it. Two handles of a
 * backend are equal (`===`) exactly if they name the same entry; a handle is in no hash, is never stored above storage
 * and is shown to nobody.
 */
export type EntryHandle = (number | string) & { readonly [handle]: true }

/** The entries on which an entry's meaning depends, all of them ancestors of it. */
export type NodeLinks = LinksBy<EntryHandle>

/** An entry without its body, as the graph sees it. */
export interface Node {
  readonly handle: EntryHandle
  readonly oid: Oid
  /** First parent first. */
  readonly parents: readonly EntryHandle[]
  readonly type: string
  readonly traits: Traits
  readonly digest: Digest
  readonly links: NodeLinks
  /**
   * Where the entry comes in the order in which this store received entries. Larger than the order of each ancestor, so
   * that descending order has children before parents and the newest first. For comparing only.
   */
  readonly order: number
  /** How many entries precede it along first parents. */
  readonly depth: number
  /** The weight of its path, itself included: the weight between two entries of a path is their difference. */
  readonly weight: Weight
  /** An ancestor along first parents that makes any of them reachable in logarithmic time; itself at a root. */
  readonly jump: EntryHandle
  /** The depth of that ancestor. */
  readonly jumpDepth: number
  /** The nearest merge, itself or along first parents. */
  readonly merge: EntryHandle | undefined
  /** For each of NEAR the nearest entry, itself or along first parents, that has the trait. */
  readonly near: readonly (EntryHandle | undefined)[]
  /** Whether a graft joins it to its parent, which its oid does not cover. */
  readonly grafted?: true
}

/** The traits whose nearest bearer each node knows. */
export const NEAR: readonly Traits[] = [COMPACTS, SETS_MODEL, SETS_THINKING, SETS_MODE]

/**
 * Returns the depth at which the jump of an entry ends. Jumps are as long as the smallest part of the depth as a sum of
 * numbers 2^n - 1, the largest first (Myers, "An applicative random-access stack", 1983).
 */
export function jumpDepth(depth: number): number {
  let length = 1
  while (2 * length + 1 <= depth) length = 2 * length + 1
  for (let left = depth; left > 0; length = (length - 1) / 2) {
    while (length <= left) left -= length
    if (left === 0) return depth - length
  }
  return 0
}
