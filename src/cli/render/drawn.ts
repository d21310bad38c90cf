import type { Drawn } from '../../ops/log/drawn.ts'
import { type EntryData, entryData } from './entry.ts'

/** An entry of a graph as JSON: an entry, and its edges. */
export type DrawnData = EntryData & Pick<Drawn, 'edges' | 'open' | 'refs' | 'head' | 'compacts'>

/** Returns an entry of a graph as JSON. */
export function drawnData(entry: Drawn): DrawnData {
  const { edges, open, refs, head, compacts } = entry
  return { ...entryData(entry), edges, open, refs, head, compacts }
}
