import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import { agent } from './agent.ts'
import { detect } from './detect.ts'
import { rolloutsReader } from './read.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/** The sessions of rollouts: JSONL files with a header, and the `messages.jsonl` of session folders. */
export const rollouts: Format = {
  name: 'rollouts',
  dialect: 'rollouts',
  reading: 1,
  conversational: true,
  detect,
  splitter: lines,
  reader: rolloutsReader,
  view,
  writer,
  agent,
}
