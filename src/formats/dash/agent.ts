import type { Agent } from '../agent.ts'

/** Dash: it opens a file that a program or its server names, and knows no command for that. */
export const agent: Agent = {
  title: 'Dash',
  resume: () => [],
  opens: ({ path }) => `open the file in a program on Dash: SessionTree.open(${JSON.stringify(path)})`,
  anywhere: true,
}
