import { short } from '../../model/oid.ts'
import type { Kept, ReadAs, Reread } from '../../ops/reread.ts'
import { styled } from '../style.ts'
import { notice } from './import.ts'
import type { Line } from './line.ts'
import { counted, firstLine } from './text.ts'

const readAs = ({ format, reading }: ReadAs): string => `${format}, reading ${reading}`

/** Gives what became of a session whose source was read again: each entry that changed, and what stands for it. */
export function rereadLines({ session, before, now, records, entries, map, warnings }: Reread): Line[] {
  return [
    ['Session ', styled('yellow', firstLine(session)), ` is read as ${readAs(now)} (was ${readAs(before)})`],
    [`  ${counted(entries, 'entry', 'entries')} in ${counted(records, 'record')}, ${map.length} changed`],
    ...map.map(
      ([old, next]): Line => [
        '  ',
        styled('dim', short(old)),
        ' → ',
        next === null ? styled('dim', 'nothing') : styled('yellow', short(next)),
      ],
    ),
    ...warnings.map((one): Line => [styled('yellow', `  ${notice(one)}`)]),
  ]
}

/** Gives that a session stays as it was read. */
export const keptLine = (kept: Kept): Line => [
  'Session ',
  styled('yellow', firstLine(kept.session)),
  ` stays: it was read as ${readAs(kept)}, the newest`,
]
