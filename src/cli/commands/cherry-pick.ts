import { counted, did } from '../../text/text.ts'
import { cherryPick } from '../../verbs/cherry-pick.ts'
import { present } from '../present.ts'
import { branchMove, replayedLines } from '../render/moves.ts'

/** `sess cherry-pick`: appends entries of another branch to a branch. */
export const command = present(cherryPick, {
  arguments: ['revision'],
  help: `Entries are appended in the order given, those of a range in the order of the range. A tool call brings its result,
and a result its call. A bare name is first looked up among the branches of the session.`,
  examples: [
    ['sess cherry-pick --session 3b1f at-1d9fca05', 'append the newest entry of another branch'],
    ['sess cherry-pick 3b1f/main..c7d0/main --onto 3b1f/main', 'append what a fork added since'],
  ],
  show: (done, call) => {
    const { map, along, skipped, before, tip } = done
    return {
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
