import { grouped } from '../../text/text.ts'
import type { Place } from '../state/layout.ts'
import { type State, sessionAt } from '../state/state.ts'
import { type BrowserLook, type PaneRow, titleLine } from './pane.ts'
import { sessionCard } from './sessions.ts'

/** Returns the entry beside the list; beside that of the sessions, what the session is stands above it. */
export function previewRows(
  { preview, focus, sessions }: State,
  { width, height }: Place,
  look: BrowserLook,
): PaneRow[] {
  const { lines, top } = preview
  const session = focus === 'sessions' ? sessionAt(sessions) : undefined
  const card = session ? sessionCard(session, look) : []
  const room = Math.max(0, height - 1 - card.length)
  const remark =
    lines.length > room ? `${grouped(Math.min(lines.length, top + room))}/${grouped(lines.length)}` : ''
  return [
    { line: titleLine('preview', remark, width, focus === 'preview') },
    ...[...card, ...lines.slice(top, top + room)].map((line): PaneRow => ({ line: [' ', ...line] })),
  ]
}
