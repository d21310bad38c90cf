import type { Format } from '../../formats/core/format.ts'
import { type Sample, unitsIn } from '../../formats/core/sample.ts'
import { formatNamed } from '../../formats/registry.ts'
import { folderOf, isWithin } from '../../model/folder.ts'
import type { Reader } from '../../repo/reader.ts'
import { findSession } from '../../repo/session.ts'
import type { Imported } from './imported.ts'

/** Which files an import takes. */
export interface Wanted {
  /** Those of this format: its name or its dialect. */
  readonly format?: string
  /** Those that were written to at this time or later, in milliseconds since 1970. */
  readonly since?: number
  /** Those of sessions in this folder and in the folders below it, absolute. */
  readonly cwd?: string
}

/** Tells whether a file is wanted that is as it was when it was last read. */
export async function wantsKnown(
  reader: Reader,
  { format, session }: Imported,
  wanted: Wanted,
): Promise<boolean> {
  const { cwd } = wanted
  if (!isOf(formatNamed(format), wanted.format)) return false
  if (cwd === undefined) return true
  const at = (await findSession(reader, session))?.meta.cwd
  return typeof at === 'string' && isWithin(at, cwd)
}

/** Tells by its beginning whether a file is wanted. */
export function wants(format: Format, sample: Sample, path: string, wanted: Wanted): boolean {
  if (!isOf(format, wanted.format)) return false
  if (wanted.cwd === undefined) return true
  const cwd = cwdOf(format, sample) ?? projectOf(format, sample, path)
  return cwd !== undefined && isWithin(cwd, wanted.cwd)
}

const isOf = (format: Format | undefined, name: string | undefined): boolean =>
  name === undefined || format?.name === name || format?.dialect === name

/** Gives the folder that a session says it is of, where its beginning does. */
function cwdOf(format: Format, sample: Sample): string | undefined {
  const reader = format.reader(sample.name, sample.folder, sample.above)
  for (const unit of unitsIn(sample, format)) {
    reader.read(unit)
    const { cwd } = reader.facts()
    if (cwd !== undefined) return cwd
  }
  return reader.facts().cwd
}

/** Gives the project that a file lies in, where its format keeps sessions in the folder of work; a path is absolute. */
export function projectOf(
  { projectLevels: project }: Format,
  { name, folder }: Pick<Sample, 'name' | 'folder'>,
  path: string,
): string | undefined {
  const levels = project?.(name, folder)
  return levels === undefined ? undefined : folderOf(path, levels)
}
