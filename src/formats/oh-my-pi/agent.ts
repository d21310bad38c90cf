import type { Agent } from '../agent.ts'

/** oh-my-pi: it takes the file itself, in whichever of its folders that lies. */
export const agent: Agent = {
  title: 'oh-my-pi',
  resume: ({ path }) => ['omp', '--resume', path],
  anywhere: true,
}
