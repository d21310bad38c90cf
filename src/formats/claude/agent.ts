import type { Agent } from '../agent.ts'

/** Claude Code: it looks for a session in the folder of the project that it is started in. */
export const agent: Agent = {
  title: 'Claude Code',
  resume: ({ id }) => ['claude', '--resume', id],
  perFolder: true,
}
