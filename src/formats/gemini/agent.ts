import type { Agent } from '../agent.ts'

/** Gemini CLI: it looks in the folder of the project for a session by the beginning of the id in the name of its file. */
export const agent: Agent = {
  title: 'Gemini CLI',
  resume: ({ id }) => ['gemini', '--resume', id],
  perFolder: true,
}
