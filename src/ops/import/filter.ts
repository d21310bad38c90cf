import type { Facts, Format } from '../../formats/core/format.ts'
import { type Sample, unitsIn } from '../../formats/core/sample.ts'
import { isOfAgent } from '../../formats/registry.ts'
import { folderOf, isWithin } from '../../model/paths.ts'
import type { Reader } from '../../repo/reader.ts'
import { findSession, foldersOf } from '../../repo/session.ts'
import { ProjectFolders } from '../../sources/projectfolders.ts'
import type { Imported } from './result.ts'
import { withProject } from './sourceproject.ts'

/** Restricts an import to some files. */
export interface ImportFilter {
  /** Those of this format: its name or its dialect. */
  readonly format?: string
  /** Those that were written to at this time or later, in milliseconds since 1970. */
  readonly since?: number
  /** Those of sessions in this folder and in the folders below it, absolute. */
  readonly cwd?: string
}

/** Returns whether a filter lets a file through that has not changed since it was last read. */
export async function isKnownWanted(
  reader: Reader,
  { format, session }: Imported,
  wanted: ImportFilter,
): Promise<boolean> {
  const { cwd } = wanted
  if (wanted.format !== undefined && !isOfAgent(format, wanted.format)) return false
  if (cwd === undefined) return true
  const meta = (await findSession(reader, session))?.meta
  return meta !== undefined && foldersOf(meta).some((folder) => isWithin(folder, cwd))
}

/** Returns whether a filter lets a file through, by its beginning. */
export function isWanted(format: Format, sample: Sample, path: string, wanted: ImportFilter): boolean {
  if (wanted.format !== undefined && !isOfAgent(format.name, wanted.format)) return false
  const { cwd } = wanted
  if (cwd === undefined) return true
  const names = [sample.folder, ...(sample.above ?? [])]
  if (format.projectFolder && names.includes(format.projectFolder.name(cwd))) return true
  const { cwd: last, folders = [last] } = withProject(
    factsIn(format, sample, path),
    format,
    path,
    new ProjectFolders(),
  )
  return folders.some((folder) => folder !== undefined && isWithin(folder, cwd))
}

/** Returns the facts that the beginning of a session shows, or its path. */
function factsIn(format: Format, sample: Sample, path: string): Facts {
  const reader = format.reader(sample.name, sample.folder, sample.above)
  for (const unit of unitsIn(sample, format)) reader.read(unit)
  const project = projectOf(format, sample, path)
  return { ...(project !== undefined && { cwd: project }), ...reader.facts() }
}

/** Returns the folder of the project that a file belongs to, where its format keeps sessions in that folder. The path is absolute. */
export function projectOf(
  { projectLevels: project }: Format,
  { name, folder }: Pick<Sample, 'name' | 'folder'>,
  path: string,
): string | undefined {
  const levels = project?.(name, folder)
  return levels === undefined ? undefined : folderOf(path, levels)
}
