import { Option } from 'commander'
import { contextOf, piContextOf } from '../../ops/context.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { contextLines } from '../render/context.ts'

interface Options {
  readonly format?: 'text' | 'json' | 'pi'
}

/** `sess context`: shows what the model sees. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'a session or an entry', '@')
    .addOption(
      new Option(
        '--format <format>',
        'text for people, json for programs, pi as that agent gives it',
      ).choices(['text', 'json', 'pi']),
    )
    .addHelpText('after', '\nThe latest compaction and all edits are applied. With --json, text is json.')
    .action(
      act(async (call, revision: string, { format = 'text' }: Options) => {
        const { io } = call
        const repo = await call.repo()
        if (format === 'pi') await io.data(await piContextOf(repo, revision))
        else if (format === 'json' || io.json) await io.data(await contextOf(repo, revision))
        else for (const line of contextLines(await contextOf(repo, revision))) await io.print(...line)
      }),
    )
  examples(command, [
    ['sess context 019d4e07', 'what the model sees next'],
    ['sess context 019d4e07~4', 'what it saw then'],
    ['sess context 019d4e07 --format pi', 'as that agent builds it'],
  ])
}
