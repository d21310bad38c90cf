import type { Base, Facts, Format } from '../../formats/core/format.ts'
import { type Sample, unitsIn } from '../../formats/core/sample.ts'
import type { Unit } from '../../formats/core/splitter.ts'
import { guessView } from '../../formats/generic/heuristics.ts'
import { viewOf } from '../../formats/registry.ts'
import { oidOf } from '../../model/encoding/oid.ts'
import { sha256 } from '../../model/encoding/sha256.ts'
import { isObject, items, type Json } from '../../model/json.ts'
import { isSilent } from '../../model/view.ts'
import type { SessionMeta } from '../../repo/session.ts'
import type { OpenedSource, Packing } from '../../sources/content.ts'
import { chunksOf, type FileStat } from '../../sources/files.ts'
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

/**
 * Returns whether a file holds a message, or refers to history: otherwise it is silent. Of most files only the first
 * records are looked at.
 */
export async function holdsMessage({
  format,
  sample,
  file,
  size,
  base,
}: Pick<Source, 'format' | 'sample' | 'file' | 'size' | 'base'>): Promise<boolean> {
  if (base) return true
  const { name, folder, above, whole } = sample
  const speaksIn = (units: Iterable<Unit>, reader: ReturnType<typeof format.reader>): boolean => {
    for (const unit of units) {
      const { entry } = reader.read(unit)
      const isMessage = entry
        ? !isSilent(viewOf(entry.type, entry.body, unit.value))
        : mayBeMessage(unit.value)
      if (isMessage) return true
    }
    return false
  }
  if (speaksIn(unitsIn(sample, format), format.reader(name, folder, above))) return true
  if (whole) return false
  const [splitter, reader] = [format.splitter(), format.reader(name, folder, above)]
  for await (const chunk of chunksOf(file, size)) if (speaksIn(splitter.push(chunk), reader)) return true
  return speaksIn(splitter.end().units, reader)
}

/** Returns whether a record that its reader takes for none holds a message, or a list of messages, by its look. */
function mayBeMessage(value: Json | undefined): boolean {
  if (!isObject(value)) return false
  const lists = Object.values(value).flatMap((part) => (Array.isArray(part) ? [items(part)] : []))
  return [value, ...lists.flat()].some((one) => {
    const { role, blocks } = guessView(one)
    return (role === 'user' || role === 'assistant') && blocks.length > 0
  })
}
