import { short } from '../../model/encoding/oid.ts'
import { summaryOf } from '../../text/entry.ts'
import { commandText } from '../../text/operation.ts'
import { type Display, firstLine, type Line, styled } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { cut, pad, widthOf } from '../../text/width.ts'
import { reflog } from '../../verbs/reflog.ts'
import type { ReflogStep } from '../../verbs/types.ts'
import { presentList } from '../present.ts'

/** `sess reflog`: shows former values of a ref. */
export const command = presentList(reflog, {
  paged: true,
  arguments: ['ref'],
  short: { limit: 'n' },
  help: `The newest move comes first. For a session: the moves of its current branch. Removed branches and sessions keep
their moves.`,
  examples: [
    ['sess reflog 3b1f', 'the moves of the current branch'],
    ['sess reflog 3b1f/at-1d9fca05 -n 3', 'the last 3 moves of another branch'],
  ],
  is: 'A line for each move.',
  show:
    ({ display }, { ref }) =>
    (step) => [stepLine(step, ownerIn(ref, step), display)],
})

/** Returns the session as it was typed, so that what is shown can be typed again. */
const ownerIn = (typed: string, { name }: ReflogStep): string =>
  typed.endsWith(`/${name}`) ? typed.slice(0, -name.length - 1) : typed

const COMMAND = 32

/** Returns a move of a ref as a line: name, new value, time, command. */
function stepLine(
  { name, index, oid, branch, root, time, command: typed, entry }: ReflogStep,
  owner: string,
  { columns, zone }: Display,
): Line {
  const shown = `${firstLine(owner)}/${firstLine(name)}@{${index}}`
  const run = pad(cut(commandText(typed), COMMAND), COMMAND)
  const left = columns - widthOf(shown) - 10 - 16 - COMMAND - 8
  const summary = entry === null ? '' : cut(summaryOf(entry.view, entry.type), Math.max(10, left))
  return [
    styled('cyan', shown),
    '  ',
    oid === null
      ? styled('green', pad(root ? '(root)' : branch === null ? '(removed)' : firstLine(branch), 10))
      : styled('yellow', short(oid)),
    '  ',
    styled('dim', minute(time, zone)),
    `  ${summary === '' ? run.trimEnd() : `${run}  ${summary}`}`,
  ]
}
