import { type FileStat, folderOf, nameOf, statOf } from './files.ts'
import type { SidecarFile } from './sidecarfiles.ts'

/** A source that can be read: a file that has its bytes. */
export interface OpenedSource {
  /** The path of the file with its bytes. */
  readonly file: string
  readonly size: number
  readonly close: () => void
}

/** The packing of a source whose bytes are not those of the file: compressed, several files, or rows of a database. */
export type Packing = 'gzip' | 'zstd' | 'folder' | 'rows'

/** The facts about a session in its container. Ids are those of its own system. */
export interface SessionAbout {
  readonly title?: string | undefined
  /** The session that started it. */
  readonly parent?: string | undefined
  /** The session in which it goes on. */
  readonly continuedIn?: string | undefined
}

/** A source to import: a file, a decompressed file, several files, or rows of a database. Nothing is read before `open`. */
export interface SourceContent {
  /** The path under which the store records it: of the file, or of a database or folder with `#` and a name in it. */
  readonly path: string
  /** The file name for the detection of the format, without the extension of the compression. */
  readonly name: string
  /** The name of the folder that contains it. */
  readonly folder: string
  readonly packing?: Packing
  /** The facts about its session in its container. */
  readonly about?: SessionAbout
  /** A sidecar file that is made of its container. */
  readonly beside?: SidecarFile
  /** Returns the symbolic links among its files, which are not followed. */
  links?(): readonly string[]
  /** Returns the stat that shows whether it changed. The size is that of the file on disk. */
  stat(): FileStat
  open(): Promise<OpenedSource>
}

/** Returns a file as something to import. */
export const fileContent = (path: string): SourceContent => ({
  path,
  name: nameOf(path),
  get folder() {
    return folderOf(path)
  },
  stat: () => statOf(path),
  open: () => Promise.resolve({ file: path, size: statOf(path).size, close: () => undefined }),
})
