import { namesBySession } from '../../ops/branchnames.ts'
import { anyOf } from '../../verbs/schema.ts'
import { entrySchema, fullEntrySchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { flag, revision, several } from '../parameters.ts'
import { entriesOfPath, shownEntries } from '../template/entries.ts'
import { printerOf, TEMPLATE_OPTIONS } from '../template/printer.ts'

/** `sess show`: shows entries in full. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: { revision: several(revision(), 'sessions or entries (@)') },
  options: {
    ...TEMPLATE_OPTIONS,
    full: flag('show reasoning, tool calls and results in full'),
    all: flag('show the whole path to each, from the first entry on'),
  },
  examples: [
    ['sess show 3b1f', 'the current entry of a session'],
    ["sess show 3b1f -T '{body.json}'", 'only the body'],
    ['sess show 3b1f --all', 'the whole session, from its first entry on'],
    ['sess show 3b1f~3 --full', 'the third entry before it, in full'],
  ],
  output: output('A line for each revision; with --all for each entry.', anyOf(fullEntrySchema, entrySchema)),
  run: async (call, { revision: revisions, full, all, ...options }) => {
    const named = revisions.length > 0 ? revisions : ['@']
    if (all) {
      const printEntry = printerOf(call, options, entriesOfPath(full), 'full')
      const store = await call.repo()
      const { log } = await import('../../ops/log.ts')
      const namesOf = namesBySession(store)
      for (const name of named)
        for await (const entry of log(store, name, {
          ...{ reverse: true, whole: true, usage: printEntry.usesUsage },
        }))
          await printEntry(entry, await namesOf(entry.session))
      return
    }
    const print = printerOf(call, options, shownEntries(full), 'full')
    const repo = await call.repo()
    const { show } = await import('../../ops/show.ts')
    const names = namesBySession(repo)
    for (const name of named) {
      const shown = await show(repo, name)
      await print(shown, await names(shown.session))
    }
  },
})
