import type { Sample } from '../formats/format.ts'
import type { Meta } from '../repo/session.ts'

/** Gives the names of the file and of the folder that a session was first read from. */
export function sourceNames({
  path,
}: Pick<Meta, 'path'>): Pick<Sample, 'name'> & { readonly folder: string } {
  const [name = '', folder = ''] = (path ?? '').split(/[\\/]/).reverse()
  return { name, folder }
}
