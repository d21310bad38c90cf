import { treeDrawing, treeGraph } from '../../verbs/tree-graph.ts'
import { defineCommand } from '../define.ts'
import { flag } from '../parameters.ts'
import { outputOf } from '../present.ts'
import { printGraph } from '../render/graph.ts'

const { session, filter, limit, all, cwd, everywhere } = treeGraph.input

/** `sess tree`: draws sessions as trees. */
export const command = defineCommand({
  effect: treeGraph.effect,
  paged: true,
  arguments: { session },
  options: { filter, limit: { ...limit, short: 'n' }, all, cwd, everywhere, ascii: flag('draw in ASCII') },
  help: `The newest entry comes first. Stretches without forks are left out and counted (: 41 entries, 12 tools, 8.3k tok);
tokens are estimated. A session that was started from another one (sess run --parent, a fork, a sub-agent) has a line above
that names it. @ is where the session is, ● a prompt, ◆ a compaction, ○ any other entry.`,
  examples: [
    ['sess tree 3b1f', 'a session'],
    ['sess tree 3b1f --filter user-only', 'with all prompts'],
    ['sess tree --all', 'all sessions of this folder, with shared entries'],
    ['sess tree --everywhere -n 20 --ascii', 'the first 20 entries of all sessions, in ASCII'],
  ],
  output: outputOf('A line for each entry that is drawn.', treeGraph.output),
  run: async (call, { filter: asked = call.config.value('tree.filter'), limit: most, ascii, ...what }) => {
    const drawing = treeDrawing(await call.context(), { ...what, filter: asked }, call.io.colored)
    const headed = what.all || what.everywhere || what.cwd !== undefined
    await printGraph(call, drawing, {
      ascii,
      headed: headed || 'derived',
      ...(most !== undefined && { limit: most }),
    })
  },
})
