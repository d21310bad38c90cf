import { short } from '../../model/oid.ts'
import type { Kept, ReadAs, Reread } from '../../ops/reread.ts'
import { styled } from '../style.ts'
import { notice } from './import.ts'
import type { Line } from './line.ts'
import { counted, firstLine } from './text.ts'

const readAs = ({ format, reading }: ReadAs): string => `${format}, reading ${reading}`

/** Returns the result of parsing a source again: each entry that changed, with its new oid. */
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

/** Returns that a session stays as it was read. */
export const keptLine = (kept: Kept): Line => [
  'Session ',
  styled('yellow', firstLine(kept.session)),
  ` stays: it was read as ${readAs(kept)}, the newest`,
]
