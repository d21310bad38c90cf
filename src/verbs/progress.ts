/** Amounts of work by what is counted; `bytes` are bytes of files. */
export type Amounts = {
  readonly [what in 'entries' | 'sessions' | 'records' | 'places' | 'files' | 'bytes']?: number
}

/** How far the work of a verb is. */
export interface Progress {
  /** The step of the work: `checking`, `importing`. */
  readonly step: string
  /** How much is done so far. */
  readonly done: Amounts
  /** How much there is to do in all, where that is known. */
  readonly of?: Amounts
}
