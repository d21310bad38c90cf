/** The row of the cursor in a list, and the first row that is shown. */
export interface Scroll {
  readonly cursor: number
  readonly top: number
}

export const AT_START: Scroll = { cursor: 0, top: 0 }

/** The rows that are kept visible before and after the cursor, where there are so many. */
const MARGIN = 2

/** Returns a position within a list of some rows of which `height` are shown, scrolled so that the cursor is visible. */
export function scrolled({ cursor, top }: Scroll, count: number, height: number): Scroll {
  const at = clamped(cursor, 0, Math.max(0, count - 1))
  const margin = Math.min(MARGIN, Math.floor((height - 1) / 2))
  const first = clamped(top, at + margin + 1 - height, at - margin)
  return { cursor: at, top: clamped(first, 0, Math.max(0, count - height)) }
}

/** Returns the position after moves by some rows. */
export const movedBy = (scroll: Scroll, rows: number, count: number, height: number): Scroll =>
  scrolled({ ...scroll, cursor: scroll.cursor + rows }, count, height)

/** Returns the position after moves by pages. */
export const pagedBy = (scroll: Scroll, pages: number, count: number, height: number): Scroll => {
  const rows = pages * Math.max(1, height - 1)
  return scrolled({ cursor: scroll.cursor + rows, top: scroll.top + rows }, count, height)
}

/** Returns the position after a move by one row, beyond the end to the start and the other way round. */
export function wrappedBy(scroll: Scroll, rows: 1 | -1, count: number, height: number): Scroll {
  const cursor = scroll.cursor + rows
  if (cursor < 0) return scrolled({ cursor: count - 1, top: count }, count, height)
  if (cursor >= count) return AT_START
  return scrolled({ ...scroll, cursor }, count, height)
}

export const clamped = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, value))
