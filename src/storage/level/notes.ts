import { decodeStored } from '../../model/canonical.ts'
import type { SourceNote } from '../backend.ts'
import { wellFormed } from '../ioerrors.ts'
import { sourceKey } from './keys.ts'
import type { Table } from './keyvaluestore.ts'

/** Gives what was noted of a path, undefined where nothing was. */
export function readNote(table: Table, path: string): SourceNote | undefined {
  const content = table.content(sourceKey(path), `the note on ${path}`)
  return content && decodeNote(content, path)
}

/** Gives the note on a path that bytes hold. Throws `corrupt`. */
export const decodeNote = (content: Uint8Array, path: string): SourceNote =>
  wellFormed(`the note on ${path}`, () => decodeStored(content) as SourceNote)
