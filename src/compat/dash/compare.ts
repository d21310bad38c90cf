import type { BranchComparison, BranchDifference, BranchInfo, BranchMetrics, SessionEntry } from './types.ts'

/** Gives what branches came to by their own entries, how each two differ, and which cost least. */
export function compared(
  branches: readonly { readonly info: BranchInfo; readonly own: readonly SessionEntry[] }[],
): BranchComparison {
  const all = branches.map(({ info, own }) => metricsOf(info, own))
  const differences: BranchDifference[] = []
  for (const [i, a] of all.entries())
    for (const b of all.slice(i + 1))
      differences.push(
        difference('cost', a, b, [a.totalCost, b.totalCost]),
        difference('tokens', a, b, [a.totalTokens, b.totalTokens]),
      )
  let best: BranchMetrics | undefined
  for (const one of all) if (!best || one.totalCost < best.totalCost) best = one
  return { branches: all, ...(best && { winner: best.branchId }), differences }
}

function metricsOf({ id, name, createdAt }: BranchInfo, own: readonly SessionEntry[]): BranchMetrics {
  const sum = (key: 'cost' | 'tokens'): number =>
    own.reduce((total, entry) => {
      const value = entry.type === 'message' ? entry.metadata?.[key] : undefined
      return typeof value === 'number' ? total + value : total
    }, 0)
  return {
    branchId: id,
    name,
    entryCount: own.length,
    totalCost: sum('cost'),
    totalTokens: sum('tokens'),
    lastActivity: own.at(-1)?.timestamp ?? createdAt,
  }
}

function difference(
  metric: BranchDifference['metric'],
  { branchId: branchA }: BranchMetrics,
  { branchId: branchB }: BranchMetrics,
  [a, b]: readonly [number, number],
): BranchDifference {
  const diff = b - a
  return { metric, branchA, branchB, diff, percentDiff: a === 0 ? 0 : (diff / a) * 100 }
}
