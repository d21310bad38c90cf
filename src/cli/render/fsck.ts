import type { Fsck } from '../../ops/fsck.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, firstLine } from './text.ts'

/** Gives what a check found. */
export function fsckLines({ ok, findings, lacking, checked }: Fsck): Line[] {
  const seen = [
    counted(checked.entries, 'entry', 'entries'),
    counted(checked.sessions, 'session'),
    counted(checked.records, 'record'),
    counted(checked.operations, 'operation'),
  ].join(', ')
  return [
    ...findings.map(
      ({ code, subject, message }): Line => [
        styled('red', code),
        ` ${firstLine(subject)}: ${firstLine(message)}`,
      ],
    ),
    ...lackingLines(lacking),
    [ok ? `all is well: ${seen}` : `${counted(findings.length, 'finding')} in ${seen}`],
  ]
}

/** Gives the sessions that lack parents which no graft joins, and what to type. */
function lackingLines(sessions: Fsck['lacking']): Line[] {
  const open = sessions.filter(({ lacking, grafted }) => lacking > grafted)
  const lines = open.map(({ session, lacking, grafted }): Line => {
    const entries = lacking - grafted
    return [
      styled('yellow', 'lacking'),
      ` ${firstLine(session)}: ${counted(entries, 'entry', 'entries')} whose parent its source names and lacks`,
    ]
  })
  if (open.length > 0)
    lines.push([styled('dim', "type 'sess fsck --relink' to look for them in all sessions")])
  return lines
}
