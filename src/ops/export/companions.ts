import type { NamedFile } from '../../files/newfile.ts'
import type { Loss } from '../../formats/core/losses.ts'
import type { FormatWriter, Whereabouts } from '../../formats/core/writer.ts'
import { writableNamed } from '../../formats/writable.ts'
import { sessionPrefix } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import { allTrunks, findTrunk, type SessionTrunk, type SourceHead, trunksFrom } from '../../repo/session.ts'
import { nameOf as fileName } from '../../sources/files.ts'
import { isBlobName } from '../../sources/sidecarfiles.ts'
import { bytesOfFile } from '../images.ts'
import { sourceBytes } from './sourcebytes.ts'

/** A file that belongs to a session, on its way to the session's agent. */
export interface Companion extends NamedFile {
  /** Its size in bytes. */
  readonly bytes: number
  /**
   * The folder that its name is relative to: that of the session's file, the one beside the agent's sessions, or the one
   * with the agent's sessions.
   */
  readonly from: 'session' | 'beside' | 'agent'
}

/** The files that belong to a session, and what cannot be written. */
export interface Companions {
  readonly files: readonly Companion[]
  readonly losses: readonly Loss[]
}

interface Writing {
  readonly session: SessionTrunk
  /** The name of the session's file where it is written. */
  readonly name: string
  readonly machine: Whereabouts | undefined
}

/** Returns the sidecar files of a session, and the files of its sub-agents with theirs. */
export async function companionsOf(reader: Reader, { session, name, machine }: Writing): Promise<Companions> {
  const stems = [stemOf(fileName(session.meta.path ?? '')), stemOf(name)] as const
  const files = new Map<string, Companion>()
  const losses: Loss[] = []
  const add = (companion: Companion): unknown => files.set(`${companion.from} ${companion.name}`, companion)
  for (const file of sidecarsOf(reader, session)) add({ ...file, name: renamed(file.name, stems) })
  for (const subagent of await subagentsOf(reader, session)) {
    const { source } = subagent
    const place = source && placeOf(subagent, session, machine)
    if (!source || !place) {
      losses.push({ code: 'subagent', subject: subagent.meta.native ?? subagent.id })
      continue
    }
    if (source.expunged) losses.push({ code: 'expunged' })
    const { name: at, from } = place
    add({ name: renamed(at, stems), from, ...content(source, () => sourceBytes(reader, source)) })
    const folder = at.slice(0, at.lastIndexOf('/') + 1)
    for (const file of sidecarsOf(reader, subagent))
      add({ ...file, name: file.from === 'session' ? renamed(`${folder}${file.name}`, stems) : file.name })
  }
  return { files: [...files.values()], losses }
}

/** Returns the sidecar files of a session; a file in which nobody speaks would pass for a session of its agent. */
const sidecarsOf = (reader: Reader, { files }: SessionTrunk): Companion[] =>
  [...files]
    .filter(([, head]) => !head.claim?.silent)
    .map(([name, head]) => ({
      name,
      from: isBlobName(name) ? 'beside' : 'session',
      ...content(head, () => bytesOfFile(reader, head)),
    }))

/** Returns bytes that can be read several times. */
const content = (
  { bytes }: SourceHead,
  read: () => AsyncGenerator<Uint8Array>,
): Pick<Companion, 'bytes' | 'chunks'> => ({ bytes, chunks: { [Symbol.asyncIterator]: read } })

/** Returns the name of a file without its ending, by which a folder beside it is named. */
const stemOf = (name: string): string => name.replace(/\.jsonl?$/, '')

/** Returns the name of a file in a folder that is named like a session's file, or beside it, as that file is named now. */
function renamed(name: string, [before, now]: readonly [string, string]): string {
  const isNamed = before !== '' && name.startsWith(before) && /^[/.]/.test(name.slice(before.length))
  return isNamed ? now + name.slice(before.length) : name
}

/** Returns the sessions of the sub-agents of a session, and of those that these started. */
async function subagentsOf(reader: Reader, session: SessionTrunk): Promise<SessionTrunk[]> {
  const found = new Map<string, SessionTrunk>()
  const family = new Set([session.meta.native ?? session.id, session.id])
  const named = new Set(namedBy(session))
  for (const agent of named) {
    const own = await sessionNamed(reader, agent, family)
    if (!own || own.id === session.id) continue
    found.set(own.id, own)
    family.add(agent).add(own.id)
    for (const other of namedBy(own)) named.add(other)
  }
  // No record names a sub-agent that was interrupted; its file is in the folder of the session.
  const stem = stemOf(fileName(session.meta.path ?? ''))
  for await (const other of allTrunks(reader)) {
    const { parent, path } = other.meta
    const isIn = stem !== '' && path?.split(/[\\/]/).includes(stem) === true
    if (isIn && parent !== undefined && family.has(parent) && other.id !== session.id)
      found.set(other.id, other)
  }
  return [...found.values()]
}

const namedBy = ({ meta: { agents = {}, spawned = {} } }: SessionTrunk): string[] => [
  ...Object.keys(agents),
  ...Object.keys(spawned),
]

/** Returns the session of a sub-agent that one of a family started. */
async function sessionNamed(
  reader: Reader,
  agent: string,
  family: ReadonlySet<string>,
): Promise<SessionTrunk | undefined> {
  const isOf = ({ meta: { parent, caller } }: SessionTrunk): boolean =>
    [parent, caller].some((by) => by !== undefined && family.has(by))
  const own = await findTrunk(reader, agent)
  if (!own || isOf(own)) return own
  for await (const other of trunksFrom(reader, `${sessionPrefix(agent).slice(0, -1)}-`))
    if (other.meta.native === agent && isOf(other)) return other
  return undefined
}

/** Returns the place of a sub-agent's file: where it was beside the session's file, else where its agent looks for it. */
function placeOf(
  { id, meta }: SessionTrunk,
  session: SessionTrunk,
  machine: Whereabouts | undefined,
): Pick<Companion, 'name' | 'from'> | undefined {
  const [own, main] = [meta.path, session.meta.path].map((path) => path?.split(/[\\/]/) ?? [])
  const folder = main?.slice(0, -1) ?? []
  if (own && folder.length > 0) {
    const isBelow = folder.every((step, at) => own[at] === step)
    const stem = own.lastIndexOf(stemOf(main?.at(-1) ?? ''), own.length - 2)
    if (isBelow) return { from: 'session', name: own.slice(folder.length).join('/') }
    if (stem >= 0) return { from: 'session', name: own.slice(stem).join('/') }
  }
  const format = writableNamed(meta.format)
  const native = meta.native ?? id
  const isFound = format?.agent && !format.agent.take && isWhole(format.writer)
  if (!format || !isFound || format.writer.takesId?.(native) === false || meta.created === null)
    return undefined
  const [, ...steps] = format.writer.place(
    { id: native, created: meta.created, ...(meta.cwd !== null && { cwd: meta.cwd }) },
    machine,
  )
  return { from: 'agent', name: steps.join('/') }
}

/** Returns whether a session is one file. */
const isWhole = ({ several, below }: FormatWriter): boolean => several === undefined && below === undefined
