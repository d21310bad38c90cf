import { firstLine, grouped, type Line, styled } from '../../text/text.ts'
import type { State } from '../state/state.ts'

/** The lines of a plan that are shown. */
const MAX_LINES = 12

/** Returns what a change would do, above the status line; nothing where none is planned. */
export function planRows({ plan, size }: State): Line[] {
  if (!plan) return []
  const room = Math.max(0, Math.min(MAX_LINES, size.rows - 4))
  const shown = plan.lines.slice(0, room)
  const left = plan.lines.length - shown.length
  return [
    [styled('dim', '─'.repeat(size.columns))],
    [styled('bold', ` ${firstLine(plan.change.does)}?`)],
    ...shown.map((line): Line => ['  ', ...line]),
    ...(left > 0 ? [[styled('dim', `  and ${grouped(left)} more`)]] : []),
  ]
}
