import { OPAQUE } from '../../model/view.ts'
import type { Facts, Format } from './format.ts'
import { jsonDocument } from './jsondocument.ts'
import type { Sample } from './sample.ts'

/** A kind of file that an agent keeps next to its sessions. */
interface Sidecar {
  readonly name: string
  readonly detect: (sample: Sample) => boolean
  /** Returns the facts in the names of the file and its folder. */
  readonly facts?: (name: string, folder?: string) => Facts
}

/** Returns the format of a sidecar file: its bytes are kept and exported; it is no conversation. */
export const sidecar = ({ name, detect, facts = () => ({}) }: Sidecar): Format => ({
  name,
  dialect: name,
  reading: 1,
  conversational: false,
  detect,
  splitter: jsonDocument,
  reader: (file, folder) => ({
    read: () => ({}),
    active: () => null,
    facts: () => facts(file, folder),
  }),
  view: () => OPAQUE,
})

/** Returns the folder that has the name of a file of JSON lines; undefined of other files. */
export const folderNamedLike = (name: string): string | undefined =>
  name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) || undefined : undefined

/** Returns the name of a file of JSON lines with another ending; nothing of other files. */
export const fileNamedLike = (name: string, ending: string): readonly string[] => {
  const stem = folderNamedLike(name)
  return stem === undefined ? [] : [`${stem}${ending}`]
}

/** Returns whether a file is none of JSON lines: those are sessions of their own. */
export const isNoTranscript = (path: string): boolean => !path.endsWith('.jsonl')
