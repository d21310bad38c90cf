import type { Agent } from '../agent.ts'

/** rollouts: it looks for a session by its id. */
export const agent: Agent = { title: 'rollouts', resume: ({ id }) => ['rollouts', '-s', id] }
