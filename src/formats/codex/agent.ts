import type { Agent } from '../agent.ts'

/** Codex CLI: it looks for a session by the id in the name of its file. */
export const agent: Agent = { title: 'Codex', resume: ({ id }) => ['codex', 'resume', id] }
