import type { Agent } from '../agent.ts'

/** OpenCode: it takes sessions from a file into its database. */
export const agent: Agent = {
  title: 'OpenCode',
  take: ({ path }) => ['opencode', 'import', path],
  resume: ({ id }) => ['opencode', '--session', id],
}

/** OpenCode before 2026: it finds the files of a session where they are. */
export const agentOfFiles: Agent = { title: agent.title, resume: (session) => agent.resume(session) }
