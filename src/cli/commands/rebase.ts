import { short } from '../../model/oid.ts'
import { type Rebased, type RebaseOptions, rebase } from '../../ops/rebase.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { broughtLines, placeLine } from '../render/brought.ts'
import { counted } from '../render/text.ts'

/** `sess rebase`: lets a branch continue another entry. */
export const define: Define = (command, act) => {
  command
    .argument('<upstream>', 'entries that it has are not appended again')
    .argument('[branch]', 'the branch to move: SESSION/BRANCH, or a branch of the session')
    .option('--onto <revision>', 'the new base (the upstream)')
    .option('--session <session>', 'the session of the branch (@)')
    .addHelpText(
      'after',
      `
Entries of the branch that the upstream lacks are appended again after the upstream, and the branch moves there.
A branch that already descends from the upstream is up to date. A bare name is first looked up among the branches of
the session.`,
    )
    .action(
      act(
        async (
          call,
          upstream: string,
          branch: string | undefined,
          options: Omit<RebaseOptions, 'branch'>,
        ) => {
          const { io } = call
          const done = await rebase(await call.repo(), upstream, {
            ...options,
            ...(branch !== undefined && { branch }),
          })
          if (io.json) {
            await io.data(done)
            return
          }
          await io.print(`${told(done)}: `, ...placeLine(done))
          for (const line of broughtLines(done)) await io.print(...line)
          if (done.before !== done.tip) await io.note('go back with: sess undo')
        },
      ),
    )
  examples(command, [
    ['sess rebase --session 3b1f main at-1d9fca05', 'rebase a branch onto main'],
    ['sess rebase --session 3b1f main at-1d9fca05 --onto main~2', 'rebase it onto an earlier entry'],
  ])
}

function told({ change, map, onto }: Rebased): string {
  switch (change) {
    case 'up-to-date':
      return `Up to date with ${short(onto)}`
    case 'fast-forward':
      return `Moved forward to ${short(onto)}`
    case 'rebased':
      return `Rebased ${counted(map.length, 'entry', 'entries')} onto ${short(onto)}`
  }
}
