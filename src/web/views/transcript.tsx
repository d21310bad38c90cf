import type { VNode } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Look } from '../../page/look.ts'
import { TurnView } from '../../page/turn.tsx'
import type { Turn } from '../../verbs/types.ts'
import { type ApiError, addressOf, get } from '../api.ts'
import type { Turns } from '../data.ts'
import { during, isOf, useChanges } from '../hooks.ts'
import { Empty, Loading, Problem } from '../parts.tsx'
import { keep, kept } from '../router.ts'

const PAGE_TURNS = 8
/** The most parts of turns that stay in the document: what is far from the reader leaves it. */
const MAX_PARTS = 110
const MIN_PAGES = 2
const NEAR_PX = 900
const AT_END_PX = 60
const KEEP_MS = 150

/** Where a reader is: an entry, and how far below the top of the pane it begins. */
interface Anchor {
  readonly oid: string
  readonly offset: number
}

interface TranscriptProps {
  /** The session, and the revision whose path is read. */
  readonly session: string
  readonly revision: string
  /** The entry to begin with; else where the reader was, else the end. */
  readonly begin: string | null
  readonly tip: string | null
  readonly look: Look
  readonly selected: string | null
  readonly onSelect: (oid: string) => void
}

/** The conversation on the path to a revision, of which the pages around the reader are in the document. */
export function Transcript({
  session,
  revision,
  begin,
  tip,
  look,
  selected,
  onSelect,
}: TranscriptProps): VNode {
  const pane = useRef<HTMLDivElement>(null)
  const reading = useReading({ session, revision, begin, tip, pane })
  const { pages, error, fresh } = reading
  const turns = pages?.flatMap(({ items }) => items)
  const paint = usePainted()
  return (
    <div
      ref={pane}
      class="pane reading"
      tabIndex={0}
      role="region"
      aria-label="Conversation"
      onScroll={reading.onScroll}
      onClick={(event) => {
        const { target } = event
        if (!(target instanceof Element) || target.closest('a, button, summary, pre')) return
        if (getSelection()?.isCollapsed === false) return
        const oid = target.closest<HTMLElement>('[data-oid]')?.dataset.oid
        if (oid !== undefined) onSelect(oid)
      }}
    >
      <div class="read">
        {error && !turns ? (
          <Problem error={error} retry={reading.reload} />
        ) : turns === undefined ? (
          <Loading rows={9} />
        ) : turns.length === 0 ? (
          <Empty icon="user" title="Nothing was said">
            <p>This path holds settings alone, or nothing yet.</p>
          </Empty>
        ) : (
          <>
            {reading.hasBefore ? (
              <p class="note more-above">earlier turns…</p>
            ) : (
              <p class="note">beginning</p>
            )}
            {paint(turns, look, selected)}
            {reading.hasAfter && <p class="note more-below">later turns…</p>}
          </>
        )}
        <div class="new" role="status">
          {(fresh > 0 || (reading.hasAfter && turns !== undefined)) && (
            <button onClick={reading.toEnd}>{fresh > 0 ? `${fresh} new` : 'to the end'} ↓</button>
          )}
        </div>
      </div>
    </div>
  )
}

/** Returns a function that paints turns: those that are as they were are not painted again as others come. */
function usePainted(): (turns: readonly Turn[], look: Look, selected: string | null) => VNode[] {
  const known = useRef(new Map<Turn, { look: Look; isSelected: boolean; node: VNode }>())
  return (turns, look, selected) => {
    const painted = turns.map((turn) => {
      const isSelected = holds(turn, selected)
      const same = known.current.get(turn)
      if (same?.look === look && same.isSelected === isSelected) return [turn, same] as const
      const node = <TurnFrame key={turn.oid} turn={turn} look={look} isSelected={isSelected} />
      return [turn, { look, isSelected, node }] as const
    })
    known.current = new Map(painted)
    return painted.map(([, { node }]) => node)
  }
}

const holds = ({ parts }: Turn, oid: string | null): boolean =>
  oid !== null && parts.some((part) => part.oid === oid)

const TurnFrame = ({
  turn,
  look,
  isSelected,
}: {
  readonly turn: Turn
  readonly look: Look
  readonly isSelected: boolean
}): VNode => (
  <div class={isSelected ? 'turn chosen' : 'turn'} data-turn={turn.oid}>
    <TurnView turn={turn} look={look} />
  </div>
)

interface Reading {
  readonly pages: readonly Turns[] | undefined
  readonly error: ApiError | undefined
  readonly hasBefore: boolean
  readonly hasAfter: boolean
  /** How many entries are new at the end that the reader does not see. */
  readonly fresh: number
  readonly onScroll: () => void
  readonly toEnd: () => void
  readonly reload: () => void
}

const weightOf = ({ items }: Turns): number => items.reduce((sum, { parts }) => sum + parts.length + 2, 0)

/** Returns the pages without those that are far away at one end. */
function pruned(pages: readonly Turns[], end: 'first' | 'last'): readonly Turns[] {
  const left = [...pages]
  let weight = left.reduce((sum, page) => sum + weightOf(page), 0)
  while (left.length > MIN_PAGES) {
    const far = (end === 'first' ? left[0] : left.at(-1)) as Turns
    if (weight - weightOf(far) < MAX_PARTS) break
    weight -= weightOf(far)
    if (end === 'first') left.shift()
    else left.pop()
  }
  return left
}

function useReading({
  session,
  revision,
  begin,
  tip,
  pane,
}: Pick<TranscriptProps, 'session' | 'revision' | 'begin' | 'tip'> & {
  readonly pane: { readonly current: HTMLDivElement | null }
}): Reading {
  const [pages, setPages] = useState<readonly Turns[]>()
  const [error, setError] = useState<ApiError>()
  const [fresh, setFresh] = useState(0)
  const [version, setVersion] = useState(0)
  const anchor = useRef<Anchor | 'end' | null>(null)
  const busy = useRef(false)
  const aborter = useRef(new AbortController())
  const read = useCallback(
    (query: {
      readonly at?: string
      readonly after?: string
      readonly before?: string
      readonly limit?: number
    }) =>
      get<Turns>(
        addressOf(`/sessions/${encodeURIComponent(session)}/turns`, {
          ...{ revision, tools: true, limit: PAGE_TURNS },
          ...query,
        }),
        aborter.current.signal,
      ),
    [session, revision],
  )
  const open = async (at: string | null, place: Anchor | 'end' | null): Promise<void> => {
    aborter.current.abort()
    aborter.current = new AbortController()
    busy.current = true
    await during(async () => {
      const page = await read(at === null ? {} : { at })
      const former = page.before === null ? undefined : await read({ before: page.before })
      anchor.current = place
      setFresh(0)
      setError(undefined)
      setPages(former ? [former, page] : [page])
    }, setError)
    busy.current = false
  }
  useEffect(() => {
    const former = kept('reading') as Anchor | undefined
    if (begin !== null) void open(begin, former?.oid === begin ? former : { oid: begin, offset: 24 })
    else if (former) void open(former.oid, former)
    else void open(tip, 'end')
    return () => aborter.current.abort()
  }, [session, revision, version])
  const presentBegin = useRef(begin)
  useEffect(() => {
    if (begin === null || begin === presentBegin.current || !pane.current) return
    presentBegin.current = begin
    const element = pane.current.querySelector(`[data-oid="${CSS.escape(begin)}"]`)
    if (element) element.scrollIntoView({ block: 'nearest' })
    else void open(begin, { oid: begin, offset: 24 })
  }, [begin])
  useLayoutEffect(() => {
    const element = pane.current
    const place = anchor.current
    if (!element || !pages || place === null) return
    if (place === 'end') element.scrollTop = element.scrollHeight
    else {
      const target =
        element.querySelector(`[data-oid="${CSS.escape(place.oid)}"]`) ??
        element.querySelector(`[data-turn="${CSS.escape(place.oid)}"]`)
      if (target)
        element.scrollTop +=
          target.getBoundingClientRect().top - element.getBoundingClientRect().top - place.offset
    }
    anchor.current = null
  }, [pages])
  const first = pages?.[0]
  const last = pages?.at(-1)
  const extend = (side: 'before' | 'after'): void => {
    const cursor = side === 'before' ? first?.before : last?.next
    if (busy.current || !cursor || !pages) return
    busy.current = true
    void during(async () => {
      try {
        const page = await read({ [side]: cursor })
        anchor.current = anchorIn(pane.current)
        setPages((former = []) =>
          side === 'before' ? pruned([page, ...former], 'last') : pruned([...former, page], 'first'),
        )
      } finally {
        busy.current = false
      }
    }, setError)
  }
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const onScroll = (): void => {
    const element = pane.current
    if (!element) return
    if (element.scrollTop < NEAR_PX) extend('before')
    if (isNearEnd(element, NEAR_PX)) extend('after')
    if (isNearEnd(element, AT_END_PX) && last?.next === null && fresh > 0) setFresh(0)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      // Before the first turns are there, the place of the last visit stays.
      const place = anchorIn(element)
      if (place) keep('reading', place)
    }, KEEP_MS)
  }
  useEffect(() => {
    onScroll()
    return () => clearTimeout(timer.current)
  }, [pages])
  useChanges(isOf(session), () => {
    const element = pane.current
    if (!pages || !last || last.next !== null || !element) return
    const follows = isNearEnd(element, AT_END_PX)
    const [begins] = last.items
    if (!begins) {
      setVersion((former) => former + 1)
      return
    }
    // The last turn may have grown: its page is read again, and what follows it.
    void during(async () => {
      const page = await read({ at: begins.oid, limit: PAGE_TURNS + last.items.length })
      const grown = partsIn(page) - partsIn(last)
      if (grown === 0) return
      anchor.current = follows ? 'end' : anchorIn(element)
      if (!follows) setFresh((former) => former + Math.max(0, grown))
      setPages((former = []) => [...former.slice(0, -1), { ...page, before: last.before }])
    }, setError)
  })
  return {
    pages,
    error,
    fresh,
    hasBefore: Boolean(first?.before),
    hasAfter: Boolean(last?.next),
    onScroll,
    toEnd: () => {
      const element = pane.current
      if (!last?.next && element) {
        element.scrollTo({ top: element.scrollHeight })
        setFresh(0)
      } else void open(tip, 'end')
    },
    reload: () => setVersion((former) => former + 1),
  }
}

const partsIn = ({ items }: Turns): number => items.reduce((sum, { parts }) => sum + parts.length, 0)

const isNearEnd = (element: HTMLElement, px: number): boolean =>
  element.scrollTop + element.clientHeight >= element.scrollHeight - px

/** Returns the first turn in sight, and where it is. */
function anchorIn(element: HTMLElement | null): Anchor | null {
  if (!element) return null
  const { top } = element.getBoundingClientRect()
  for (const turn of element.querySelectorAll<HTMLElement>('[data-turn]')) {
    const box = turn.getBoundingClientRect()
    if (box.bottom > top + 8) return { oid: turn.dataset.turn ?? '', offset: box.top - top }
  }
  return null
}
