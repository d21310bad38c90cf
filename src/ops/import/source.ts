import type { Format, Sample } from '../../formats/format.ts'
import type { OpenedSource, Packing } from '../../sources/content.ts'
import type { FileStat } from '../../sources/files.ts'

/** A file to import. */
export interface Source extends OpenedSource {
  readonly path: string
  readonly stat: FileStat
  readonly packing?: Packing
  /** The symbolic links among its files, which are not followed. */
  readonly links: readonly string[]
  readonly sample: Sample
  readonly format: Format
  /** The id under which its session is looked for. */
  readonly native: string
  /** That id, the id of the session that the path was last read into, and the id of the one that was exported under it. */
  readonly ids: readonly string[]
  /** When it was looked at, in milliseconds since 1970. */
  readonly seen: number
}
