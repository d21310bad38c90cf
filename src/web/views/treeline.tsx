import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from '../../page/icons.tsx'
import { Lanes } from '../../page/rail.tsx'
import { cutTo, firstLine, grouped, short } from '../../page/words.ts'
import type { Row } from '../data.ts'
import { partsAt } from './treefolds.ts'

type Lane = Parameters<typeof Lanes>[0]

/** Returns what is drawn at the left of rows that follow one another. */
export function lanesOf(
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
        : row.hidden > 0
          ? 'other'
          : row.role === 'user'
            ? 'prompt'
            : row.role === 'assistant' && row.text
              ? 'reply'
              : 'other',
      isFirst: row.edges.length === 0,
      isLast: !goesOn(row.level),
      parts: partsAt(row, before),
      beside,
    } as const
  })
}

const MAX_TEXT = 120

export const lineOf = (row: Row | undefined): string =>
  row === undefined ? '' : firstLine(row.text ?? '') || kindOf(row)

/** Returns what an entry without words is, in words. */
const kindOf = ({ type, compacts }: Row): string =>
  compacts ? 'compaction' : (/[^/]+$/.exec(type)?.[0] ?? type).replaceAll(/[_-]/g, ' ')

/** Called with the row that is clicked. */
export interface Acts {
  readonly choose: (index: number) => void
  readonly fold: (index: number, isOpen: boolean) => void
}

interface LineFacts {
  readonly index: number
  readonly total: number
  readonly row: Row | undefined
  readonly lane: Lane | undefined
  readonly isSelected: boolean
  readonly isActive: boolean
  readonly isPath: boolean
  readonly isOpened: boolean
}

interface ActsRef {
  readonly current: Acts
}

/** Returns a function that paints rows; one that is as it was is not compared again with what is shown. */
export function useLines(): (lines: readonly LineFacts[], acts: ActsRef) => VNode[] {
  const known = useRef<ReadonlyMap<number, { readonly row: Row | undefined; key: string; node: VNode }>>(
    new Map(),
  )
  return (lines, acts) => {
    const former = known.current
    const next = new Map<number, { readonly row: Row | undefined; key: string; node: VNode }>()
    for (const line of lines) {
      const { index, row, ...others } = line
      const key = JSON.stringify(others)
      const same = former.get(index)
      next.set(
        index,
        same?.row === row && same?.key === key
          ? same
          : { row, key, node: <TreeLine key={index} {...line} acts={acts} /> },
      )
    }
    known.current = next
    return [...next.values()].map(({ node }) => node)
  }
}

function TreeLine({
  index,
  total,
  row,
  lane,
  isSelected,
  isActive,
  isPath,
  isOpened,
  acts,
}: LineFacts & { readonly acts: ActsRef }): VNode {
  const place = { 'aria-posinset': index + 1, 'aria-setsize': total }
  if (!row || !lane)
    return (
      <div class="n" id={`t-${index}`} role="treeitem" aria-level={1} aria-label="loading" {...place}>
        <span class="bone w1" />
      </div>
    )
  const names = row.refs.filter(({ kind }) => kind !== 'head')
  const elided = row.edges[0]?.elided
  const turn = (isOpen: boolean) => (event: MouseEvent) => {
    event.stopPropagation()
    acts.current.fold(index, isOpen)
  }
  const isTool = row.role === 'tool' || (row.role === 'assistant' && !row.text)
  return (
    <div
      class={`n${row.role === 'user' ? ' u' : ''}${isTool || row.level > 0 ? ' off' : ''}${isActive ? ' active' : ''}`}
      id={`t-${index}`}
      role="treeitem"
      aria-level={2 * row.level + (row.level === 0 || !lane.parts ? 1 : 0)}
      aria-selected={isSelected}
      aria-expanded={isPath ? row.hidden === 0 : undefined}
      {...place}
      onClick={() => acts.current.choose(index)}
    >
      <Lanes {...lane} />
      <span class="tx">
        {names.map(({ kind, name }) => (
          <b class={kind === 'branch' ? `ref f${lane.hue}t` : 'ref'}>{name}</b>
        ))}
        {cutTo(lineOf(row), MAX_TEXT)}
      </span>
      {row.hidden > 0 ? (
        <FoldMark text={short(row.hidden)} title="show what follows" icon="right" onClick={turn(true)} />
      ) : elided && elided.entries > 0 ? (
        <FoldMark
          text={
            elided.calls > 0
              ? `${short(elided.calls)} ${elided.calls === 1 ? 'tool' : 'tools'}`
              : `+${short(elided.entries)}`
          }
          title={`show ${grouped(elided.entries)} entries above it`}
          onClick={turn(true)}
        />
      ) : isOpened || isPath ? (
        <FoldMark
          text={isOpened ? 'less' : ''}
          title={isOpened ? 'show fewer entries' : 'hide what follows'}
          icon="down"
          onClick={turn(false)}
        />
      ) : null}
    </div>
  )
}

/** Closes or opens a row by a click; the keys of the tree do it too. */
const FoldMark = ({
  text,
  title,
  icon,
  onClick,
}: {
  readonly text: string
  readonly title: string
  readonly icon?: 'right' | 'down'
  readonly onClick: (event: MouseEvent) => void
}): VNode => (
  <span class="ct" title={title} onClick={onClick}>
    {text}
    {icon && <Icon name={icon} />}
  </span>
)
