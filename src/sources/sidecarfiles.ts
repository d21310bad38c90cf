import { dirname, join } from 'node:path'
import { type FileStat, filesBelow, isCredential, kindWithin, nameOf, type OnLink, statOf } from './files.ts'

/** A file that belongs to a session, next to the session's file. */
export interface SidecarFile {
  /** Its path relative to the folder of the session's file, with `/`; without leading `..` steps. */
  readonly name: string
  readonly path: string
  readonly stat: FileStat
}

/** A folder with sidecar files of a session, and which of its files are some. */
export interface SidecarFolder {
  /** Relative to the folder of the session's file. Subfolders of that folder ('') and of those above it are not searched. */
  readonly folder: string
  /** Whether subfolders are searched in any case. */
  readonly own?: boolean | undefined
  /** Returns whether a file belongs to the session, by its path relative to the folder. */
  readonly holds: (path: string) => boolean
}

const TRANSCRIPT = '.jsonl'

/**
 * Returns the sidecar files of a session's file. Files in a folder named like another session belong to that session;
 * credentials are never included. Files that cannot be read or vanish are left out: the next import looks for them again.
 * Symbolic links are reported and not followed, because a folder from elsewhere could name any file by one.
 */
export function sidecarFiles(
  path: string,
  { folder, own = false, holds }: SidecarFolder,
  onLink: OnLink,
): SidecarFile[] {
  const root = join(dirname(path), folder)
  if (kindWithin(dirname(path), folder, onLink) !== 'folder') return []
  const start = join(root, 'x').length - 1
  const nameFrom = (file: string): string => file.slice(start).replaceAll('\\', '/')
  const flat = !own && /^(?:\.\.(?:\/|$))*$/.test(folder)
  // A link in a folder of several sessions is reported where it has the name of a sidecar file.
  const onOwnLink: OnLink = (link) => (flat && !holds(nameFrom(link)) ? undefined : onLink(link))
  const found = [...filesBelow(root, { flat, onLink: onOwnLink })].filter(({ error }) => !error)
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

/** Returns the files with some names in the folder of a session's file, as far as they exist. Follows no links. */
export const namedSidecarFiles = (path: string, names: readonly string[], onLink: OnLink): SidecarFile[] =>
  names.flatMap((name) => {
    const file = join(dirname(path), name)
    return kindWithin(dirname(path), name, onLink) === 'file'
      ? [{ name, path: file, stat: statOf(file) }]
      : []
  })

/** The number of folders above a session's file that are searched for a folder of blobs. */
const LEVELS = 6

/**
 * Returns the folders `blobs` above a session's file, in which an agent may keep files named by the SHA-256 of their
 * bytes. Follows no links.
 */
export function blobFolders(path: string, onLink: OnLink): string[] {
  const folders: string[] = []
  let folder = dirname(path)
  for (let step = 0; step < LEVELS && folder !== dirname(folder); step++, folder = dirname(folder))
    if (kindWithin(folder, 'blobs', onLink) === 'folder') folders.push(join(folder, 'blobs'))
  return folders
}

/** Returns the file of a hash from the first of some folders that has it, or undefined. Follows no links. */
export function findBlob(
  folders: readonly string[],
  sha256: string,
  onLink: OnLink,
): SidecarFile | undefined {
  const folder = folders.find((blobs) => kindWithin(blobs, sha256, onLink) === 'file')
  if (folder === undefined) return undefined
  const path = join(folder, sha256)
  return { name: blobName(sha256), path, stat: statOf(path) }
}

/** Returns the sidecar name of such a file. */
export const blobName = (sha256: string): string => `blobs/${sha256}`

/** Returns whether a sidecar name is that of such a file. */
export const isBlobName = (name: string): boolean => /^blobs\/[0-9a-f]{64}$/.test(name)
