import type { Listed } from '../../ops/list.ts'
import type { Heading } from '../../ops/log/drawn.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, cut, firstLine } from './text.ts'
import { minute } from './time.ts'
import { widthOf } from './width.ts'

/** Returns the lines above a graph: one for each of its sessions. */
export const headingLines = (
  { sessions, short }: Heading,
  look: { readonly columns: number; readonly zone: (time: number) => number },
): Line[] =>
  sessions.map((session, place) =>
    sessionLine(session, short.get(session.id) ?? session.id, place === 0, look),
  )

/** The longest id that is shown. */
const ID = 38

function sessionLine(
  session: Listed,
  short: string,
  first: boolean,
  { columns, zone }: { readonly columns: number; readonly zone: (time: number) => number },
): Line {
  const { title, prompt, format, entries, created } = session
  const name = firstLine(title ?? (prompt === null ? '(no title)' : `"${prompt}"`))
  const about = `  ${minute(created, zone)}  ${firstLine(format)}, ${counted(entries, 'entry', 'entries')}`
  const shortId = cut(firstLine(short), ID)
  const room = columns - widthOf(shortId) - widthOf(about) - 4
  return [
    styled('yellow', shortId),
    '  ',
    styled(first ? 'bold' : 'plain', cut(name, Math.max(16, room))),
    styled('dim', about),
  ]
}
