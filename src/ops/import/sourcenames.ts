import type { Sample } from '../../formats/format.ts'
import type { SessionMeta } from '../../repo/session.ts'

/** The names of the file that a session was first read from, and of the folders that it lies in. */
type Names = Required<Pick<Sample, 'name' | 'folder' | 'above'>>

/** Gives the names of the file and of the folders that a session was first read from. */
export const sourceNames = ({ path }: Pick<SessionMeta, 'path'>): Names => namesOf(path ?? '')

/** So many folders above the one that it lies in say something of a file. */
const ABOVE = 3

/** Gives the names of a file and of its folders, by its path. */
export function namesOf(path: string): Names {
  const [name = '', folder = '', ...above] = path.split(/[\\/]/).reverse()
  return { name, folder, above: above.slice(0, ABOVE) }
}
