import type { Format } from '../../formats/core/format.ts'
import { type Sample, unitsIn } from '../../formats/core/sample.ts'
import { isOfAgent } from '../../formats/registry.ts'
import { folderOf, isWithin } from '../../model/paths.ts'
import type { Reader } from '../../repo/reader.ts'
import { findSession, foldersOf } from '../../repo/session.ts'
import type { Imported } from './result.ts'

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
  const found = foldersIn(format, sample)
  const folders = found.length > 0 ? found : [projectOf(format, sample, path) ?? []].flat()
  return folders.some((folder) => isWithin(folder, cwd))
}

/** Returns the folders that the beginning of a session names. */
function foldersIn(format: Format, sample: Sample): readonly string[] {
  const reader = format.reader(sample.name, sample.folder, sample.above)
  for (const unit of unitsIn(sample, format)) reader.read(unit)
  const { cwd, folders = cwd === undefined ? [] : [cwd] } = reader.facts()
  return folders
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
