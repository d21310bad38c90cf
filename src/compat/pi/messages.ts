import type { AgentPosition } from '../../library/types.ts'

/** The data of the thread that holds the store: the store's folder, and the flag of its replies. */
export interface StoreThreadData {
  readonly dir: string
  /** Set to 1 once the answer is sent. */
  readonly flag: Int32Array
}

/** A request to the thread: for the leaf that was kept, to keep one, or to follow a file when there is time. */
export interface StoreRequest {
  readonly ask: 'leaf' | 'keep' | 'follow'
  /** The number of a request that is waited for. */
  readonly number?: number
  readonly place: AgentPosition
}

/** The reply to `leaf` and `keep`: the id of a leaf as the store has it, or the reason why there is none. */
export interface StoreReply {
  readonly leaf?: string | null | undefined
  readonly failed?: string
  /** The number of the request. */
  readonly number?: number | undefined
}

/** A message of the thread: the number of requests that are done once the queue is empty, or an error. */
export interface StoreNotice {
  readonly done?: number
  readonly failed?: string
}
