import type { Format, ParsedEntry, RecordIndex } from '../../src/formats/core/format.ts'
import type { View } from '../../src/model/view.ts'

/** Reads a text as a format does, and gives what the entries of its active path mean, in order. */
export function readBack({ splitter, reader, view }: Omit<Format, 'writer'>, text: string): View[] {
  const split = splitter()
  const units = [...split.push(new TextEncoder().encode(text)), ...split.end().units]
  const read = reader('written.jsonl')
  const entries = units.map((unit) => read.read(unit).entry)
  const views: View[] = []
  for (let at: RecordIndex | null = read.active(); at !== null; ) {
    const { type, body, parent } = entries[at] as ParsedEntry
    views.unshift(view(type.slice(type.indexOf('/') + 1), body))
    at = parent
  }
  return views
}
