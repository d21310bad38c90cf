import { addNames, type UnknownNames } from '../../model/unknownnames.ts'
import { newestOf } from '../../model/version.ts'
import type { Imported } from './result.ts'

/** The types and fields of the records of one format, in the files of an import, that no reader knows. */
export interface UnknownOfFormat {
  readonly format: string
  /** The newest version of its agent that wrote such a file; null if none says it. */
  readonly version: string | null
  readonly unknown: UnknownNames
}

/** Returns what is not known in some files, by format, in the order of their names. */
export function unknownByFormat(
  files: readonly Pick<Imported, 'format' | 'version' | 'unknown'>[],
): UnknownOfFormat[] {
  const formats = [...new Set(files.flatMap(({ format, unknown }) => (unknown ? [format] : [])))].sort()
  return formats.map((format) => {
    const own = files.filter((file) => file.format === format && file.unknown)
    const unknowns = own.flatMap(({ unknown }) => unknown ?? [])
    const more = unknowns.reduce((sum, one) => sum + (one.more ?? 0), 0)
    return {
      format,
      version: newestOf(own.map(({ version }) => version)) ?? null,
      unknown: {
        types: addNames(unknowns.map(({ types }) => types)),
        fields: addNames(unknowns.map(({ fields }) => fields)),
        ...(more > 0 && { more }),
      },
    }
  })
}
