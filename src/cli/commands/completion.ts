import { Argument } from 'commander'
import type { Define } from '../call.ts'
import { SCRIPTS, type Shell } from '../complete/scripts.ts'
import { examples } from '../examples.ts'
import { cut, firstLine } from '../render/text.ts'

/** The words of a line are completed, where not the script of a shell is asked for. */
const WORDS = 'words'

/** The width of a description, in columns. */
const WIDTH = 60

/** `sess completion`: prints the script that completes sess in a shell, or what a line may become. */
export const define: Define = (command, act, load) => {
  command
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices([...Object.keys(SCRIPTS), WORDS]))
    .argument('[word...]', `with ${WORDS}: what is typed behind sess; the last one is completed`)
    .action(
      act(async (call, shell: Shell | typeof WORDS, words: string[]) => {
        const { io } = call
        if (shell !== WORDS) {
          await io.text(SCRIPTS[shell])
          return
        }
        const { complete } = await import('../complete/complete.ts')
        const { names, paths } = await complete(call, command.parent ?? command, words, (other) =>
          other === command ? Promise.resolve() : load(other),
        )
        for (const { name, does } of names)
          if (io.json) await io.data({ name, does })
          else await io.print(`${name}\t${cut(firstLine(does), WIDTH)}`)
        if (paths !== undefined) await (io.json ? io.data({ paths }) : io.print(`:${paths}`))
      }),
    )
    .addHelpText(
      'after',
      `
With ${WORDS}, each line is a word and, after a tab, what it is; ':files' or ':folders' where a path can follow. The
scripts run this at every tab: it completes commands, options, sessions, branches, labels and oids of the store.`,
    )
  examples(command, [
    ['eval "$(sess completion bash)"', 'for bash; put it into ~/.bashrc'],
    ['eval "$(sess completion zsh)"', 'for zsh; put it into ~/.zshrc'],
    ['sess completion fish | source', 'for fish'],
    ['sess completion words -- log 3b', 'list the completions of a line'],
  ])
}
