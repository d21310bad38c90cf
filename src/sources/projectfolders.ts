import { opendirSync } from 'node:fs'
import { dirname, isAbsolute, join, parse } from 'node:path'
import { isFolder, unlessDenied } from './files.ts'

/** The number of folders that are read for one name, and the number of entries of each. */
const MAX_FOLDERS = 64
const MAX_ENTRIES = 10_000

/** Returns the name that an agent gives the folder in which it keeps the sessions of a project, from the project's path. */
export type NameOfProject = (project: string) => string

/**
 * Finds projects by the names that agents derive from their paths. Only folders on the way to such a path are read, and
 * no links are followed. Results are kept, because the sessions of a project have the same name.
 */
export class ProjectFolders {
  readonly #found = new Map<string, string | undefined>()

  /**
   * Returns the one existing project with a name, near some folders: one above them, or a folder beside one of these or
   * below it. Undefined if there is none, or if several have the name.
   */
  find(name: string, nameOf: NameOfProject, near: readonly string[]): string | undefined {
    const starts = ancestorsOf(near)
    const key = [name, ...starts].join('\0')
    if (!this.#found.has(key)) this.#found.set(key, findFrom(starts, name, nameOf))
    return this.#found.get(key)
  }
}

/** Returns the name of the root of a path's file system, with which the names of all its projects begin. */
export const rootOf = (path: string): string => parse(path).root

/** Returns absolute folders and those above them, the nearest first, each once. */
function ancestorsOf(folders: readonly string[]): readonly string[] {
  const found = new Set<string>()
  for (const folder of folders)
    if (isAbsolute(folder)) for (let at = folder; !found.has(at); at = dirname(at)) found.add(at)
  return [...found].sort((a, b) => b.length - a.length)
}

function findFrom(starts: readonly string[], name: string, nameOf: NameOfProject): string | undefined {
  const leadsTo = (folder: string): boolean => {
    const prefix = nameOf(folder)
    return name.startsWith(prefix.endsWith('-') ? prefix : `${prefix}-`)
  }
  let left = MAX_FOLDERS
  for (const start of starts) {
    if (nameOf(start) === name && isFolder(start)) return start
    if (!leadsTo(start)) continue
    const [found, ahead]: [string[], string[]] = [[], [start]]
    for (let at = ahead.pop(); at !== undefined && left-- > 0; at = ahead.pop())
      for (const folder of foldersIn(at)) {
        if (nameOf(folder) === name) found.push(folder)
        else if (leadsTo(folder)) ahead.push(folder)
      }
    if (found.length > 0) return found.length === 1 ? found[0] : undefined
  }
  return undefined
}

/** Returns the folders in a folder; none of one that cannot be read. */
function foldersIn(folder: string): string[] {
  const found: string[] = []
  const entries = unlessDenied(() => opendirSync(folder))
  if (!entries) return found
  try {
    for (let count = 0; count < MAX_ENTRIES; count++) {
      const entry = entries.readSync()
      if (entry === null) break
      if (entry.isDirectory()) found.push(join(folder, entry.name))
    }
  } finally {
    entries.closeSync()
  }
  return found
}
