import { type Agent, below } from '../agent.ts'

/** Codex CLI: it looks for a session by the id in the name of its file. */
export const agent: Agent = {
  title: 'Codex',
  locate: (place, variables) => below(variables, 'CODEX_HOME', '.codex', place),
  resume: ({ id }) => ['codex', 'resume', id],
}
