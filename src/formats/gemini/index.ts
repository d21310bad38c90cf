import type { Format } from '../format.ts'
import { agent } from './agent.ts'
import { detect } from './detect.ts'
import { geminiReader } from './read.ts'
import { splitter } from './split.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/** Gemini CLI: `tmp/<project>/chats/session-<time>-<id>.jsonl`, the `.json` files before them, and its checkpoints. */
export const gemini: Format = {
  name: 'gemini-cli',
  dialect: 'gemini',
  reading: 1,
  conversational: true,
  // The old documents are written anew with every change.
  rewrittenWhole: true,
  detect,
  splitter,
  reader: geminiReader,
  view,
  writer,
  agent,
}
