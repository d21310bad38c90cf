import { short } from '../../model/encoding/oid.ts'
import { did } from '../../text/text.ts'
import { fork } from '../../verbs/fork.ts'
import { present } from '../present.ts'
import { messageLines } from '../render/moves.ts'

/** `sess fork`: starts a session that shares the path of an entry. */
export const command = present(fork, {
  arguments: ['revision'],
  help: 'Nothing is copied: a fork costs the same at the end of any history.',
  examples: [
    ['sess fork 3b1f', 'fork at the current entry'],
    ['sess fork --before 3b1f~3', 'fork before a message, to send another one'],
    ['sess fork 3b1f~4 --title "Without a library"', 'fork at an earlier entry'],
  ],
  show: ({ session: id, tip, text: message }, call) => ({
    render: () => [
      [
        tip === null
          ? `${did(call, 'Created')} session ${id}, which has no entries yet`
          : `${did(call, 'Forked')} at ${short(tip)} into session ${id}`,
      ],
      ...(message === undefined ? [] : messageLines(message)),
    ],
  }),
})
