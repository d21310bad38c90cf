import type { Drawn, Heading } from '../../ops/drawn.ts'
import { FILTERS, type Filter } from '../../ops/filter.ts'
import { forest, tree } from '../../ops/tree.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { choice, count } from '../options.ts'
import { drawnData } from '../render/drawn.ts'
import { printGraph } from '../graph.ts'

interface Options {
  readonly limit?: number
  readonly filter: Filter
  readonly all?: boolean
  readonly cwd?: string
  readonly everywhere?: boolean
  readonly ascii?: boolean
}

/** `sess tree`: draws sessions as trees. */
export const define: Define = (command, act) => {
  command
    .argument('[session]', 'its id, title, or a prefix of its id', '@')
    .option('--filter <what>', `what is drawn between forks: ${FILTERS.join(', ')}`, choice(FILTERS), 'default')
    .option('-n, --limit <n>', 'draw at most N entries', count)
    .option('--all', 'draw all sessions of this folder, forks where they part from what they share')
    .option('--cwd <dir>', 'with --all: those of another folder')
    .option('--everywhere', 'with --all: those of the whole store')
    .option('--ascii', 'draw with ASCII characters alone')
}
