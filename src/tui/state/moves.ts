import { plainLine } from '../../text/text.ts'
import { only, type Step } from './events.ts'
import { contentHeight } from './layout.ts'
import { isReading, layoutIn, mainHeight } from './needs.ts'
import { clamped, movedBy, pagedBy, type Scroll, scrolled, wrappedBy } from './scroll.ts'
import { type EntryPlace, entryAt, type ListItem, type MainPane, type State, withNotice } from './state.ts'
import { withEntry } from './tree.ts'

/** Moves the cursor of the pane that has the focus. */
export function moveBy(state: State, rows: number): State {
  return moveIn(state, (scroll, count, height) => {
    if (rows === Number.NEGATIVE_INFINITY) return { cursor: 0, top: 0 }
    if (rows === Number.POSITIVE_INFINITY) return scrolled({ cursor: count - 1, top: count }, count, height)
    // As in pi, the list of a choice goes round; a text has ends.
    if (state.focus !== 'preview' && !isReading(state.main) && Math.abs(rows) === 1)
      return wrappedBy(scroll, rows as 1 | -1, count, height)
    return movedBy(scroll, rows, count, height)
  })
}

export const page = (state: State, pages: number): State =>
  moveIn(state, (scroll, count, height) => pagedBy(scroll, pages, count, height))

function moveIn(state: State, move: (scroll: Scroll, count: number, height: number) => Scroll): State {
  const { focus, main, sessions, preview } = state
  const layout = layoutIn(state)
  if (focus === 'sessions') {
    const height = contentHeight(layout.sessions)
    return {
      ...state,
      sessions: { ...sessions, scroll: move(sessions.scroll, sessions.shown.length, height) },
    }
  }
  if (focus === 'preview') {
    const height = contentHeight(layout.preview)
    const most = Math.max(0, preview.lines.length - height)
    // A text has no cursor: its first row moves.
    const { cursor } = move({ cursor: preview.top, top: preview.top }, most + 1, 1)
    return { ...state, preview: { ...preview, top: clamped(cursor, 0, most) } }
  }
  if (!main) return state
  const height = mainHeight(state)
  if (main.kind === 'tree')
    return { ...state, main: withEntry({ ...main, scroll: move(main.scroll, main.total, height) }) }
  return { ...state, main: { ...main, scroll: move(main.scroll, main.items.length, height) } }
}

export function mark(state: State): State {
  const place = entryAt(state)
  if (!place) return state
  const isThis = ({ session, oid }: EntryPlace): boolean => session === place.session && oid === place.oid
  const marks = state.marks.some(isThis) ? state.marks.filter((one) => !isThis(one)) : [...state.marks, place]
  // The last row stays: a mark does not lead to the first one.
  return moveIn({ ...state, marks }, (scroll, count, height) => movedBy(scroll, 1, count, height))
}

/** Goes to a hit of the search: in the tree by its position, elsewhere to a row that holds the words. */
export function toHit(state: State, to: 'next' | 'previous' | 'nearest'): Step {
  const { main } = state
  if (main?.kind === 'list') return only(inList(state, to))
  if (main?.kind !== 'tree' || !main.hits) return only(withNotice(state, 'search with / first'))
  const { places } = main.hits
  const { cursor } = main.scroll
  const found =
    to === 'previous'
      ? (places.findLast(({ position }) => position < cursor) ?? places.at(-1))
      : (places.find(({ position }) => (to === 'next' ? position > cursor : position >= cursor)) ?? places[0])
  if (!found) return only(state)
  const height = mainHeight(state)
  const top = clamped(main.scroll.top, found.position - height + 1, found.position)
  const scroll = scrolled({ cursor: found.position, top }, main.total, height)
  return only({ ...state, main: { ...withEntry({ ...main, scroll }), at: found.oid } })
}

function inList(state: State, to: 'next' | 'previous' | 'nearest'): State {
  const { main } = state
  if (main?.kind !== 'list' || main.search === '') return state
  const { items, scroll, search } = main
  const holds = (i: number): boolean => textOfItem(items[i]).toLowerCase().includes(search.toLowerCase())
  const by = to === 'previous' ? -1 : 1
  for (let step = to === 'nearest' ? 0 : 1; step <= items.length; step++) {
    const i = (scroll.cursor + by * step + 2 * items.length) % items.length
    if (holds(i))
      return {
        ...state,
        main: { ...main, scroll: scrolled({ ...scroll, cursor: i }, items.length, mainHeight(state)) },
      }
  }
  return withNotice(state, `nothing holds '${search}'`)
}

/** Returns the item of a list at a place; undefined in a tree. */
export const itemAt = (main: MainPane, place: number): ListItem | undefined =>
  main.kind === 'list' ? main.items[place] : undefined

/** Returns the text of an item by which it is searched. */
function textOfItem(item: ListItem | undefined): string {
  switch (item?.kind) {
    case 'line':
      return plainLine(item.line)
    case 'operation':
      return item.operation.command
    case 'entry':
      return item.entry.view.blocks.map((block) => ('text' in block ? block.text : '')).join('\n')
    case 'hit':
      return item.hit.snippets.map(({ text }) => text).join('\n')
    default:
      return ''
  }
}
