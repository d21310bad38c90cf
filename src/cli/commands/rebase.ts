import { short } from '../../model/encoding/oid.ts'
import { counted, did } from '../../text/text.ts'
import { rebase } from '../../verbs/rebase.ts'
import type { Rebased } from '../../verbs/types.ts'
import type { Invocation } from '../invocation.ts'
import { present } from '../present.ts'
import { branchMove, replayedLines } from '../render/moves.ts'

/** `sess rebase`: moves a branch onto another entry. */
export const command = present(rebase, {
  arguments: ['upstream', 'branch'],
  help: `Entries of the branch that the upstream lacks are appended again after the upstream, and the branch moves there.
A branch that already descends from the upstream is up to date. A bare name is first looked up among the branches of
the session.`,
  examples: [
    ['sess rebase --session 3b1f main at-1d9fca05', 'rebase a branch onto main'],
    ['sess rebase --session 3b1f main at-1d9fca05 --onto main~2', 'rebase it onto an earlier entry'],
  ],
  show: (done, call) => ({
    render: () => [[`${doneText(call, done)}: `, ...branchMove(done)], ...replayedLines(done)],
    back: done.before === done.tip ? undefined : 'sess undo',
  }),
})

function doneText(call: Invocation, { change, map, onto }: Rebased): string {
  switch (change) {
    case 'up-to-date':
      return `Up to date with ${short(onto)}`
    case 'fast-forward':
      return `${did(call, 'Fast-forwarded')} to ${short(onto)}`
    case 'rebased':
      return `${did(call, 'Rebased')} ${counted(map.length, 'entry')} onto ${short(onto)}`
  }
}
