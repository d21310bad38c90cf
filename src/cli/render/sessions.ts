import type { Listed } from '../../ops/list.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, cut, firstLine, grouped, pad, padStart } from './text.ts'
import { minute } from './time.ts'

/** Ids are shown with at least so many characters. */
const ID = 8

export interface SessionsLook {
  readonly columns: number
  readonly zone: (time: number) => number
}

/** Gives sessions as a table, a line each below a heading. */
export function sessionTable(sessions: readonly Listed[], { columns, zone }: SessionsLook): Line[] {
  const short = shortest(sessions.map(({ id }) => id))
  const rows = sessions.map((session) => ({
    id: firstLine(short.get(session.id) ?? session.id),
    updated: minute(session.updated, zone),
    entries: grouped(session.entries),
    format: session.format,
    title: titleOf(session),
  }))
  const wide = (name: 'id' | 'entries' | 'format', heading: string): number =>
    Math.min(38, Math.max(heading.length, ...rows.map((row) => row[name].length)))
  const widths = {
    id: wide('id', 'SESSION'),
    entries: wide('entries', 'ENTRIES'),
    format: wide('format', 'FORMAT'),
  }
  const heading = [
    pad('SESSION', widths.id),
    pad('UPDATED', 16),
    padStart('ENTRIES', widths.entries),
    pad('FORMAT', widths.format),
    'TITLE',
  ].join('  ')
  const left = columns - widths.id - 16 - widths.entries - widths.format - 8
  return [
    [styled('dim', heading)],
    ...rows.map(({ id, updated, entries, format, title }) => [
      styled('yellow', pad(cut(id, widths.id), widths.id)),
      '  ',
      styled('dim', pad(updated, 16)),
      `  ${padStart(entries, widths.entries)}  `,
      styled('dim', pad(format, widths.format)),
      `  ${cut(title, Math.max(10, left))}`,
    ]),
  ]
}

function titleOf({ title, prompt, branches, head }: Listed): string {
  const others = Object.keys(branches).filter((name) => name !== head).length
  const more = others === 0 ? '' : `(+${counted(others, 'branch', 'branches')}) `
  if (title !== null) return more + firstLine(title)
  return prompt === null ? `${more}(no title)` : `${more}"${firstLine(prompt)}"`
}

/** UUIDs are shortened; a name says more when it is whole. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/

/**
 * Gives for each id that is a UUID the shortest beginning, of 8 characters or more, that no other id shares.
 */
function shortest(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...ids].sort()
  const common = (a: string, b = ''): number => {
    let n = 0
    while (n < b.length && a[n] === b[n]) n++
    return n
  }
  return new Map(
    sorted.map((id, i) => [
      id,
      UUID.test(id)
        ? id.slice(0, Math.max(ID, common(id, sorted[i - 1]) + 1, common(id, sorted[i + 1]) + 1))
        : id,
    ]),
  )
}
