import { defineFormat } from '../core/define.ts'
import type { Agent } from '../core/format.ts'
import { ENTRIES } from './entries.ts'
import { geminiReader } from './read.ts'
import { detect, splitter } from './split.ts'
import { writer } from './write.ts'

/** Gemini CLI: it looks in the folder of the project for a session by the beginning of the id in the name of its file. */
const agent: Agent = {
  title: 'Gemini CLI',
  resume: ({ id }) => ['gemini', '--resume', id],
  perFolder: true,
}

/** Gemini CLI: `tmp/<project>/chats/session-<time>-<id>.jsonl`, the `.json` files before them, and its checkpoints. */
export const gemini = defineFormat({
  name: 'gemini-cli',
  dialect: 'gemini',
  // The old documents are rewritten with every change.
  rewrittenWhole: true,
  detect,
  splitter,
  reader: geminiReader,
  entries: ENTRIES,
  writer,
  agent,
})
