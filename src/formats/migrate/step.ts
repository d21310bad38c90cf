import type { JsonObject } from '../../model/json.ts'

/** What a session file can be turned from or into. `v1` to `v4` are versions of pi. */
export type Shape = 'v1' | 'v2' | 'v3' | 'v4' | 'index-tree' | 'uuid-tree' | 'dash' | 'rollouts'

/** A record of a file that is turned into another. */
export interface Item {
  readonly value: JsonObject
  /** The number that its agent's loader gives it, the header's being 0; undefined where that skips it. */
  readonly index?: number
}

/** Turns the records of a file of one shape, its header first, into those of another. The same records give the same. */
export interface Step {
  readonly from: Shape
  readonly to: Shape
  readonly migrate: (items: readonly Item[]) => Iterable<JsonObject>
}
