import { show } from '../../ops/show.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { namesBySession } from '../render/names.ts'
import { shownEntries } from '../template/entry.ts'
import { printerOf, type TemplateOptions, templateOptions } from '../template/printer.ts'

interface Options extends TemplateOptions {
  readonly full?: boolean
}

/** `sess show`: shows entries in full. */
export const define: Define = (command, act) => {
  templateOptions(command)
    .argument('[revision...]', 'sessions or entries', ['@'])
    .option('--full', 'show reasoning, tool calls and results in full')
    .action(
      act(async (call, revisions: string[], options: Options) => {
        const print = printerOf(call, options, shownEntries(options.full ?? false), 'full')
        const repo = await call.repo()
        const names = namesBySession(repo)
        for (const revision of revisions) {
          const shown = await show(repo, revision)
          await print(shown, await names(shown.session))
        }
      }),
    )
  examples(command, [
    ['sess show 3b1f', 'the current entry of a session'],
    ["sess show 3b1f -T '{body.json}'", 'only the body'],
    ['sess show 3b1f~3 --full', 'the third entry before it, in full'],
  ])
}
