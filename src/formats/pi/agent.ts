import type { Agent } from '../agent.ts'

/** pi: it takes the file itself. */
export const agent: Agent = {
  title: 'pi',
  resume: ({ path }) => ['pi', '--session', path],
  anywhere: true,
}
