import type { Facts, Format, ProjectFolderName } from '../../formats/core/format.ts'
import { folderOf } from '../../model/paths.ts'
import { parseJson } from '../../model/value.ts'
import type { SessionState } from '../../repo/session.ts'
import { containerOf } from '../../sources/databases.ts'
import { headOf, isFolder, kindOf, kindWithin, statOf, unlessDenied, within } from '../../sources/files.ts'
import { type ProjectFolders, rootOf } from '../../sources/projectfolders.ts'
import { namesOf } from './source.ts'

/** The largest size of a file that names projects, in bytes. */
const MAX_INDEX = 4 << 20

/**
 * Returns the facts of a file with the project for which its folder is named, if its records name another one: the user
 * may have renamed both. A file further below, such as a sub-agent's, keeps a folder that exists.
 */
export function withProject(
  facts: Facts,
  { projectFolder }: Pick<Format, 'projectFolder'>,
  path: string,
  projects: ProjectFolders,
): Facts {
  if (!projectFolder) return facts
  const known = facts.folders ?? (facts.cwd === undefined ? [] : [facts.cwd])
  const { folder, above } = namesOf(path)
  const names = [folder, ...above]
  const level = known.length === 0 ? 0 : names.findIndex((name) => isProjectName(name, projectFolder, known))
  const name = names[level]
  if (name === undefined || known.some((one) => projectFolder.name(one) === name)) return facts
  if (level > 0 && facts.cwd !== undefined && isFolder(facts.cwd)) return facts
  const cwd =
    indexedProject(path, level, name, projectFolder) ?? projects.find(name, projectFolder.name, known)
  if (cwd === undefined) return facts
  return { ...facts, cwd, ...(known.length > 0 && { folders: [...known, cwd] }) }
}

/** Returns whether a name may be that of a project on the file system of some folders. */
function isProjectName(
  name: string,
  { name: nameOf }: ProjectFolderName,
  folders: readonly string[],
): boolean {
  return folders.some((folder) => {
    const root = rootOf(folder)
    return root !== '' && name.startsWith(nameOf(root))
  })
}

/** Returns the existing project that the index in a project's folder gives for the folder's name. */
function indexedProject(
  path: string,
  level: number,
  name: string,
  { name: nameOf, index }: ProjectFolderName,
): string | undefined {
  const folder = folderOf(path, level)
  if (!index || folder === undefined || kindWithin(folder, index.file) !== 'file') return undefined
  const file = within(folder, index.file)
  const bytes = unlessDenied(() => (statOf(file).size > MAX_INDEX ? undefined : headOf(file, MAX_INDEX)))
  const value = bytes && parseJson(new TextDecoder().decode(bytes))?.value
  if (value === undefined) return undefined
  return index.projects(value).find((project) => nameOf(project) === name && isFolder(project))
}

/** The names of compressed files, whose size does not show what they hold. */
const COMPRESSED = /\.(?:gz|zst)$/i

/**
 * Returns the path of a session whose source was read at a path: it stays where it was as long as the file there may hold
 * all of the session.
 */
export function pathAfter(
  known: Pick<SessionState, 'meta'> | undefined,
  { path, size }: { readonly path: string; readonly size: number },
): string {
  const former = known?.meta.path ?? path
  return former === path || mayHold(former, size) ? former : path
}

/** Returns whether what is at a path may hold a number of bytes of a session. */
export function mayHold(path: string, bytes: number): boolean {
  const container = containerOf(path)
  const held = unlessDenied(() => {
    const kind = kindOf(container)
    if (kind === 'missing' || kind === 'loop') return 0
    return kind === 'file' && container === path && !COMPRESSED.test(path) ? statOf(path).size : bytes
  })
  return held === undefined || (held >= bytes && held > 0)
}
