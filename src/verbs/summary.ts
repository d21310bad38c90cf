import { defined } from '../model/json.ts'
import type { SummaryOptions } from '../ops/summarize.ts'
import type { VerbContext } from './open.ts'

export { apart, type Preparation, type Summarizer, type SummaryOptions } from '../ops/summarize.ts'

/** Returns where a summary comes from: the text, else the summarizer of the call, else a digest. */
export const summaryOf = (
  { signal, summarize, instructions, summarySignal }: VerbContext,
  summary: string | undefined,
): SummaryOptions => ({
  ...defined({ signal: summarySignal ?? signal, instructions }),
  ...(summary !== undefined ? { summary } : summarize && { summarize }),
})
