import { cherryPick } from '../../ops/cherrypick.ts'
import { counted, did } from '../../text/text.ts'
import { arrayOf, described, object } from '../../verbs/schema.ts'
import { oidSchema, REPLAYED } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { atLeastOne, branch, flag, option, revision, session } from '../parameters.ts'
import { branchMove, replayedLines } from '../render/moves.ts'

/** `sess cherry-pick`: appends entries of another branch to a branch. */
export const command = defineCommand({
  effect: 'write',
  arguments: { revision: atLeastOne(revision(), 'entries, or ranges A..B') },
  options: {
    onto: option(branch(), 'the target branch: SESSION/BRANCH, or a branch of the session'),
    session: option(session(), 'the target session (@)'),
    skipPresent: flag('skip entries that are already there'),
  },
  help: `Entries are appended in the order given, those of a range in the order of the range. A tool call brings its result,
and a result its call. A bare name is first looked up among the branches of the session.`,
  examples: [
    ['sess cherry-pick --session 3b1f at-1d9fca05', 'append the newest entry of another branch'],
    ['sess cherry-pick 3b1f/main..c7d0/main --onto 3b1f/main', 'append what a fork added since'],
  ],
  output: output(
    'One object.',
    object({
      ...REPLAYED,
      along: described('entries that came along, to keep tool calls with their results', arrayOf(oidSchema)),
      skipped: described('entries that were there already', arrayOf(oidSchema)),
    }),
  ),
  run: async (call, { revision: revisions, ...options }) => {
    const done = await cherryPick(await call.repo(), revisions, options)
    const { map, along, skipped, before, tip } = done
    return {
      data: done,
      render: () => [
        [`${did(call, 'Picked')} ${counted(map.length, 'entry')} onto `, ...branchMove(done)],
        ...replayedLines(done),
        ...(along.length > 0
          ? [[`${along.length} of them came along, to keep tool calls with results`]]
          : []),
        ...(skipped.length > 0
          ? [[`${did(call, 'Skipped')} ${counted(skipped.length, 'entry')}: already there`]]
          : []),
      ],
      back: before === tip ? undefined : 'sess undo',
    }
  },
})
