import { type Agent, below } from '../agent.ts'

/** pi: it takes the file itself. Where it is told to keep all sessions in one folder, they lie there side by side. */
export const agent: Agent = {
  title: 'pi',
  locate: (place, variables) =>
    variables.PI_CODING_AGENT_SESSION_DIR
      ? below(variables, 'PI_CODING_AGENT_SESSION_DIR', '', place.slice(-1))
      : below(variables, 'PI_CODING_AGENT_DIR', '.pi/agent', place),
  resume: ({ path }) => ['pi', '--session', path],
}
