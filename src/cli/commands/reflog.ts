import { short } from '../../model/encoding/oid.ts'
import { type ReflogStep, reflog } from '../../ops/reflog.ts'
import { operationCursor } from '../../ops/rows/cursor.ts'
import { reflogPage } from '../../ops/rows/operationpage.ts'
import { defineCommand, output } from '../define.ts'
import { oidSchema, timestamp } from '../outputschemas.ts'
import { CURSOR, hasCursors, pageIn, pageOptions } from '../pageoptions.ts'
import { count, current, option, revision } from '../parameters.ts'
import { summaryOf } from '../render/entry.ts'
import { commandText } from '../render/operation.ts'
import { type Display, firstLine, type Line, styled } from '../render/text.ts'
import { minute } from '../render/time.ts'
import { cut, pad, widthOf } from '../render/width.ts'
import { boolean, described, integer, nullable, object, string } from '../schema.ts'

/** `sess reflog`: shows former values of a ref. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: {
    ref: current(revision('ref'), 'a session, SESSION/BRANCH, SESSION/LABEL or SESSION/HEAD'),
  },
  options: { limit: option(count(), 'show at most N moves', { short: 'n' }), ...pageOptions() },
  help: `The newest move comes first. For a session: the moves of its current branch. Removed branches and sessions keep
their moves.`,
  examples: [
    ['sess reflog 3b1f', 'the moves of the current branch'],
    ['sess reflog 3b1f/at-1d9fca05 -n 3', 'the last 3 moves of another branch'],
  ],
  output: output(
    'A line for each move.',
    object(
      {
        session: string,
        name: described('the branch or label, or HEAD', string),
        index: integer,
        oid: nullable(oidSchema),
        branch: described('of a HEAD on a branch', nullable(string)),
        root: described('whether it is a HEAD before the first entry', boolean),
        operation: integer,
        time: nullable(timestamp),
        who: string,
        command: string,
        text: nullable(string),
      },
      CURSOR,
    ),
  ),
  run: async (call, { ref: name, ...options }, out) => {
    const { io } = call
    const repo = await call.repo()
    const page = pageIn(options)
    const isNamed = hasCursors(options)
    for await (const step of page
      ? (await reflogPage(repo, name, page)).items
      : reflog(repo, name, options)) {
      const {
        session,
        name: ref,
        index,
        oid,
        branch,
        root,
        operation,
        time,
        who,
        command: typed,
        entry,
      } = step
      const move = { session, name: ref, index, oid, branch, root, operation, time, who, command: typed }
      const named = isNamed && { cursor: operationCursor(operation) }
      await (io.json
        ? out.data({ ...move, text: entry?.text ?? null, ...named })
        : io.print(...stepLine(step, ownerIn(name, step), call.display)))
    }
  },
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
