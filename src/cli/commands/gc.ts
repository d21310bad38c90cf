import { gc } from '../../ops/gc.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { during, type Step } from '../progress.ts'
import { gcLines } from '../render/gc.ts'
import { counted } from '../render/text.ts'
import { timeOf } from '../timeof.ts'

interface Options {
  readonly grace?: string
  readonly operations?: string
}

/** `sess gc`: removes what nothing names any more, and packs the rest. */
export const define: Define = (command, act) => {
  command
    .option('--grace <age>', 'keep unreachable data younger than this (14d)')
    .option('--operations <age>', 'keep operations younger than this, and what they name (90d)')
    .addHelpText(
      'after',
      `
Everything that a ref reaches is kept: forks, exports and labels included. What was undone, removed or rewritten is
kept as long as the operation that did it. This cannot be undone; sess gc -n shows what would be removed.`,
    )
    .action(
      act(async (call, options: Options) => {
        const { io, config } = call
        const grace = timeOf(call, options.grace ?? config.value('gc.grace'))
        const operations = timeOf(call, options.operations ?? config.value('gc.operations'))
        let done: Parameters<NonNullable<Parameters<typeof gc>[1]['onProgress']>> = ['looking', 0]
        const step = (): Step => ({ text: `${done[0]}: ${counted(done[1], 'entry', 'entries')}` })
        const onProgress = (...now: typeof done): void => {
          done = now
        }
        const repo = await call.repo()
        const did = await during(call, step, () => gc(repo, { grace, operations, onProgress }))
        if (io.json) await io.data(did)
        else for (const line of gcLines(did)) await io.print(...line)
      }),
    )
  examples(command, [
    ['sess gc -n', 'show what would be removed, and why'],
    ['sess gc', 'remove it, and pack the rest'],
    ['sess gc --operations now --grace now', 'keep only what refs reach'],
  ])
}
