import { short } from '../../model/encoding/oid.ts'
import { type Rebased, rebase } from '../../ops/rebase.ts'
import { counted, did } from '../../text/text.ts'
import { object, oneOf } from '../../verbs/schema.ts'
import { oidSchema, REPLAYED } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { branch, option, optional, required, revision, session } from '../parameters.ts'
import { branchMove, replayedLines } from '../render/moves.ts'

/** `sess rebase`: moves a branch onto another entry. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    upstream: required(revision(), 'entries that it has are not appended again'),
    branch: optional(branch(), 'the branch to move: SESSION/BRANCH, or a branch of the session'),
  },
  options: {
    onto: option(revision(), 'the new base (the upstream)'),
    session: option(session(), 'the session of the branch (@)'),
  },
  help: `Entries of the branch that the upstream lacks are appended again after the upstream, and the branch moves there.
A branch that already descends from the upstream is up to date. A bare name is first looked up among the branches of
the session.`,
  examples: [
    ['sess rebase --session 3b1f main at-1d9fca05', 'rebase a branch onto main'],
    ['sess rebase --session 3b1f main at-1d9fca05 --onto main~2', 'rebase it onto an earlier entry'],
  ],
  output: output(
    'One object.',
    object({ ...REPLAYED, onto: oidSchema, change: oneOf('rebased', 'fast-forward', 'up-to-date') }),
  ),
  run: async (call, { upstream, ...options }) => {
    const done = await rebase(await call.repo(), upstream, options)
    return {
      data: done,
      render: () => [[`${doneText(call, done)}: `, ...branchMove(done)], ...replayedLines(done)],
      back: done.before === done.tip ? undefined : 'sess undo',
    }
  },
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
