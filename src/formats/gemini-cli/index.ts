import { defineFormat, entriesOf } from '../core/define.ts'
import type { Agent } from '../core/format.ts'
import { MESSAGE } from './fields.ts'
import { geminiReader } from './read.ts'
import { detect, splitter } from './split.ts'
import { view } from './view.ts'
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
  entries: entriesOf(['user', 'gemini'], MESSAGE, view),
  writer,
  agent,
})
