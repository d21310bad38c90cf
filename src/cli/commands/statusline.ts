import { object, string } from '../../verbs/schema.ts'
import { statusLineOf } from '../../verbs/statusline.ts'
import { defineCommand, output } from '../define.ts'
import { file, option } from '../parameters.ts'
import { inputBytes } from '../stdin.ts'

/** The most bytes that are read. */
const MAX_STATUS = 1 << 20

/** `sess statusline`: prints the statusline of a session of Claude Code. What Claude Code calls is `src/live/short.ts`. */
export const command = defineCommand({
  effect: 'read',
  options: { folder: option({ ...file('dir'), kind: 'folder' }, 'the folder of what was saved') },
  help: `Claude Code calls it once 'sess setup' has added it to the settings, and gives it on standard input what it knows of the
session. Prints the title of the session, its branch, tokens and cost, and whether the store has all of it: live; or how many bytes
it lacks. Opens no store.`,
  examples: [
    [`echo '{"session_id":"3b1f9c40"}' | sess statusline`, 'print the line of a session that is not saved'],
    ["echo '{}' | sess statusline --json", 'print it as JSON'],
  ],
  output: output('One object.', object({ line: string })),
  run: async (call, { folder }) => {
    const told = new TextDecoder().decode(await inputBytes(call.platform.stdin, MAX_STATUS))
    const line = statusLineOf(call, told, folder)
    return { data: { line }, render: () => [[line]] }
  },
})
