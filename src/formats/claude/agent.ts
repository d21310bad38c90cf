import { type Agent, below } from '../agent.ts'

/** Claude Code: it looks for a session in the folder of the project that it is started in. */
export const agent: Agent = {
  title: 'Claude Code',
  locate: (place, variables) => below(variables, 'CLAUDE_CONFIG_DIR', '.claude', place),
  resume: ({ id }) => ['claude', '--resume', id],
}
