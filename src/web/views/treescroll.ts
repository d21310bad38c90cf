import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keep } from '../router.ts'

export const ROW_PX = 28
/** Browsers limit the height of an element: above this the scroll bar is scaled. */
const MAX_PX = 8_000_000
const KEEP_MS = 400

/** Where a list of rows of one height is scrolled to. */
export interface RowScroll {
  readonly height: number
  /** The first row in sight, and how many there is room for. */
  readonly first: number
  readonly count: number
  /** The height of what is scrolled, and of what is in sight of it. */
  readonly longPx: number
  readonly windowPx: number
  readonly onScroll: () => void
  readonly onWheel: ((event: WheelEvent) => void) | undefined
  readonly scrollTo: (px: number) => void
  readonly scrollToRow: (row: number, where: 'near' | 'middle') => void
}

interface Element {
  readonly current: HTMLElement | null
}

/**
 * Scrolls rows, of which any number fits below a scroll bar. Where that is scaled, a pixel of it is several of the rows: the
 * wheel and the keys then move by rows all the same. A move within a row paints nothing again.
 */
export function useRowScroll(pane: Element, rows: Element, total: number): RowScroll {
  const [height, setHeight] = useState(600)
  const [first, setFirst] = useState(0)
  /** The place in pixels of rows, and the place of the scroll bar that stands for it. */
  const place = useRef({ px: 0, top: 0 })
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const full = total * ROW_PX
  const longPx = Math.min(full, MAX_PX)
  const scale = longPx <= height ? 1 : (full - height) / (longPx - height)
  const shift = (): void =>
    rows.current?.style.setProperty('--shift', `${-Math.round(place.current.px % ROW_PX)}px`)
  const show = (px: number): void => {
    place.current.px = px
    shift()
    setFirst(Math.floor(px / ROW_PX))
    clearTimeout(timer.current)
    timer.current = setTimeout(() => keep('tree', place.current.px), KEEP_MS)
  }
  const scrollTo = useCallback(
    (px: number) => {
      const element = pane.current
      if (!element) return
      const wanted = Math.max(0, Math.min(px, full - height))
      element.scrollTop = wanted / scale
      place.current.top = element.scrollTop
      show(wanted)
    },
    [scale, full, height],
  )
  const scrollToRow = useCallback(
    (row: number, where: 'near' | 'middle') => {
      const at = row * ROW_PX
      const now = place.current.px
      if (where === 'middle') scrollTo(at - height / 2)
      else if (at < now) scrollTo(at)
      else if (at + ROW_PX > now + height) scrollTo(at + ROW_PX - height)
    },
    [scrollTo],
  )
  useLayoutEffect(() => {
    const element = pane.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    setHeight(element.clientHeight)
    return () => observer.disconnect()
  }, [])
  // As rows are added the scale changes: what is read stays where it is. A pane that was hidden has had no height.
  useLayoutEffect(() => {
    const { px } = place.current
    if (full > 0 && (scale > 1 || px > full - height)) scrollTo(px)
  }, [full, height])
  useLayoutEffect(shift)
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    ...{ height, first, longPx, scrollTo, scrollToRow },
    count: Math.ceil(height / ROW_PX) + 1,
    windowPx: Math.min(height, full),
    onScroll: () => {
      const top = pane.current?.scrollTop ?? 0
      if (top === place.current.top) return
      place.current.top = top
      show(top * scale)
    },
    onWheel:
      scale === 1
        ? undefined
        : (event) => {
            if (event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            scrollTo(place.current.px + event.deltaY * (event.deltaMode === 1 ? ROW_PX : 1))
          },
  }
}
