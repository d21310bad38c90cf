import type { Fsck } from '../../ops/fsck.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, firstLine } from './text.ts'

/** Gives what a check found. */
export function fsckLines({ ok, findings, checked }: Fsck): Line[] {
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
    [ok ? `all is well: ${seen}` : `${counted(findings.length, 'finding')} in ${seen}`],
  ]
}
