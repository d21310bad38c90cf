import { dirname, join } from 'node:path'
import { type FileStat, filesBelow, isCredential, kindOf, nameOf, statOf } from './files.ts'

/** A file that lies beside a session's. */
export interface SidecarFile {
  /** Its path from the folder of the session's file, with `/`; without the steps up where it lies above. */
  readonly name: string
  readonly path: string
  readonly stat: FileStat
}

/** Where the files beside a session's lie, and which are its own. */
export interface SidecarFolder {
  /** From the folder of the session's file; of that itself ('') and of those above it, what is below is not looked at. */
  readonly folder: string
  /** Whether what is below is looked at all the same. */
  readonly own?: boolean | undefined
  /** Tells by its path from there whether a file is the session's. */
  readonly holds: (path: string) => boolean
}

const TRANSCRIPT = '.jsonl'

/**
 * Gives the files beside a session's file that are its own: what lies in a folder with the name of another session there
 * is that one's, and credentials are nobody's. What cannot be read, or goes meanwhile, is left out: the next import
 * looks again.
 */
export function sidecarFiles(path: string, { folder, own = false, holds }: SidecarFolder): SidecarFile[] {
  const root = join(dirname(path), folder)
  if (kindOf(root) !== 'folder') return []
  const found = [...filesBelow(root, { flat: !own && /^(?:\.\.(?:\/|$))*$/.test(folder) })].filter(
    ({ error }) => !error,
  )
  const start = join(root, 'x').length - 1
  const nameFrom = (file: string): string => file.slice(start).replaceAll('\\', '/')
  const owners = new Set(
    found.flatMap((file) => (file.path.endsWith(TRANSCRIPT) ? [stemOf(nameFrom(file.path))] : [])),
  )
  const isAnothers = (name: string): boolean =>
    [...name.matchAll(/\//g)].some(({ index }) => owners.has(name.slice(0, index)))
  const prefix = folder.replace(/^(?:\.\.(?:\/|$))+/, '')
  return found.flatMap(({ path: file, size, mtime, inode }) => {
    const name = nameFrom(file)
    if (file === path || isCredential(nameOf(file)) || !holds(name) || isAnothers(name)) return []
    return [{ name: prefix === '' ? name : `${prefix}/${name}`, path: file, stat: { size, mtime, inode } }]
  })
}

const stemOf = (name: string): string => name.slice(0, -TRANSCRIPT.length)

/** Gives those of some files in the folder of a session's file that are there. */
export const namedSidecarFiles = (path: string, names: readonly string[]): SidecarFile[] =>
  names.flatMap((name) => {
    const file = join(dirname(path), name)
    return kindOf(file) === 'file' ? [{ name, path: file, stat: statOf(file) }] : []
  })

/** A folder of blobs is looked for in so many folders above a session's file. */
const ABOVE = 6

/** Gives the folders in which an agent may keep files under the SHA-256 of their bytes: `blobs`, above a session's file. */
export function blobFolders(path: string): string[] {
  const folders: string[] = []
  let folder = dirname(path)
  for (let step = 0; step < ABOVE; step++, folder = dirname(folder)) folders.push(join(folder, 'blobs'))
  return folders.filter((blobs, i) => blobs !== folders[i - 1] && kindOf(blobs) === 'folder')
}

/** Gives the file of a hash in the first of some folders that has it. */
export function findBlob(folders: readonly string[], sha256: string): SidecarFile | undefined {
  const path = folders.map((folder) => join(folder, sha256)).find((file) => kindOf(file) === 'file')
  return path === undefined ? undefined : { name: blobName(sha256), path, stat: statOf(path) }
}

/** Gives the name that such a file has beside its session. */
export const blobName = (sha256: string): string => `blobs/${sha256}`
