import { type FileStat, folderOf, nameOf, statOf } from './files.ts'

/** A source that can be read: a file that has its bytes. */
export interface Opened {
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
export interface Content {
  /** Under which the store remembers it: the file's, or a container's with `#` and a name in it. */
  readonly path: string
  /** The name that its format is told: without the ending that says how it is compressed. */
  readonly name: string
  /** The name of the folder that it lies in. */
  readonly folder: string
  readonly packing?: Packing
  /** What tells whether it is as it was. The size is that of what stands on disk. */
  stat(): FileStat
  open(): Promise<Opened>
}

/** Returns a file as something to import. */
export const fileContent = (path: string): Content => ({
  path,
  name: nameOf(path),
  folder: folderOf(path),
  stat: () => statOf(path),
  open: () => Promise.resolve({ file: path, size: statOf(path).size, close: () => undefined }),
})
