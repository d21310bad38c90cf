import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { SourceContent } from './content.ts'
import { chunksOf, type FileStat, statOf } from './files.ts'
import type { Scratch } from './scratch.ts'

/** Files that are one session. */
export interface FileBundle {
  /** Under which the store remembers it. */
  readonly path: string
  readonly name: string
  /** The folder that their paths are relative to. */
  readonly root: string
  /** Their paths from there, with `/`, in the order in which they are read. */
  readonly files: () => readonly string[]
}

const utf8 = new TextEncoder()

/**
 * Gives files as one stream: before the bytes of each a line of JSON with its path and how many bytes follow. Equal files
 * give equal bytes.
 */
export function bundleContent({ path, name, root, files }: FileBundle, scratch: Scratch): SourceContent {
  return {
    path,
    name,
    folder: root,
    packing: 'folder',
    stat: () => statOfAll(root, files()),
    open: () => scratch.keep(stream(root, files())),
  }
}

async function* stream(root: string, files: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    const path = join(root, file)
    const { size } = statOf(path)
    yield utf8.encode(`${JSON.stringify({ file, bytes: size })}\n`)
    let left = size
    for await (const chunk of chunksOf(path, size)) {
      left -= chunk.length
      yield chunk
    }
    // A file that became shorter meanwhile is made up to what was said of it: the next import reads it again.
    if (left > 0) yield new Uint8Array(left)
  }
}

/** Gives one stat for all: any other file, or another stat of one, is another one of it. */
function statOfAll(root: string, files: readonly string[]): FileStat {
  const hash = createHash('sha256')
  let size = 0
  let mtime = 0
  for (const file of files) {
    const stat = statOf(join(root, file))
    hash.update(`${file}\0${stat.size}\0${stat.mtime}\0${stat.inode}\n`)
    size += stat.size
    mtime = Math.max(mtime, stat.mtime)
  }
  return { size, mtime, inode: hash.digest().readUIntBE(0, 6) }
}
