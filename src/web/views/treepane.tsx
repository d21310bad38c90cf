import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { beginsPath, foldedAt, levelOf, type RowAt } from './treefolds.ts'
import { type Acts, lanesOf, lineOf, useLines } from './treeline.tsx'
import { type TreeChoice, type TreeFolds, useFirstPosition, useRows, useSteadyRows } from './treerows.ts'
import { ROW_PX, useRowScroll } from './treescroll.ts'

interface TreeProps {
  readonly choice: TreeChoice
  readonly selected: string | null
  readonly tip: string | null
  readonly branchHue: (name: string) => number
  readonly onFold: (folds: TreeFolds) => void
  /** Called with the branch that the row is on beside the straight path, where that is known. */
  readonly onSelect: (oid: string, branch: string | null | undefined) => void
}

/** The tree of a session: rows of one height, of which those in sight are in the document. */
export function TreePane({ choice, selected, tip, branchHue, onFold, onSelect }: TreeProps): VNode {
  const pane = useRef<HTMLDivElement>(null)
  const window = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<number | null>(null)
  const rows = useRows(choice)
  const { total, rowAt } = rows
  const scroll = useRowScroll(pane, window, total)
  const { first, count, scrollToRow } = scroll
  useEffect(() => rows.need(first, first + count), [first, count, rows.version])
  useFirstPosition({
    ...{ choice, oid: selected ?? tip, total },
    ...{ isExact: rows.isExact, onFound: setActive, scroll },
  })
  useSteadyRows({
    ...{ choice, isExact: rows.isExact, top: rowAt(first) },
    onMoved: (row) => scroll.scrollTo(row * ROW_PX),
  })
  const { folds } = choice
  const choose = (index: number): void => {
    setActive(index)
    const row = rowAt(index)
    if (row && row.hidden > 0) {
      chosen.current = row.oid
      fold(index, true)
    } else if (row) onSelect(row.oid, branchOf(index, rowAt))
  }
  // The branch of a path that was closed is known once its rows are.
  const chosen = useRef<string | null>(null)
  useEffect(() => {
    const row = active === null ? undefined : rowAt(active)
    if (active === null || !row || row.oid !== chosen.current || row.hidden > 0) return
    chosen.current = null
    onSelect(row.oid, branchOf(active, rowAt))
  }, [rows.version])
  const fold = (index: number, isOpen: boolean): void => {
    const row = rowAt(index)
    if (row) onFold(foldedAt(folds, row, { isOpen, isPath: beginsPath(rowAt, index) }))
  }
  const onKeyDown = useTreeKeys(
    { active: active ?? first, total, page: count - 2, rowAt, first, count },
    (to) => {
      setActive(to)
      scrollToRow(to, 'near')
    },
    choose,
    fold,
  )
  const acts = useRef<Acts>({ choose, fold })
  acts.current = { choose, fold }
  const visible = Array.from({ length: Math.max(0, Math.min(count, total - first)) }, (_, i) => first + i)
  const lines = useLines()
  const drawn = useMemo(
    () => lanesOf(visible.map(rowAt), branchHue, rowAt(first - 1), first + visible.length >= total),
    [first, count, rows.version, total],
  )
  return (
    <div
      ref={pane}
      class="tree"
      role="tree"
      aria-label="Entries"
      tabIndex={0}
      aria-activedescendant={
        active !== null && active >= first && active < first + count ? `t-${active}` : undefined
      }
      onScroll={scroll.onScroll}
      onWheel={scroll.onWheel}
      onKeyDown={onKeyDown}
    >
      <div class="tree-long" role="presentation" style={{ height: `${Math.max(scroll.longPx, 1)}px` }}>
        <div class="tree-window" role="presentation" style={{ height: `${scroll.windowPx}px` }}>
          <div ref={window} class="tree-rows" role="presentation">
            {lines(
              visible.map((index, i) => ({
                ...{ index, total, row: rowAt(index), lane: drawn[i] },
                isSelected: rowAt(index)?.oid === selected,
                isActive: index === active,
                isPath: beginsPath(rowAt, index),
                isOpened: folds.opened.includes(rowAt(index)?.oid ?? ''),
              })),
              acts,
            )}
          </div>
        </div>
      </div>
    </div>
  )
}

interface KeyState {
  readonly active: number
  readonly total: number
  readonly page: number
  readonly first: number
  readonly count: number
  readonly rowAt: RowAt
}

const TYPE_AHEAD_MS = 800

/** The keys of a tree as ARIA's authoring practices have them. */
function useTreeKeys(
  { active, total, page, first, count, rowAt }: KeyState,
  move: (to: number) => void,
  choose: (index: number) => void,
  fold: (index: number, isOpen: boolean) => void,
): (event: KeyboardEvent) => void {
  const typed = useRef({ text: '', at: 0 })
  const parentOf = (index: number): number => {
    const level = levelOf(rowAt, index)
    for (let at = index - 1; at >= 0; at--) {
      if (rowAt(at) === undefined) break
      if (levelOf(rowAt, at) < level) return at
    }
    return index
  }
  const withText = (text: string): number | undefined => {
    for (let i = 1; i <= count; i++) {
      const at = first + ((active - first + i) % count)
      if (lineOf(rowAt(at)).toLowerCase().startsWith(text)) return at
    }
    return undefined
  }
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || total === 0) return
    const isPath = beginsPath(rowAt, active)
    const isClosed = isPath && (rowAt(active)?.hidden ?? 0) > 0
    const turns = { ArrowRight: isClosed, ArrowLeft: isPath && !isClosed, '+': true, '-': true }
    if (turns[event.key as keyof typeof turns]) {
      event.preventDefault()
      fold(active, event.key === 'ArrowRight' || event.key === '+')
      return
    }
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      ArrowRight: levelOf(rowAt, active + 1) > levelOf(rowAt, active) ? active + 1 : active,
      ArrowLeft: parentOf(active),
      Home: 0,
      End: total - 1,
      PageDown: active + page,
      PageUp: active - page,
    }
    const to = steps[event.key]
    if (to !== undefined) {
      event.preventDefault()
      move(Math.max(0, Math.min(total - 1, to)))
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      choose(active)
    } else if (event.key.length === 1 && /[\p{L}\p{N}]/u.test(event.key)) {
      event.preventDefault()
      const { text, at } = typed.current
      const next = (event.timeStamp - at < TYPE_AHEAD_MS ? text : '') + event.key.toLowerCase()
      typed.current = { text: next, at: event.timeStamp }
      const found = withText(next)
      if (found !== undefined) move(found)
    }
  }
}

/** Returns the branch at the end of the path of a row: null on the straight path, undefined where its end is not known. */
function branchOf(index: number, rowAt: RowAt): string | null | undefined {
  const level = rowAt(index)?.level ?? 0
  if (level === 0) return null
  for (let at = index; ; at++) {
    const row = rowAt(at)
    if (row === undefined || row.level < level) return undefined
    const branch = row.level === level && row.refs.find(({ kind }) => kind === 'branch')
    if (branch) return branch.name
  }
}
