import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { SourceContent } from './content.ts'
import { chunksOf, type FileStat, type OnLink, statOf } from './files.ts'
import type { Scratch } from './scratch.ts'

/** Several files that make up one session. */
export interface FileBundle {
  /** The path under which the store records it. */
  readonly path: string
  readonly name: string
  /** The folder that the paths of the files are relative to. */
  readonly root: string
  /** Returns the relative paths of the files, with `/`, in the order in which they are read. Follows no links. */
  readonly files: (onLink?: OnLink) => readonly string[]
}

const utf8 = new TextEncoder()

/**
 * Returns files as one stream: for each a line of JSON with its path and size, then its bytes. Equal files make equal
 * streams.
 */
export function bundleContent({ path, name, root, files }: FileBundle, scratch: Scratch): SourceContent {
  return {
    path,
    name,
    folder: root,
    packing: 'folder',
    links(): string[] {
      const links: string[] = []
      files((link) => links.push(link))
      return links
    },
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
    // A file that became shorter meanwhile is padded to its announced size: the next import reads it again.
    if (left > 0) yield new Uint8Array(left)
  }
}

/** Returns one stat for several files. It differs where the list of files or any of their stats differs. */
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
