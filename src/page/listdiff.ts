/** Consecutive items of two lists: of both, of the former one alone, or of the latter one alone. */
export interface ListPiece<T> {
  readonly items: readonly T[]
  readonly of: 'both' | 'before' | 'after'
}

/** How far a path of edits has come in the list before, and the edits and common runs that lead there, the last one first. */
interface Path {
  readonly at: number
  readonly step: Step | undefined
}

interface Step {
  readonly of: ListPiece<never>['of']
  readonly count: number
  readonly former: Step | undefined
}

/**
 * Returns what two lists have in common and what differs, in order, with as few edits as possible (Myers, An O(ND)
 * difference algorithm); undefined where more are needed than a number of them.
 */
export function listDiff<T>(
  before: readonly T[],
  after: readonly T[],
  maxEdits: number = before.length + after.length,
): ListPiece<T>[] | undefined {
  const [width, height] = [before.length, after.length]
  /** By diagonal, places before minus places after, the path that came furthest on it; of former edits in between. */
  const furthest = new Map<number, Path>()
  for (let edits = 0; edits <= maxEdits; edits++) {
    const last = edits - 2 * Math.max(0, edits - width)
    for (let diagonal = 2 * Math.max(0, edits - height) - edits; diagonal <= last; diagonal += 2) {
      const [left, up] = [furthest.get(diagonal - 1), furthest.get(diagonal + 1)]
      const isAdded = !left || (up !== undefined && left.at < up.at)
      const path = edits === 0 ? START : isAdded ? moved(up as Path, 'after', 0) : moved(left, 'before', 1)
      let { at } = path
      while (at < width && at - diagonal < height && before[at] === after[at - diagonal]) at++
      const reached = at === path.at ? path : moved(path, 'both', at - path.at)
      if (at >= width && at - diagonal >= height) return piecesOf(reached.step, before, after)
      furthest.set(diagonal, reached)
    }
  }
  return undefined
}

const START: Path = { at: 0, step: undefined }

/** Returns a path with one more item of a list, or with some of both. */
function moved({ at, step }: Path, of: Step['of'], by: number): Path {
  const count = Math.max(1, by)
  const isSame = step?.of === of
  return {
    at: at + by,
    step: { of, count: count + (isSame ? step.count : 0), former: isSame ? step.former : step },
  }
}

/** Returns the pieces of a path: of those that differ the former ones first. */
function piecesOf<T>(end: Step | undefined, before: readonly T[], after: readonly T[]): ListPiece<T>[] {
  const steps: Step[] = []
  for (let step = end; step; step = step.former) steps.push(step)
  const pieces: ListPiece<T>[] = []
  let [old, now, gone, come] = [0, 0, 0, 0]
  const close = (): void => {
    if (gone > 0) pieces.push({ of: 'before', items: before.slice(old, (old += gone)) })
    if (come > 0) pieces.push({ of: 'after', items: after.slice(now, (now += come)) })
    ;[gone, come] = [0, 0]
  }
  for (const { of, count } of steps.reverse())
    if (of === 'before') gone += count
    else if (of === 'after') come += count
    else {
      close()
      pieces.push({ of, items: before.slice(old, (old += count)) })
      now += count
    }
  close()
  return pieces
}
