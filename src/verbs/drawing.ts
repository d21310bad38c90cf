import type { GraphEntry, GraphHeading } from '../ops/graphentry.ts'
import type { Output } from './verb.ts'
import { drawnData, graphEntrySchema } from './wire.ts'

/** An entry of a graph: its JSON leaves the view out. */
export const drawnOutput: Output<GraphEntry> = { schema: graphEntrySchema, wire: drawnData }

/** A part of a drawing: the heading of a graph, or one of its entries. */
export type DrawingPart = GraphHeading | GraphEntry

/** Yields the entries of a drawing. */
export async function* entriesIn(drawing: AsyncIterable<DrawingPart>): AsyncGenerator<GraphEntry> {
  for await (const part of drawing) if (!('sessions' in part)) yield part
}
