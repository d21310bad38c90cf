import { typed } from '../../text/shellwords.ts'
import { did } from '../../text/text.ts'
import { switchHead } from '../../verbs/switch.ts'
import { misuse } from '../define.ts'
import { present } from '../present.ts'
import { placeText, wayBack } from '../render/moves.ts'

/** `sess switch`: switches a session to another branch or entry, or to before its first one. */
export const command = present(switchHead, {
  arguments: ['revision'],
  short: { create: 'c' },
  help: 'The next append continues from there. No entry is lost.',
  examples: [
    ['sess switch 3b1f/at-1d9fca05', 'switch to another branch'],
    ['sess switch -c try 3b1f/main~2', 'create a branch at an earlier entry, and switch to it'],
    ['sess switch --root 3b1f', 'start another conversation in the same session'],
  ],
  check: ({ revision, session, root }) => {
    if (root && session !== undefined && revision !== undefined)
      throw misuse('switch', '--root takes one session')
    if (!root && revision === undefined) throw misuse('switch', 'no revision was named')
  },
  show: (done, call) => {
    const { session: id, head, tip, before } = done
    if (!('branch' in head) && !call.dryRun)
      call.hint(
        'detached',
        `entries appended here are on no branch; create one with: sess switch -c NAME ${head.oid === null ? '--root ' : ''}${typed(id)}`,
      )
    return {
      render: () => [[`${did(call, 'Switched')} session ${id} to ${placeText(head, tip)}`]],
      back: JSON.stringify(head) === JSON.stringify(before) ? undefined : wayBack(done),
    }
  },
})
