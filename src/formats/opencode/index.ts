import { defineFormat } from '../core/define.ts'
import type { Agent } from '../core/format.ts'
import { ENTRIES } from './entries.ts'
import { OpenCodeReader } from './read.ts'
import { detect, splitter } from './split.ts'
import { files, rows, writer } from './write.ts'

/** OpenCode: it takes sessions from a file into its database. */
const agent: Agent = {
  title: 'OpenCode',
  take: ({ path }) => ['opencode', 'import', path],
  resume: ({ id }) => ['opencode', '--session', id],
}

/** OpenCode before 2026: it finds the files of a session where they are. */
const agentOfFiles: Agent = { title: agent.title, resume: (session) => agent.resume(session) }

/** The sessions of OpenCode: what it exports, the files that it kept them in, and the rows of its database. */
export const opencode = defineFormat({
  name: 'opencode',
  rewrittenWhole: true,
  detect,
  splitter,
  reader: () => new OpenCodeReader(),
  entries: ENTRIES,
  writer,
  agent,
  variants: {
    'opencode-files': { writer: files, agent: agentOfFiles },
    'opencode-database': { writer: rows },
  },
})
