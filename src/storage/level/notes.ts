import { decodeStored } from '../../model/canonical.ts'
import type { SourceNote } from '../backend.ts'
import { wellFormed } from '../ioerrors.ts'
import { sourceKey } from './keys.ts'
import type { KeyValueStore } from './keyvaluestore.ts'

/** Gives what was noted of a path, undefined where nothing was. */
export function readSourceNote(store: KeyValueStore, path: string): SourceNote | undefined {
  const content = store.getChecked(sourceKey(path), `the note on ${path}`)
  return content && decodeSourceNote(content, path)
}

/** Gives the note on a path that bytes hold. Throws `corrupt`. */
export const decodeSourceNote = (content: Uint8Array, path: string): SourceNote =>
  wellFormed(`the note on ${path}`, () => decodeStored(content) as SourceNote)
