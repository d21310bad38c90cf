import type { EntryHandle } from '../../model/node.ts'
import { NO_SUMMARY, promptIn, type Summary, withoutView, withView } from '../../model/summary.ts'
import type { View } from '../../model/view.ts'
import type { Root } from './lacking.ts'

/** What a source says: its entries, each counted once, where its paths end, and what it all comes to. */
export class SourceEntries {
  /** The source's entries, but for those that an export wrote. */
  readonly entries = new Set<EntryHandle>()
  /** Those that no other entry of the source continues, in the order of the source. */
  readonly leaves = new Set<EntryHandle>()
  /** Those that others were put in the place of. */
  readonly #superseded = new Set<EntryHandle>()
  /** What they come to, and the first words of the user. */
  summary: Summary = NO_SUMMARY
  prompt: string | undefined
  /** The roots among what is new, and how many roots lack the parent that the source names. */
  readonly roots: Root[] = []
  lacking = 0

  /** Counts an entry unless it is counted already, as a leaf until something continues it. */
  add(handle: EntryHandle, parents: readonly EntryHandle[], view: View): void {
    for (const parent of parents) this.leaves.delete(parent)
    const back = this.#superseded.delete(handle)
    if (this.entries.has(handle) && !back) return
    this.entries.add(handle)
    this.leaves.add(handle)
    this.summary = withView(this.summary, view)
    this.prompt ??= promptIn(view)
  }

  /** Tells whether an entry stands, and nothing was put in its place. */
  stands(handle: EntryHandle): boolean {
    return !this.#superseded.has(handle)
  }

  /** Leaves an entry out that something else was put in the place of: what it continued may end a path again. */
  supersede(handle: EntryHandle, parents: readonly EntryHandle[], view: View): void {
    this.#superseded.add(handle)
    this.leaves.delete(handle)
    for (const parent of parents)
      if (this.entries.has(parent) && !this.#superseded.has(parent)) this.leaves.add(parent)
    this.summary = withoutView(this.summary, view)
  }
}
