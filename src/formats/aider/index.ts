import type { Format, Sample } from '../format.ts'
import { headText } from '../headtext.ts'
import { reader } from './read.ts'
import { split } from './split.ts'
import { view } from './view.ts'

/** The chat history that Aider leaves in a project: Markdown, one chat behind the other. */
export const aider: Format = {
  name: 'aider',
  dialect: 'aider',
  reading: 1,
  conversational: true,
  detect: ({ head }: Sample) => /^# aider chat started at \d{4}-/m.test(headText(head)),
  splitter: split,
  projectLevels: (name) => (name === '.aider.chat.history.md' ? 0 : undefined),
  reader,
  view,
}
