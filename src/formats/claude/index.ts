import { stemFolder } from '../beside.ts'
import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import { agent } from './agent.ts'
import { detect } from './detect.ts'
import { ClaudeReader } from './read.ts'
import { usageIn, view } from './view.ts'
import { writer } from './write.ts'

/** The files of sub-agents are sessions of their own. */
const AGENT = /(?:^|\/)agent-[^/]*\.jsonl$/

/** Claude Code: one record a line in `projects/<folder>/<session>.jsonl`. */
export const claude: Format = {
  name: 'claude-code',
  dialect: 'claude',
  reading: 3,
  conversational: true,
  detect,
  splitter: lines,
  reader: (name) => new ClaudeReader(name),
  sidecars: { folder: stemFolder, holds: (path) => !AGENT.test(path) },
  view,
  usage: { assistant: usageIn },
  writer,
  agent,
}
