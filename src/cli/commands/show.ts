import { log, namesOfEntries } from '../../verbs/log.ts'
import { anyOf } from '../../verbs/schema.ts'
import { show } from '../../verbs/show.ts'
import { defineCommand, output } from '../define.ts'
import { flag, revision, several } from '../parameters.ts'
import { withCallsOnce } from '../render/callsonce.ts'
import { entriesOfPath, shownEntries } from '../template/entries.ts'
import { printerOf, TEMPLATE_OPTIONS } from '../template/printer.ts'

/** `sess show`: shows entries in full. */
export const command = defineCommand({
  effect: show.effect,
  paged: true,
  arguments: { revision: several(revision(), 'sessions or entries (@)') },
  options: {
    ...TEMPLATE_OPTIONS,
    full: flag('show reasoning, tool calls and results in full'),
    all: flag('show the whole path to each, from the first entry on; -T full with all metadata'),
  },
  examples: [
    ['sess show 3b1f', 'the current entry of a session'],
    ["sess show 3b1f -T '{body.json}'", 'only the body'],
    ['sess show 3b1f --all', 'the whole session, from its first entry on; sess read is easier to read'],
    ['sess show 3b1f~3 --full', 'the third entry before it, in full'],
  ],
  output: output(
    'A line for each revision; with --all for each entry.',
    anyOf(show.output.schema, log.item.schema),
  ),
  run: async (call, { revision: revisions, full, all, ...options }) => {
    const named = revisions.length > 0 ? revisions : ['@']
    if (all) {
      const printEntry = printerOf(call, options, entriesOfPath(full), 'content')
      const path = await call.context()
      const namesOf = namesOfEntries(path)
      const how = { ...WHOLE_PATH, usage: printEntry.usesUsage }
      for (const name of named)
        for await (const entry of withCallsOnce(log.items(path, { ...how, revision: name })))
          await printEntry(entry, await namesOf(entry.session))
      return
    }
    const print = printerOf(call, options, shownEntries(full), 'full')
    const context = await call.context()
    const names = namesOfEntries(context)
    for (const name of named) {
      const shown = await show.run(context, { revision: name })
      await print(shown, await names(shown.session))
    }
  },
})

/** A path from its first entry on, with whole results. */
const WHOLE_PATH = { path: [], reverse: true, whole: true, all: false, everywhere: false }
