// Runs what agents call, as bin/sess.js does: a hook, a statusline, or the settler that a hook starts. With
// HOOK_PACE=fast that settler waits less. Appends `begun` and `ended` of a settler to the file $HOOK_MARKS.
// node hook.mjs BUILD WORD...
import { appendFileSync, writeSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const FAST = { quiet: 150, patience: 1000, linger: 400, limit: 8000, pause: 50 }

const [node, script, build, ...argv] = process.argv
const { runShort } = await import(`${build}/live/short.js`)
const print = (text) => writeSync(1, text)
if (!runShort({ argv, variables: process.env, program: [node, script, build], print })) {
  const folder = argv[2]
  appendFileSync(process.env.HOOK_MARKS, 'begun\n')
  process.on('exit', () => appendFileSync(process.env.HOOK_MARKS, 'ended\n'))
  if (process.env.HOOK_PACE === 'fast') {
    const { folderContextOf } = await import(`${build}/verbs/open.js`)
    const { settleNotes } = await import(`${build}/verbs/settle.js`)
    const times = { now: Date.now, wait: (milliseconds) => setTimeout(milliseconds), pace: FAST }
    await settleNotes(folderContextOf('', {}), { folder, ...times })
  } else {
    const { main } = await import(`${build}/cli/main.js`)
    await main(argv)
  }
}
