import type { FileStat } from './files.ts'

/** A source that can be read: a file that has its bytes. */
export interface OpenedSource {
  /** Where its bytes are. */
  readonly file: string
  /** How many. */
  readonly size: number
  /** Removes what was made to read it. */
  readonly close: () => void
}

/** How a source came, where its bytes are not the file's own: that file is kept beside them, or its files can be parted. */
export type Packing = 'gzip' | 'zstd' | 'folder' | 'rows'

/** Something to import: the bytes of a file, or what stands for a compressed file, some files, or rows. Cheap until it is opened. */
export interface SourceContent {
  /** Under which the store remembers it: the file's, or a container's with `#` and a name in it. */
  readonly path: string
  /** The name that its format is told: without the ending that says how it is compressed. */
  readonly name: string
  /** The name of the folder that it lies in. */
  readonly folder: string
  readonly packing?: Packing
  /** What tells whether it is as it was. The size is that of what stands on disk. */
  stat(): FileStat
  open(): Promise<OpenedSource>
}
