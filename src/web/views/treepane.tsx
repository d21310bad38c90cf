import type { VNode } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { GraphFilter } from '../../model/graphfilter.ts'
import { Lanes } from '../../page/rail.tsx'
import { cutTo, firstLine, grouped, short } from '../../page/words.ts'
import type { Row } from '../data.ts'
import { keep } from '../router.ts'
import { useFirstPosition, useRows } from './treerows.ts'

const ROW_PX = 28
/** Browsers limit the height of an element: above this the scroll bar is scaled. */
const MAX_PX = 8_000_000
const KEEP_MS = 150

interface TreeProps {
  readonly session: string
  readonly filter: GraphFilter
  readonly selected: string | null
  readonly tip: string | null
  readonly branchHue: (name: string) => number
  /** Called with the branch that the row is on beside the straight path, where that is known. */
  readonly onSelect: (oid: string, branch: string | null | undefined) => void
}

/** The tree of a session: rows of one height, of which those in sight are in the document. */
export function TreePane({ session, filter, selected, tip, branchHue, onSelect }: TreeProps): VNode {
  const pane = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(600)
  const [top, setTop] = useState(0)
  const [active, setActive] = useState<number | null>(null)
  const rows = useRows(session, filter)
  const { total, rowAt } = rows
  const full = total * ROW_PX
  const shownPx = Math.min(full, MAX_PX)
  const scale = shownPx <= height ? 1 : (full - height) / (shownPx - height)
  const position = top * scale
  const first = Math.max(0, Math.floor(position / ROW_PX))
  const count = Math.ceil(height / ROW_PX) + 1
  const scrollToRow = useCallback(
    (row: number, where: 'near' | 'middle') => {
      const element = pane.current
      if (!element) return
      const at = row * ROW_PX
      const now = element.scrollTop * scale
      if (where === 'near' && at >= now && at + ROW_PX <= now + height) return
      const wanted = where === 'middle' ? at - height / 2 : at < now ? at : at + ROW_PX - height
      element.scrollTop = Math.max(0, wanted) / scale
      setTop(element.scrollTop)
    },
    [scale, height],
  )
  useLayoutEffect(() => {
    const element = pane.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    setHeight(element.clientHeight)
    return () => observer.disconnect()
  }, [])
  useEffect(() => rows.need(first, first + count), [first, count, rows.version])
  useFirstPosition({ pane, session, filter, oid: selected ?? tip, total, onFound: setActive, scrollToRow })
  useEffect(() => {
    if (top === 0) return undefined
    const timer = setTimeout(() => keep('tree', top), KEEP_MS)
    return () => clearTimeout(timer)
  }, [top])
  const choose = (index: number): void => {
    setActive(index)
    const row = rowAt(index)
    if (row) onSelect(row.oid, branchOf(index, rowAt))
  }
  const onKeyDown = useTreeKeys(
    { active: active ?? first, total, page: count - 2, rowAt, first, count },
    (to) => {
      setActive(to)
      scrollToRow(to, 'near')
    },
    choose,
  )
  const visible = Array.from({ length: Math.max(0, Math.min(count, total - first)) }, (_, i) => first + i)
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
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="tree-long" role="presentation" style={{ height: `${Math.max(shownPx, 1)}px` }}>
        <div
          class="tree-window"
          role="presentation"
          style={{ height: `${Math.min(height, full)}px`, '--shift': `${-(position % ROW_PX)}px` }}
        >
          <div class="tree-rows" role="presentation">
            {visible.map((index, i) => (
              <TreeLine
                key={index}
                index={index}
                total={total}
                row={rowAt(index)}
                lane={drawn[i]}
                isSelected={rowAt(index)?.oid === selected}
                isActive={index === active}
                onChoose={choose}
              />
            ))}
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
  readonly rowAt: (index: number) => Row | undefined
}

const TYPE_AHEAD_MS = 800

/** The keys of a tree as ARIA's authoring practices have them. */
function useTreeKeys(
  { active, total, page, first, count, rowAt }: KeyState,
  move: (to: number) => void,
  choose: (index: number) => void,
): (event: KeyboardEvent) => void {
  const typed = useRef({ text: '', at: 0 })
  const parentOf = (index: number): number => {
    const level = rowAt(index)?.level ?? 0
    for (let at = index - 1; at >= 0; at--) {
      const row = rowAt(at)
      if (row === undefined) break
      if (row.level < level || (level === 0 && row.edges.length === 0)) return at
    }
    return Math.max(0, index - 1)
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
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      ArrowRight: active + 1,
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
function branchOf(index: number, rowAt: (index: number) => Row | undefined): string | null | undefined {
  const level = rowAt(index)?.level ?? 0
  if (level === 0) return null
  for (let at = index; ; at++) {
    const row = rowAt(at)
    if (row === undefined || row.level < level) return undefined
    const branch = row.level === level && row.refs.find(({ kind }) => kind === 'branch')
    if (branch) return branch.name
  }
}

type Lane = Parameters<typeof Lanes>[0]

/** Returns what is drawn at the left of rows that follow one another. */
function lanesOf(
  rows: readonly (Row | undefined)[],
  branchHue: (name: string) => number,
  above: Row | undefined,
  isEnd: boolean,
): (Lane | undefined)[] {
  const hues: number[] = []
  // A path has the hue of the branch at its end, which comes after it.
  const hueAt = rows.map(() => 1)
  const ending = new Map<number, number>()
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i]
    if (!row) continue
    const branch = row.refs.find(({ kind }) => kind === 'branch')
    if (branch && row.level > 0) ending.set(row.level, branchHue(branch.name))
    hueAt[i] = row.level === 0 ? 1 : (ending.get(row.level) ?? (row.level % 3) + 2)
    if (rows[i - 1] && (rows[i - 1] as Row).level < row.level) ending.delete(row.level)
  }
  return rows.map((row, i) => {
    if (!row) return undefined
    const before = i === 0 ? above : rows[i - 1]
    const after = rows.slice(i + 1)
    hues[row.level] = hueAt[i] as number
    const goesOn = (level: number): boolean => {
      for (const next of after) {
        if (!next || next.level < level) return level === 0
        if (next.level === level) return next.edges.length > 0
      }
      return !isEnd
    }
    const beside = Array.from({ length: row.level }, (_, level) => level)
      .filter(goesOn)
      .map((level) => ({ level, hue: level === 0 ? 1 : (hues[level] ?? (level % 3) + 2) }))
    return {
      level: row.level,
      hue: hueAt[i] as number,
      kind: row.head
        ? 'head'
        : row.role === 'user'
          ? 'prompt'
          : row.role === 'assistant' && row.text
            ? 'reply'
            : 'other',
      isFirst: row.edges.length === 0,
      isLast: !goesOn(row.level),
      parts:
        row.level > 0 &&
        (before === undefined ||
          before.level < row.level ||
          !row.edges.some(({ oid }) => oid === before.oid)),
      beside,
    } as const
  })
}

const MAX_TEXT = 120

const lineOf = (row: Row | undefined): string =>
  row === undefined ? '' : firstLine(row.text ?? '') || kindOf(row)

/** Returns what an entry without words is, in words. */
const kindOf = ({ type, compacts }: Row): string =>
  compacts ? 'compaction' : (/[^/]+$/.exec(type)?.[0] ?? type).replaceAll(/[_-]/g, ' ')

function TreeLine({
  index,
  total,
  row,
  lane,
  isSelected,
  isActive,
  onChoose,
}: {
  readonly index: number
  readonly total: number
  readonly row: Row | undefined
  readonly lane: Lane | undefined
  readonly isSelected: boolean
  readonly isActive: boolean
  readonly onChoose: (index: number) => void
}): VNode {
  const place = { 'aria-posinset': index + 1, 'aria-setsize': total }
  if (!row || !lane)
    return (
      <div class="n" id={`t-${index}`} role="treeitem" aria-level={1} aria-label="loading" {...place}>
        <span class="bone w1" />
      </div>
    )
  const names = row.refs.filter(({ kind }) => kind !== 'head')
  const elided = row.edges[0]?.elided
  const isTool = row.role === 'tool' || (row.role === 'assistant' && !row.text)
  return (
    <div
      class={`n${row.role === 'user' ? ' u' : ''}${isTool || row.level > 0 ? ' off' : ''}${isActive ? ' active' : ''}`}
      id={`t-${index}`}
      role="treeitem"
      aria-level={row.level + 1}
      aria-selected={isSelected}
      {...place}
      onClick={() => onChoose(index)}
    >
      <Lanes {...lane} />
      <span class="tx">
        {names.map(({ kind, name }) => (
          <b class={kind === 'branch' ? `ref f${lane.hue}t` : 'ref'}>{name}</b>
        ))}
        {cutTo(lineOf(row), MAX_TEXT)}
      </span>
      {elided && elided.entries > 0 && (
        <span class="ct" title={`${grouped(elided.entries)} entries above it are not shown`}>
          {elided.calls > 0
            ? `${short(elided.calls)} ${elided.calls === 1 ? 'tool' : 'tools'}`
            : `+${short(elided.entries)}`}
        </span>
      )}
    </div>
  )
}
