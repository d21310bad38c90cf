import { short } from '../../model/oid.ts'
import type { ListedLabel } from '../../ops/label.ts'
import { styled } from '../style.ts'
import { lookOf } from './entry.ts'
import type { Line } from './line.ts'
import { summaryOf } from './summary.ts'
import { cut, firstLine, pad } from './text.ts'
import { widthOf } from './width.ts'

/** Returns labels as lines: name, oid, role and summary; with `all`, names that are revisions. */
export function labelLines(
  labels: readonly ListedLabel[],
  { columns, all }: { readonly columns: number; readonly all: boolean },
): Line[] {
  const names = labels.map(({ session, name }) => firstLine(all ? `${session}/${name}` : name))
  const width = Math.max(...names.map(widthOf))
  const left = Math.max(10, columns - width - 10 - 9 - 6)
  return labels.map(({ oid, entry: { role, view, type } }, i) => [
    styled('cyan', pad(names[i] ?? '', width)),
    '  ',
    styled('yellow', short(oid)),
    '  ',
    styled(lookOf(role), pad(role ?? '-', 9)),
    `  ${cut(summaryOf(view, type), left)}`,
  ])
}
