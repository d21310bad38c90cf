import type { Place } from './keep.ts'

/** What the thread that holds the store is given: the store's folder, and what it answers by. */
export interface WorkerData {
  readonly dir: string
  /** Set to 1 once the answer is sent. */
  readonly flag: Int32Array
}

/** What is asked of it: where a session was left, to keep where one stands, or to follow a file when there is time. */
export interface Request {
  readonly ask: 'leaf' | 'keep' | 'follow'
  readonly place: Place
}

/** What it answers at once: a leaf as `leafOf` gives it, or why there is none. */
export interface Reply {
  readonly leaf?: string | null | undefined
  readonly failed?: string
}

/** What it says of its own: how many times it was asked to follow when nothing more waited, or what went wrong. */
export interface Notice {
  readonly done?: number
  readonly failed?: string
}
