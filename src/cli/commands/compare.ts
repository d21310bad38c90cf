import { comparisonLines } from '../../text/compare.ts'
import { compare } from '../../verbs/compare.ts'
import { present } from '../present.ts'

/** `sess compare`: compares branches side by side. */
export const command = present(compare, {
  paged: true,
  arguments: ['revisions'],
  help: `The lowest value wins; of equal values, the first. An unknown value never wins. A cost that no agent recorded is
computed by the list prices of models, and marked with ~.
A model call is counted once, however many entries report its usage.`,
  examples: [
    ['sess compare 3b1f/main 3b1f/at-1d9fca05', 'two branches since their merge base'],
    ['sess compare 3b1f c7d0 --metric tokens', 'the one with fewer tokens wins'],
    ['sess compare 3b1f c7d0 --whole', 'whole paths'],
  ],
  show: (comparison, { display }) => ({ render: () => comparisonLines(comparison, display) }),
})
