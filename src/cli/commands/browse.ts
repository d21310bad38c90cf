import { FILTERS } from '../../model/graphfilter.ts'
import { anyOf, object, string } from '../../verbs/schema.ts'
import { openBrowser } from '../browser.ts'
import { defineCommand, output } from '../define.ts'
import { choice, option, optional, session } from '../parameters.ts'

/** `sess browse`: shows sessions and their trees on the terminal. */
export const command = defineCommand({
  effect: 'read',
  arguments: { session: optional(session(), 'show the tree of this session first') },
  options: { filter: option(choice(FILTERS, 'what'), 'which entries of trees are rows') },
  help: `Without a command, sess shows the same on a terminal. ? lists all keys. Whatever changes something says first what it
would do, and u undoes it. With the setting keys pi, text searches at once, as in pi; keys.bindings changes single keys,
such as 'fork=F'.`,
  examples: [
    ['sess browse', 'all sessions, the latest first'],
    ['sess browse 3b1f', 'the tree of a session'],
    ['sess browse 3b1f --filter user-only', 'its prompts'],
  ],
  output: output('Nothing; a prompt that was taken back, to be sent again.', anyOf(object({ text: string }))),
  run: async (call, { session: name, filter }) => {
    const { code, output: text } = await openBrowser(call, {
      ...(name !== undefined && { session: name }),
      ...(filter !== undefined && { filter }),
    })
    call.status = code
    return text === null
      ? undefined
      : { data: { text }, render: () => text.split('\n').map((line) => [line]) }
  },
})
