import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import { agent } from './agent.ts'
import { detect } from './detect.ts'
import { reader } from './read.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/** Codex CLI: `sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl` of 2025-05 and later. */
export const codex: Format = {
  name: 'codex',
  dialect: 'codex',
  reading: 1,
  conversational: true,
  detect,
  splitter: lines,
  reader,
  view,
  writer,
  agent,
}
