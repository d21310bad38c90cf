/** What the floors above need of storage, so that they depend on the repo alone. */
export type {
  Backend,
  NewRecord,
  Operation,
  RefMove,
  RefValue,
  SourceNote,
  Transaction,
  Turn,
} from '../storage/backend.ts'
export type { Extent } from '../storage/extent.ts'
export { NO_ROW, type Row, type StoredRecord } from '../storage/record.ts'
export type { Forgotten, Kept } from '../storage/rewrite/kept.ts'
export { NEAR, type Node, type RowLinks } from '../storage/runs/run.ts'
export { GROUP, groupStart } from '../storage/words/words.ts'
export type { WordSegment } from '../storage/words/wordsegment.ts'
