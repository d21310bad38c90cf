import type { Json, JsonObject } from '../../model/json.ts'
import type { Repair } from '../../model/repair.ts'
import type { View } from '../../model/view.ts'

/** What stands in a context, as `graph/context.ts` gives it: the parts of it that matter here. */
export interface Item<N> {
  readonly node: N
  readonly part: string
  readonly view: View
}

/** A message or an item of a request, as the API takes it. */
export interface Piece {
  readonly value: Json
  /** How much it says, as `tokensOf` of a view counts it. */
  readonly tokens: number
}

/** The part of a request to a model's API that a context makes: always one that the API takes. */
export interface Request<N> {
  readonly value: JsonObject
  /** What the value is made of, in the order in which the model reads it. */
  readonly pieces: readonly Piece[]
  readonly repairs: readonly Repair<N>[]
}
