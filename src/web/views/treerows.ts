import { useEffect, useRef, useState } from 'preact/hooks'
import type { GraphFilter } from '../../model/graphfilter.ts'
import { addressOf, get } from '../api.ts'
import type { Row, RowWindow } from '../data.ts'
import { during, isOf, useChanges } from '../hooks.ts'
import { kept } from '../router.ts'
import type { RowScroll } from './treescroll.ts'

const BLOCK = 100
const MAX_BLOCKS = 12
const SETTLE_MS = 60
/** Milliseconds until a failed read is repeated; the transcript beside it says that the server does not answer. */
const AGAIN_MS = 3000
/** Milliseconds after which rows are read again while the server still counts those of other paths. */
const COUNTING_MS = 1500

/** The entries of rows that are closed, of those whose stretches are open, and of the paths that are shown. */
export interface TreeFolds {
  readonly closed: readonly string[]
  readonly opened: readonly string[]
  readonly shown: readonly string[]
}

/** Which rows a tree has: those of the straight path, and of the path that is read. */
export interface TreeChoice {
  readonly session: string
  readonly filter: GraphFilter
  readonly folds: TreeFolds
  /** The end of the path that is read, where that is another one. */
  readonly read: string | null
}

const rowsAddress = (
  { session, filter, folds, read }: TreeChoice,
  asked: { readonly limit: number; readonly from?: number; readonly at?: string },
): string =>
  addressOf(`/sessions/${encodeURIComponent(session)}/rows`, {
    ...{ filter, ...folds, ...asked, folded: true },
    shown: read === null ? folds.shown : [...folds.shown, read],
  })

/** The rows that are known, by the blocks that they were read in. */
interface Known {
  readonly total: number
  /** Whether all paths are counted: before, rows that follow may come to stand elsewhere. */
  readonly isExact: boolean
  readonly blocks: ReadonlyMap<number, readonly Row[]>
}

/** Reads rows in blocks: those in sight, and again what changed. */
export function useRows(choice: TreeChoice): {
  readonly total: number
  readonly isExact: boolean
  readonly version: number
  readonly rowAt: (index: number) => Row | undefined
  readonly need: (from: number, to: number) => (() => void) | undefined
} {
  const [known, setKnown] = useState<Known>({ total: 0, isExact: true, blocks: new Map() })
  const [version, setVersion] = useState(0)
  const [attempt, setAttempt] = useState(0)
  const stale = useRef(new Set<number>())
  const reading = useRef(new Set<number>())
  const aborter = useRef(new AbortController())
  const { session, filter } = choice
  const name = `${session} ${filter}`
  const addressFor = (from: number, limit: number): string => rowsAddress(choice, { from, limit })
  const folds = JSON.stringify(choice)
  const lastFolds = useRef(folds)
  useEffect(() => {
    setKnown({ total: 0, isExact: true, blocks: new Map() })
    stale.current.clear()
    reading.current.clear()
    aborter.current = new AbortController()
    const { signal } = aborter.current
    const read = async (): Promise<void> => {
      const { total, isExact } = await get<RowWindow>(addressFor(0, 1), signal)
      if (total === 0) return
      setKnown((former) => ({ ...former, total, isExact }))
      setVersion((former) => former + 1)
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const begin = (): void => void during(read, () => (timer = setTimeout(begin, AGAIN_MS)))
    begin()
    return () => {
      clearTimeout(timer)
      aborter.current.abort()
    }
  }, [name, attempt])
  const renew = (): void => {
    for (const block of known.blocks.keys()) stale.current.add(block)
    setVersion((former) => former + 1)
  }
  useEffect(() => {
    if (lastFolds.current !== folds) renew()
    lastFolds.current = folds
  }, [folds])
  useEffect(() => {
    if (known.isExact) return undefined
    const timer = setTimeout(renew, COUNTING_MS)
    return () => clearTimeout(timer)
  }, [known])
  useChanges(isOf(session), () => {
    // A session without entries gets its first ones.
    if (known.total === 0) setAttempt((former) => former + 1)
    renew()
  })
  const need = (from: number, to: number): (() => void) | undefined => {
    const wanted: number[] = []
    for (let block = Math.floor(from / BLOCK); block <= Math.floor(to / BLOCK); block++)
      if ((block * BLOCK < known.total && !known.blocks.has(block)) || stale.current.has(block))
        wanted.push(block)
    if (wanted.length === 0) return undefined
    const timer = setTimeout(() => {
      for (const block of wanted) {
        if (reading.current.has(block)) continue
        reading.current.add(block)
        const address = addressFor(block * BLOCK, BLOCK)
        const done = (): void => {
          reading.current.delete(block)
          setVersion((former) => former + 1)
        }
        void during(
          async () => {
            const { rows, total, isExact } = await get<RowWindow>(address, aborter.current.signal)
            // Rows that were closed or opened meanwhile are read again.
            if (lastFolds.current === folds) stale.current.delete(block)
            setKnown((former) => ({
              ...{ total, isExact },
              // Rows that were read before all were counted may stand elsewhere.
              blocks: keptBlocks(isExact === former.isExact ? former.blocks : new Map(), block, rows),
            }))
            done()
          },
          () => setTimeout(done, AGAIN_MS),
        )
      }
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }
  const rowAt = (index: number): Row | undefined =>
    index < 0 ? undefined : known.blocks.get(Math.floor(index / BLOCK))?.[index % BLOCK]
  return { total: known.total, isExact: known.isExact, version, rowAt, need }
}

function keptBlocks(
  blocks: ReadonlyMap<number, readonly Row[]>,
  block: number,
  rows: readonly Row[],
): ReadonlyMap<number, readonly Row[]> {
  const next = new Map(blocks).set(block, rows)
  const far = [...next.keys()].toSorted((a, b) => Math.abs(b - block) - Math.abs(a - block))
  while (next.size > MAX_BLOCKS) next.delete(far.shift() as number)
  return next
}

/** Returns the place of the row of an entry, or of the one that hides it. */
async function positionOf(choice: TreeChoice, at: string): Promise<number | null> {
  const { rows } = await get<RowWindow>(rowsAddress(choice, { at, limit: 1 }))
  return rows[0]?.position ?? null
}

/** Keeps the rows in sight where they are as those of all other paths become known. */
export function useSteadyRows({
  choice,
  isExact,
  top,
  onMoved,
}: {
  readonly choice: TreeChoice
  readonly isExact: boolean
  readonly top: Row | undefined
  /** Called with the place that the row at the top has now. */
  readonly onMoved: (row: number) => void
}): void {
  const last = useRef<{ readonly isExact: boolean; readonly oid: string | undefined }>({
    isExact: true,
    oid: undefined,
  })
  useEffect(() => {
    const { oid } = last.current
    const isNews = isExact && !last.current.isExact
    if (!isExact) last.current = { isExact, oid: top?.oid ?? oid }
    if (!isNews) return
    last.current = { isExact, oid: undefined }
    if (oid === undefined) return
    const place = async (): Promise<void> => {
      const position = await positionOf(choice, oid)
      if (position !== null) onMoved(position)
    }
    void during(place, () => undefined)
  }, [isExact, top?.oid])
}

/** Goes to the entry that is read, or where the pane was. */
export function useFirstPosition({
  choice,
  oid,
  total,
  isExact,
  onFound,
  scroll,
}: {
  readonly choice: TreeChoice
  readonly oid: string | null
  readonly total: number
  readonly isExact: boolean
  readonly onFound: (index: number) => void
  readonly scroll: Pick<RowScroll, 'scrollTo' | 'scrollToRow'>
}): void {
  const placed = useRef('')
  const latest = useRef(scroll)
  latest.current = scroll
  const entry = `${choice.session} ${choice.filter} ${oid}`
  const name = `${entry} ${isExact}`
  useEffect(() => {
    if (total === 0 || placed.current === name || oid === null) return undefined
    const isFirst = placed.current === ''
    const isCounted = placed.current.startsWith(`${entry} `)
    placed.current = name
    const former = isFirst ? kept('tree') : undefined
    const place = async (): Promise<void> => {
      const position = await positionOf(choice, oid)
      if (position === null || placed.current !== name) return
      onFound(position)
      if (isCounted) return
      if (typeof former === 'number') latest.current.scrollTo(former)
      else latest.current.scrollToRow(position, isFirst ? 'middle' : 'near')
    }
    void during(place, () => (placed.current = ''))
    return undefined
  }, [name, total])
}
