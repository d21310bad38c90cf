import { short } from '../../model/oid.ts'
import type { LogEntry } from '../../ops/log.ts'
import { summaryOf } from './summary.ts'
import { cut } from './text.ts'

/** The explanation below a plan in the editor. */
const LEGEND = `
# A step a line: what is done with an entry, and its oid. The order of the lines is the order of what comes of them.
#   pick    it stays           reword  it says what stands below it, each line behind >
#   drop    it goes            squash  its text joins the entry in the line before
# An entry without a line goes. A tool call and its results go together and stay together.
# Without any step nothing changes.
`

/** How much of an entry a plan shows, in columns. */
const SHOWN = 72

/** Returns a plan that changes nothing, for editing. */
export const planText = (entries: readonly LogEntry[]): string =>
  entries
    .map(
      ({ oid, role, type, view }) =>
        `pick ${short(oid)}  # ${(role ?? '-').padEnd(9)}  ${cut(summaryOf(view, type), SHOWN)}\n`,
    )
    .join('') + LEGEND
