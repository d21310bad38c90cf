// The time until an agent has an answer of `sess mcp`, against a server of the same package that has nothing to do.
import { fileURLToPath } from 'node:url'
import { inTurns } from '../measure.mjs'
import { manySessions } from './sessions.mjs'

const pathOf = (name) => fileURLToPath(new URL(`../work/${name}`, import.meta.url))

const row = ({ size }, name, answers) => ({
  name: `sess mcp, from its start to ${name}, a store of ${size.sessions} sessions`,
  peer: 'a server of the same package with one empty tool',
  unit: 'ms',
  limit: 'times',
  run(bench) {
    const { store } = manySessions(bench)
    const asked = (words) => Number(bench.run(process.execPath, [pathOf('askmcp.mjs'), answers, ...words]))
    return inTurns(
      bench.times(11),
      () => asked(bench.sessWords(store, 'mcp')),
      () => asked([pathOf('emptymcp.mjs')]),
    )
  },
})

/** The rows on the server of tools. */
export const mcpRows = (bench) => [
  row(bench, 'its first answer', 1),
  row(bench, 'the answer of its first tool', 2),
]
