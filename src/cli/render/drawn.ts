import type { Drawn } from '../../ops/log/drawn.ts'
import { type EntryData, entryData } from './entry.ts'

/** What scripts get of an entry of a graph: what they get of every entry, and where its lines lead. */
export type DrawnData = EntryData & Pick<Drawn, 'edges' | 'open' | 'refs' | 'head' | 'compacts'>

/** Gives what scripts get of an entry of a graph. */
export function drawnData(entry: Drawn): DrawnData {
  const { edges, open, refs, head, compacts } = entry
  return { ...entryData(entry), edges, open, refs, head, compacts }
}
