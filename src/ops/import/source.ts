import type { Base, Facts, Format } from '../../formats/core/format.ts'
import type { Sample } from '../../formats/core/sample.ts'
import { oidOf } from '../../model/encoding/oid.ts'
import { sha256 } from '../../model/encoding/sha256.ts'
import type { SessionMeta } from '../../repo/session.ts'
import type { OpenedSource, Packing } from '../../sources/content.ts'
import type { FileStat } from '../../sources/files.ts'
import type { SidecarFile } from '../../sources/sidecarfiles.ts'

/** A file to import. */
export interface Source extends OpenedSource {
  readonly path: string
  readonly stat: FileStat
  readonly packing?: Packing
  /** The symbolic links among its files, which are not followed. */
  readonly links: readonly string[]
  readonly sample: Sample
  readonly format: Format
  /** The id under which its session is looked for. */
  readonly native: string
  /** That id, the id of the session that the path was last read into, and the id of the one that was exported under it. */
  readonly ids: readonly string[]
  /** Where it begins, if it refers to its history. */
  readonly base?: Base
  /** The id by which other sources refer to it. */
  readonly page: string
  /** Whether the user named the file itself, or wants every file. */
  readonly named: boolean
  /** The id of the session that the path was last read into. */
  readonly former?: string
  /** Whether it is no conversation, and its path is that of one. */
  readonly isOverwritten?: boolean
  /** When it was looked at, in milliseconds since 1970. */
  readonly seen: number
  /** The project of its session, where the agent lists it. */
  readonly project?: string
  /** The facts about its session in its container, and a sidecar file that is made of it. */
  readonly about?: Facts
  readonly beside?: SidecarFile
}

/** The names of the file that a session was first read from, and of the folders that contain it. */
type Names = Required<Pick<Sample, 'name' | 'folder' | 'above'>>

/** Returns the names of the file and of the folders that a session was first read from. */
export const sourceNames = ({ path }: Pick<SessionMeta, 'path'>): Names => namesOf(path ?? '')

/** The number of folders above its own whose names may identify a file. */
const ABOVE = 3

/** Returns the names of a file and of its folders, by its path. */
export function namesOf(path: string): Names {
  const [name = '', folder = '', ...above] = path.split(/[\\/]/).reverse()
  return { name, folder, above: above.slice(0, ABOVE) }
}

/** The number of bytes that identify how a source begins. */
const START = 1024

/** Returns how a file begins if its agent never overwrites that: the same for all later states of the file. */
export const lastingStart = ({ format, sample }: Pick<Source, 'format' | 'sample'>): string | undefined =>
  format.mutablePrefix?.(sample.head) ? undefined : startOf(sample.head)

/** Returns the first hex digits of the SHA-256 of the first bytes of a source; undefined for a short one. */
export const startOf = (head: Uint8Array): string | undefined =>
  head.length < START ? undefined : oidOf(sha256(head.subarray(0, START))).slice(0, 16)
