import { show } from '../../ops/show.ts'
import { defineCommand, output } from '../define.ts'
import { fullEntrySchema } from '../outputs.ts'
import { flag, several } from '../parameters.ts'
import { namesBySession } from '../render/names.ts'
import { shownEntries } from '../template/entry.ts'
import { printerOf, TEMPLATE_OPTIONS } from '../template/printer.ts'
import { revision } from '../values.ts'

/** `sess show`: shows entries in full. */
export const command = defineCommand({
  name: 'show',
  group: 'inspect',
  summary: 'show entries in full',
  effect: 'read',
  paged: true,
  arguments: { revision: several(revision(), 'sessions or entries (@)') },
  options: {
    ...TEMPLATE_OPTIONS,
    full: flag('show reasoning, tool calls and results in full'),
  },
  examples: [
    ['sess show 3b1f', 'the current entry of a session'],
    ["sess show 3b1f -T '{body.json}'", 'only the body'],
    ['sess show 3b1f~3 --full', 'the third entry before it, in full'],
  ],
  output: output('A line for each revision.', fullEntrySchema),
  run: async (call, { revision: revisions, full, ...options }) => {
    const print = printerOf(call, options, shownEntries(full), 'full')
    const repo = await call.repo()
    const names = namesBySession(repo)
    for (const name of revisions.length > 0 ? revisions : ['@']) {
      const shown = await show(repo, name)
      await print(shown, await names(shown.session))
    }
  },
})
