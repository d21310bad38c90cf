import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import { agent } from './agent.ts'
import { detect } from './detect.ts'
import { ClaudeReader } from './read.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/** Claude Code: one record a line in `projects/<folder>/<session>.jsonl`. */
export const claude: Format = {
  name: 'claude-code',
  dialect: 'claude',
  reading: 1,
  conversational: true,
  detect,
  splitter: lines,
  reader: (name) => new ClaudeReader(name),
  view,
  writer,
  agent,
}
