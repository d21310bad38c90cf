import { mergeBase } from '../graph/mergebase.ts'
import { ancestor } from '../graph/walk.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { addTo } from '../model/lists.ts'
import type { EntryHandle } from '../model/node.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { allBranches, type SessionTrunk } from '../repo/session.ts'
import { rangeOf } from './revisionrange.ts'

/** Branches of two sessions that share entries, and the last one that they share. */
export interface SharedBase {
  readonly left: SessionBranch
  readonly right: SessionBranch
  readonly base: Oid
}

/** A branch of a session. */
export interface SessionBranch {
  readonly session: string
  readonly branch: string
}

/**
 * Returns the branches of the sessions of two revisions, or of the sides of a range, that share the longest history; null
 * where no branches share any. Throws as `resolve`.
 */
export async function sharedBase(repo: Repo, left: string, right?: string): Promise<SharedBase | null> {
  return repo.read(async (reader) => {
    const range = right === undefined ? await rangeOf(reader, left) : undefined
    const a = (range?.left ?? (await resolve(reader, left))).session
    const b = (range?.right ?? (await resolve(reader, right ?? left))).session
    return a && b && a.id !== b.id ? sharedIn(reader, a, b) : null
  })
}

async function sharedIn(reader: Reader, a: SessionTrunk, b: SessionTrunk): Promise<SharedBase | null> {
  const look = lookIn(reader)
  const others = new Map<EntryHandle, Tip[]>()
  for (const tip of await branchTips(reader, b)) addTo(others, tip.root, tip)
  let best: { readonly left: Tip; readonly right: Tip; readonly base: EntryHandle; depth: number } | undefined
  for (const left of await branchTips(reader, a))
    for (const right of others.get(left.root) ?? []) {
      const base = await mergeBase(left.tip, right.tip, look)
      const depth = base === undefined ? -1 : (await reader.node(base)).depth
      if (base !== undefined && depth > (best?.depth ?? -1)) best = { left, right, base, depth }
    }
  return best
    ? {
        left: { session: a.id, branch: best.left.branch },
        right: { session: b.id, branch: best.right.branch },
        base: await reader.oid(best.base),
      }
    : null
}

/** The tip of a branch, and the root of its path. */
interface Tip {
  readonly branch: string
  readonly tip: EntryHandle
  readonly root: EntryHandle
}

/** Returns the tips of a session's branches. Those with different roots share nothing on their paths. */
async function branchTips(reader: Reader, session: SessionTrunk): Promise<Tip[]> {
  const tips: Tip[] = []
  for (const [branch, oid] of await allBranches(reader, session)) {
    const tip = await reader.find(oid)
    if (tip === undefined) continue
    const root = await ancestor(tip, (await reader.node(tip)).depth, lookIn(reader))
    if (root !== undefined) tips.push({ branch, tip, root })
  }
  return tips
}
