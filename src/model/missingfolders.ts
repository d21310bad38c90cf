/** The calls of the system by which folders are made. */
export interface FolderCalls {
  /** Makes one folder. Throws where its parent is missing or where something has its name. */
  readonly make: (path: string) => void
  readonly isFolder: (path: string) => boolean
  /** Whether anything has the name. */
  readonly isThere: (path: string) => boolean
  readonly parentOf: (path: string) => string
}

/**
 * Makes a folder and those above it that are missing. Throws as `make`. Node's own option for that never returns where the
 * system takes no folder below one that is there, as in /proc.
 */
export function makeMissingFolders(path: string, { make, isFolder, isThere, parentOf }: FolderCalls): void {
  const missing: string[] = []
  for (let at = path; !isFolder(at); at = parentOf(at)) {
    if (missing.at(-1) === at || (at !== path && isThere(at))) break
    missing.push(at)
  }
  for (const folder of missing.reverse())
    try {
      make(folder)
    } catch (error) {
      // Another process may have made it.
      if (!isFolder(folder)) throw error
    }
}
