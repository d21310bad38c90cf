import type { Heading } from '../../ops/drawn.ts'
import type { Listed } from '../../ops/list.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, cut, firstLine } from './text.ts'
import { minute } from './time.ts'
import { widthOf } from './width.ts'

/** Gives what stands above a graph: a line for each of its sessions. */
export const headingLines = (
  { sessions }: Heading,
  look: { readonly columns: number; readonly zone: (time: number) => number },
): Line[] => sessions.map((session, place) => sessionLine(session, place === 0, look))

function sessionLine(
  session: Listed,
  first: boolean,
  { columns, zone }: { readonly columns: number; readonly zone: (time: number) => number },
): Line {
  const { id, title, prompt, format, entries, created } = session
  const name = firstLine(title ?? (prompt === null ? '(no title)' : `"${prompt}"`))
  const about = `  ${minute(created, zone)}  ${firstLine(format)}, ${counted(entries, 'entry', 'entries')}`
  const shortId = firstLine(id).slice(0, 8)
  const room = columns - widthOf(shortId) - widthOf(about) - 4
  return [
    styled('yellow', shortId),
    '  ',
    styled(first ? 'bold' : 'plain', cut(name, Math.max(16, room))),
    styled('dim', about),
  ]
}
