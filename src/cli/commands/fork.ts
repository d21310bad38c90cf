import { short } from '../../model/encoding/oid.ts'
import { fork } from '../../ops/fork.ts'
import { defineCommand, output } from '../define.ts'
import { oidSchema } from '../outputschemas.ts'
import { current, flag, option, revision, text } from '../parameters.ts'
import { messageLines } from '../render/moves.ts'
import { did } from '../render/text.ts'
import { described, nullable, object, string } from '../schema.ts'

/** `sess fork`: starts a session that shares the path of an entry. */
export const command = defineCommand({
  effect: 'write',
  arguments: { revision: current(revision(), 'a session, or an entry of one') },
  options: {
    title: option(text('title'), 'the title of the new session'),
    before: flag('fork before a user message, and print its text so that it can be sent again'),
  },
  help: 'Nothing is copied: a fork costs the same at the end of any history.',
  examples: [
    ['sess fork 3b1f', 'fork at the current entry'],
    ['sess fork --before 3b1f~3', 'fork before a message, to send another one'],
    ['sess fork 3b1f~4 --title "Without a library"', 'fork at an earlier entry'],
  ],
  output: output(
    'One object.',
    object(
      { session: string, tip: described('null if it has no entries', nullable(oidSchema)) },
      { text: described('with --before: the text of the message', string) },
    ),
  ),
  run: async (call, { revision: name, ...options }) => {
    const made = await fork(await call.repo(), name, options)
    const { session: id, tip, text: message } = made
    return {
      data: made,
      render: () => [
        [
          tip === null
            ? `${did(call, 'Created')} session ${id}, which has no entries yet`
            : `${did(call, 'Forked')} at ${short(tip)} into session ${id}`,
        ],
        ...(message === undefined ? [] : messageLines(message)),
      ],
    }
  },
})
