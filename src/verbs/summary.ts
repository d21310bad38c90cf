import type { SummaryOptions } from '../ops/summarize.ts'
import type { VerbContext } from './open.ts'

/** Returns where a summary comes from: the text, else the summarizer of the call, else a digest. */
export const summaryOf = (
  { signal, summarize }: VerbContext,
  summary: string | undefined,
): SummaryOptions => ({
  ...(signal && { signal }),
  ...(summary !== undefined ? { summary } : summarize && { summarize }),
})
