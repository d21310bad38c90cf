import { Option } from 'commander'
import { type CompareOptions, compare, METRICS, type Metric } from '../../ops/compare.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { comparisonLines } from '../render/compare.ts'

interface Options extends CompareOptions {
  readonly metric: Metric
}

/** `sess compare`: shows what branches took, beside each other. */
export const define: Define = (command, act) => {
  command
    .argument('<revisions...>', 'two or more sessions, branches or entries')
    .addOption(new Option('--metric <metric>', 'the metric that decides').choices(METRICS).default('cost'))
    .option('--whole', 'compare whole paths, not only what follows the merge base')
    .addHelpText(
      'after',
      `
The lowest value wins; of equal values, the first. An unknown value never wins.
A model call is counted once, however many entries report its usage.`,
    )
    .action(
      act(async (call, revisions: readonly string[], options: Options) => {
        const { io, world } = call
        const comparison = await compare(await call.repo(), revisions, options)
        if (io.json) await io.data(comparison)
        else
          for (const line of comparisonLines(comparison, { columns: io.columns, zone: world.zone }))
            await io.print(...line)
      }),
    )
  examples(command, [
    ['sess compare 3b1f/main 3b1f/at-1d9fca05', 'two branches since their merge base'],
    ['sess compare 3b1f c7d0 --metric tokens', 'the one with fewer tokens wins'],
    ['sess compare 3b1f c7d0 --whole', 'whole paths'],
  ])
}
