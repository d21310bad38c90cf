import type { Format } from '../format.ts'
import { agent, agentOfFiles } from './agent.ts'
import { detect } from './detect.ts'
import { files } from './files.ts'
import { OpenCodeReader } from './read.ts'
import { rows } from './rows.ts'
import { splitter } from './split.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/** The sessions of OpenCode: what it exports, the files that it kept them in, and the rows of its database. */
export const opencode: Format = {
  name: 'opencode',
  dialect: 'opencode',
  reading: 1,
  conversational: true,
  rewrittenWhole: true,
  detect,
  splitter,
  reader: () => new OpenCodeReader(),
  view,
  writer,
  agent,
  variants: {
    'opencode-files': { writer: files, agent: agentOfFiles },
    'opencode-database': { writer: rows },
  },
}
