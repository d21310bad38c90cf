import { object, string } from '../../verbs/schema.ts'
import { openBrowser } from '../browser.ts'
import { defineCommand, output } from '../define.ts'
import { several, text } from '../parameters.ts'

/** `sess pick`: lets the user choose, and prints what was chosen. */
export const command = defineCommand({
  effect: 'read',
  arguments: { words: several(text('word'), 'show only sessions with these words') },
  help: `It is drawn on the terminal, and the choice alone is printed on standard output: the id of a session, or after Tab the
oid of an entry of its tree. Text searches at once. Without a choice it exits with 1.`,
  examples: [
    ['sess resume --run "$(sess pick)"', 'choose a session and resume it'],
    ['sess show "$(sess pick parser)"', 'choose among the sessions with a word'],
  ],
  output: output('One object.', object({ chosen: string })),
  run: async (call, { words }) => {
    const { code, output: chosen } = await openBrowser(call, { picks: 'entry', search: words.join(' ') })
    call.status = code
    return chosen === null ? undefined : { data: { chosen }, render: () => [[chosen]] }
  },
})
