import type { Oid } from '../model/oid.ts'
import type { Row } from '../repo/backend.ts'

/** An entry of a source that continues no other one of it. */
export interface Root {
  readonly row: Row
  /** When it was said, in milliseconds since 1970. */
  readonly time: number | undefined
  /** The id of the parent that the source names and lacks. */
  readonly lacks: string | undefined
}

/** An entry whose source names a parent that it lacks. */
export interface Lacking {
  readonly session: string
  readonly root: Oid
  /** The id by which its source names the parent. */
  readonly native: string
  /** When it was said, in milliseconds since 1970. */
  readonly time: number | undefined
}
