import type { Facts, Format, ProjectFolderName } from '../../formats/core/format.ts'
import { folderOf } from '../../model/paths.ts'
import { parseJson } from '../../model/value.ts'
import { headOf, isFolder, kindWithin, statOf, unlessDenied, within } from '../../sources/files.ts'
import { type ProjectFolders, rootOf } from '../../sources/projectfolders.ts'
import { namesOf } from './source.ts'

/** The largest size of a file that names projects, in bytes, and of a path, in UTF-16 units. */
const MAX_NOTE = 4 << 20
const MAX_PATH = 4096

/**
 * Returns the facts of a file with the project in which its agent finds it: the one that the agent noted, or the one for
 * which the file's folder is named.
 */
export function withProject(
  facts: Facts,
  { projectFolder, projectNotes }: Pick<Format, 'projectFolder' | 'projectNotes'>,
  path: string,
  projects: ProjectFolders,
): Facts {
  const known = facts.folders ?? (facts.cwd === undefined ? [] : [facts.cwd])
  const cwd =
    (projectNotes && notedProject(path, projectNotes)) ??
    (projectFolder && namedProject(path, { ...facts, folders: known }, projectFolder, projects))
  if (cwd === undefined || cwd === facts.cwd) return facts
  return { ...facts, cwd, ...(known.length > 0 && { folders: [...known, cwd] }) }
}

/** Returns the project that the agent noted for a file. */
function notedProject(path: string, notes: NonNullable<Format['projectNotes']>): string | undefined {
  const { folder, above } = namesOf(path)
  for (const { file, project } of notes(folder, above)) {
    const text = textBeside(path, file)
    const found = text === undefined ? undefined : project(text)
    if (found !== undefined && isPath(found)) return found
  }
  return undefined
}

/** Returns whether a text is one absolute path. */
const isPath = (text: string): boolean =>
  text.length <= MAX_PATH && rootOf(text) !== '' && !/[\n\0]/.test(text)

/**
 * Returns the project for which the folder of a file is named, if its records name others only: the user may have renamed
 * both. A file further below, such as a sub-agent's, keeps a folder that exists.
 */
function namedProject(
  path: string,
  { cwd, folders }: Pick<Facts, 'cwd'> & Required<Pick<Facts, 'folders'>>,
  naming: ProjectFolderName,
  projects: ProjectFolders,
): string | undefined {
  const { folder, above } = namesOf(path)
  const names = [folder, ...above]
  const level = folders.length === 0 ? 0 : names.findIndex((name) => isProjectName(name, naming, folders))
  const name = names[level]
  if (name === undefined || folders.some((one) => naming.name(one) === name)) return undefined
  if (level > 0 && cwd !== undefined && isFolder(cwd)) return undefined
  return indexedProject(path, level, name, naming) ?? projects.find(name, naming.name, folders)
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
  const text = index && textBeside(path, '../'.repeat(level) + index.file)
  const value = text === undefined ? undefined : parseJson(text)?.value
  if (!index || value === undefined) return undefined
  return index.projects(value).find((project) => nameOf(project) === name && isFolder(project))
}

/** Returns the text of a small file that is named relative to the folder of another one; undefined if there is none. */
function textBeside(path: string, name: string): string | undefined {
  const folder = folderOf(path)
  if (folder === undefined) return undefined
  const bytes = unlessDenied(() => {
    if (kindWithin(folder, name) !== 'file') return undefined
    const file = within(folder, name)
    return statOf(file).size > MAX_NOTE ? undefined : headOf(file, MAX_NOTE)
  })
  return bytes && new TextDecoder().decode(bytes)
}
