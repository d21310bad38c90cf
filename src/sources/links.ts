import { realpathSync, statSync } from 'node:fs'
import { isWithin } from '../model/paths.ts'
import { type FoundFile, filesBelow, isCredential, nameOf } from './files.ts'

/** The most files that are looked at below a symbolic link. */
const MAX_LINKED_FILES = 100_000

/** The files behind a symbolic link, by their paths through it; undefined where it is not followed. */
type LinkedFiles = readonly FoundFile[] | undefined

/**
 * Follows symbolic links at the places of agents: those that lead to a file or a folder of the same user below the home
 * folder. Each real file is found once, under its own path where that is searched too. Links behind links are not followed.
 */
export class FollowedLinks {
  readonly #home: string | undefined
  readonly #user = process.getuid?.()
  /** The real paths of the files that were found. */
  readonly #found: Set<string>

  /** Begins with the files that were found without links, and the folders in which they were looked for. */
  constructor(
    home: string,
    folders: readonly { readonly folder: string; readonly files: readonly FoundFile[] }[],
  ) {
    this.#home = realOf(home)
    this.#found = new Set()
    for (const { folder, files } of folders) {
      const real = realOf(folder)
      if (real !== undefined) for (const { path } of files) this.#found.add(real + path.slice(folder.length))
    }
  }

  /** Returns the files behind a link that were not found yet. */
  follow(link: string): LinkedFiles {
    const real = realOf(link)
    if (real === undefined || !this.#isAllowed(link, real)) return undefined
    const stat = statSync(real)
    if (!stat.isDirectory()) {
      const file = { path: link, size: stat.size, mtime: stat.mtimeMs, inode: stat.ino }
      return isCredential(nameOf(real)) ? undefined : this.#fresh([file], link, real)
    }
    const files: FoundFile[] = []
    for (const file of filesBelow(link)) if (files.push(file) > MAX_LINKED_FILES) return undefined
    return this.#fresh(files, link, real)
  }

  #isAllowed(link: string, real: string): boolean {
    const stat = statSync(real)
    const from = realOf(link.slice(0, -nameOf(link).length)) ?? link
    return (
      (stat.isDirectory() || stat.isFile()) &&
      (this.#user === undefined || stat.uid === this.#user) &&
      this.#home !== undefined &&
      real !== this.#home &&
      isWithin(real, this.#home) &&
      // A link to a folder that contains it leads back to itself.
      !isWithin(from, real)
    )
  }

  #fresh(files: readonly FoundFile[], link: string, real: string): readonly FoundFile[] {
    return files.filter(({ path }) => {
      const at = real + path.slice(link.length)
      if (this.#found.has(at)) return false
      this.#found.add(at)
      return true
    })
  }
}

/** Returns a path without links; undefined where it leads nowhere, or cannot be followed. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined
    throw error
  }
}
