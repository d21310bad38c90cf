import type { Agent } from '../agent.ts'

/** OpenCode: it takes sessions from a file into its database. */
export const agent: Agent = {
  title: 'OpenCode',
  take: ({ path }) => ['opencode', 'import', path],
  resume: ({ id }) => ['opencode', '--session', id],
}
