import { short } from '../../model/encoding/oid.ts'
import { entryLine, lookOf, summaryOf } from '../../text/entry.ts'
import { operationLine } from '../../text/operation.ts'
import { firstLine, grouped, type Line, styled } from '../../text/text.ts'
import { treeRowLine } from '../../text/treerow.ts'
import { cut } from '../../text/width.ts'
import type { LogEntry, TreeRow } from '../../verbs/types.ts'
import type { Place } from '../state/layout.ts'
import { isReading } from '../state/needs.ts'
import type { ListItem, ListPane, ListSubject, State, TreePane } from '../state/state.ts'
import { rowAt } from '../state/state.ts'
import { hitLine } from './hit.ts'
import { type BrowserLook, type PaneRow, ROOMY, titleLine } from './pane.ts'

/** Returns the main pane: a tree or a list. */
export function mainRows(state: State, place: Place, look: BrowserLook): PaneRow[] {
  const { main } = state
  if (!main) return [{ line: titleLine('tree', '', place.width, state.focus === 'main') }, { line: [] }]
  return main.kind === 'tree' ? treeRows(state, main, place, look) : listRows(state, main, place, look)
}

function treeRows(state: State, tree: TreePane, { width, height }: Place, look: BrowserLook): PaneRow[] {
  const { filter, total, isExact, scroll, hits } = tree
  const { marks, showsTimes, focus } = state
  const count = `${grouped(Math.min(total, scroll.cursor + 1))}/${isExact ? '' : '~'}${grouped(total)}`
  const search = hits ? ` /${firstLine(hits.text)} ${hitNumber(tree)}` : ''
  const title = `tree ${titleOf(state, tree.session)}`
  const lines: PaneRow[] = [
    { line: titleLine(title, `${search} [${filter}] ${count}`, width, focus === 'main') },
  ]
  for (let at = scroll.top; at < Math.min(total, scroll.top + height - 1); at++) {
    const row = rowAt(tree, at)
    const isMarked = row !== undefined && marks.some(({ oid }) => oid === row.oid)
    const isHit = row !== undefined && hits?.places.some(({ oid }) => oid === row.oid) === true
    const line: Line = row
      ? keptRowLine(row, { ...look, columns: width, showsTime: showsTimes, isMarked })
      : [styled('dim', ' …')]
    lines.push({
      line: isHit ? highlighted(line) : line,
      reverse: at === scroll.cursor && focus !== 'sessions',
    })
  }
  if (tree.error !== null) lines.push({ line: [styled('red', `  ${firstLine(tree.error)}`)] })
  else if (total === 0) lines.push({ line: [styled('dim', '  reading …')] })
  return lines
}

type RowLook = Parameters<typeof treeRowLine>[1]

/** The lines of rows, and what they were made for: most rows of a frame are those of the frame before. */
const keptLines = new WeakMap<TreeRow, { readonly madeFor: string; readonly line: Line }>()

function keptRowLine(row: TreeRow, look: RowLook): Line {
  const madeFor = `${look.columns} ${look.showsTime} ${look.isMarked}`
  const kept = keptLines.get(row)
  if (kept?.madeFor === madeFor) return kept.line
  const line = treeRowLine(row, look)
  keptLines.set(row, { madeFor, line })
  return line
}

/** Returns a row that was found so that it is seen. */
const highlighted = (line: Line): Line =>
  line.map((piece, i) =>
    i === line.length - 1 ? styled('yellow', typeof piece === 'string' ? piece : piece.text) : piece,
  )

const hitNumber = ({ hits, scroll }: TreePane): string => {
  const places = hits?.places ?? []
  const at = places.findIndex(({ position }) => position === scroll.cursor)
  return `${at < 0 ? '' : `${at + 1}/`}${grouped(places.length)}`
}

function listRows(state: State, list: ListPane, { width, height }: Place, look: BrowserLook): PaneRow[] {
  const { items, scroll, next, subject, isPending } = list
  const isText = isReading(list)
  const count = `${grouped(Math.min(items.length, scroll.cursor + 1))}/${grouped(items.length)}${next === null ? '' : '+'}`
  const empty = list.error !== null ? firstLine(list.error) : isPending ? 'reading …' : 'nothing'
  const remark = items.length === 0 ? empty : count
  const visible = items.slice(scroll.top, scroll.top + height - 1)
  const widest = Math.max(
    ...visible.map((item) => (item.kind === 'operation' ? `${item.operation.number}`.length : 0)),
    0,
  )
  return [
    { line: titleLine(subjectTitle(state, subject), remark, width, state.focus === 'main') },
    ...visible.map(
      (item, i): PaneRow => ({
        line: itemLine(item, width, widest, look),
        reverse: scroll.top + i === scroll.cursor && state.focus === 'main' && !isText,
      }),
    ),
  ]
}

const NO_NAMES: ReadonlyMap<string, string> = new Map()

function itemLine(item: ListItem, columns: number, widest: number, look: BrowserLook): Line {
  switch (item.kind) {
    case 'entry':
      return columns < ROOMY
        ? narrowEntryLine(item.entry, columns)
        : entryLine(item.entry, { ...look, columns, names: NO_NAMES })
    case 'operation':
      return operationLine(item.operation, widest, { ...look, columns })
    case 'hit':
      return hitLine(item.hit, { ...look, columns })
    case 'line':
      return [' ', ...item.line]
  }
}

function narrowEntryLine({ oid, role, view, type }: LogEntry, columns: number): Line {
  const id = short(oid)
  const left = Math.max(1, columns - id.length - 1)
  return [styled('yellow', id), ' ', styled(lookOf(role), cut(summaryOf(view, type), left))]
}

function subjectTitle(state: State, subject: ListSubject): string {
  switch (subject.kind) {
    case 'log':
    case 'reader':
      return `${subject.kind} ${titleOf(state, subject.session)}`
    case 'context':
      return `context at ${shortRevision(subject.revision)}: what the model sees`
    case 'hits':
      return `hits of ${firstLine(subject.query)}`
    case 'diff':
    case 'compare':
      return `${subject.kind} ${shortRevision(subject.a)} ${shortRevision(subject.b)}`
    case 'commands':
      return 'commands that do what was done here'
    case 'prompts':
      return 'fork before which prompt?'
    case 'operations':
      return 'operations'
    case 'help':
      return 'keys'
  }
}

const shortRevision = (revision: string): string => short(revision as Parameters<typeof short>[0])

/** Returns the title or the first words of a session, where it is listed. */
function titleOf({ sessions }: State, id: string): string {
  const row = sessions.rows?.find((one) => one.id === id)
  return firstLine(row?.title ?? row?.prompt ?? id)
}
