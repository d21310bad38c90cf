import { grouped } from '../../text/text.ts'
import type { Place } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { type PaneRow, titleLine } from './pane.ts'

/** Returns the entry beside the list. */
export function previewRows({ preview, focus }: State, { width, height }: Place): PaneRow[] {
  const { lines, top } = preview
  const isLong = lines.length > height - 1
  const remark = isLong ? `${grouped(Math.min(lines.length, top + height - 1))}/${grouped(lines.length)}` : ''
  return [
    { line: titleLine('preview', remark, width, focus === 'preview') },
    ...lines.slice(top, top + height - 1).map((line): PaneRow => ({ line: [' ', ...line] })),
  ]
}
