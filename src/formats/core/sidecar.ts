import { OPAQUE } from '../../model/view.ts'
import { document } from './jsondocument.ts'
import type { Facts, Format, Sample } from './format.ts'

/** A kind of file that an agent keeps beside its sessions. */
interface Sidecar {
  readonly name: string
  readonly detect: (sample: Sample) => boolean
  /** Returns what the file's names tell of it. */
  readonly facts?: (name: string, folder?: string) => Facts
}

/** Makes the format of files that agents keep beside sessions: kept and given back, and no conversation. */
export const sidecar = ({ name, detect, facts = () => ({}) }: Sidecar): Format => ({
  name,
  dialect: name,
  reading: 1,
  conversational: false,
  detect,
  splitter: document,
  reader: (file, folder) => ({
    read: () => ({}),
    active: () => null,
    facts: () => facts(file, folder),
  }),
  view: () => OPAQUE,
})
