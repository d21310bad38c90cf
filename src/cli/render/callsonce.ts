import type { LogEntry } from '../../verbs/types.ts'

/** The most entries that are held until their model call is over. */
const MAX_HELD = 64

/** Yields entries of a path, the oldest first, with the usage of each model call at its first entry alone. */
export async function* withCallsOnce(entries: AsyncIterable<LogEntry>): AsyncGenerator<LogEntry> {
  let held: LogEntry[] = []
  for await (const entry of entries) {
    const call = entry.view.usage?.call
    const open = held[0]?.view.usage?.call
    const isSame = call !== undefined && call === open
    const isOver = call === undefined ? entry.role === 'user' : !isSame
    if (open === undefined || isOver || held.length >= MAX_HELD) {
      yield* held
      held = []
    }
    const [first] = held
    if (isSame && first?.added && entry.added) {
      held[0] = { ...first, added: { ...first.added, now: entry.added.now } }
      const { added: _, ...rest } = entry
      held.push(rest)
    } else held.push(entry)
  }
  yield* held
}
