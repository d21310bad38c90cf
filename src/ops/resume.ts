import type { Agent } from '../formats/core/format.ts'
import { RESUMABLE, type ResumableFormat } from '../formats/writable.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import {
  type ExportHead,
  foldersOf,
  MAIN,
  type SessionTrunk,
  type SourceHead,
  tipOf,
} from '../repo/session.ts'
import { containerOf } from '../sources/databases.ts'
import { absolute, isFolder, kindOf, nameOf } from '../sources/files.ts'
import { type Machine, namingFacts, sessionFolders, sessionPath } from '../sources/sessionfolders.ts'
import { stillHolds } from './import/comparesource.ts'

/** The names of the formats whose sessions an agent resumes. */
export const RESUME_FORMATS: readonly string[] = RESUMABLE.map(({ name }) => name)

/** A way to resume a session in an agent. */
export interface Resume {
  readonly session: string
  readonly title: string | null
  readonly format: string
  /** The display name of the agent. */
  readonly agent: string
  /** The id of the session there, and its file. */
  readonly id: string
  readonly path: string
  /** The folder in which to run the command: where the agent finds the session. */
  readonly cwd: string
  /** Whether that folder exists. */
  readonly cwdExists: boolean
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** A command to run first, with which the agent imports the file; undefined if it has the session already. */
  readonly take?: readonly string[]
  /** How to open the session if the agent has no command for it; then `command` is empty. */
  readonly opens?: string
  /** Whether the agent continues from the session's tip here. */
  readonly upToDate: boolean
}

/** A file of a session: its source, or an export. */
interface ResumableFile {
  readonly format: string
  readonly id: string
  readonly path: string | null
  /** The tip of the agent's active branch in it. */
  readonly at: Oid | undefined
  readonly head: SourceHead | ExportHead
}

/**
 * Returns how to resume a session: in its own agent, else in one that it was exported to, preferably one at the session's
 * tip. With `format` only in the agent of that format. Throws `no-session`, `no-agent` if no agent can have it, and
 * `not-at-agent` if its file is not where the agent looks, or does not hold it any more.
 */
export async function resumeOf(
  repo: Repo,
  text: string,
  { format, ...where }: Omit<Machine, 'cwd'> & { readonly format?: string },
): Promise<Resume> {
  const { cwd } = repo.env
  const session = await repo.read((reader) => resolveSession(reader, text))
  const machine = { ...where, cwd, project: session.meta.cwd ?? cwd }
  const tip = tipOf(session)
  const wanted = RESUMABLE.find(({ name }) => name === format)
  const isWanted = (one: ResumableFile): boolean =>
    format === undefined || one.format === wanted?.format?.name
  const kept = filesOf(session, text).filter(isWanted)
  const known = kept
    .map((one) => ({ ...one, formats: formatsOf(one, wanted) }))
    .filter(({ formats }) => formats.length > 0)
  const [first] = known
  if (!first)
    throw new SessError('no-agent', session.id, {
      remedy: { kind: 'export-to-agent', session: session.id, format: format ?? 'claude-code' },
    })
  const isUpToDate = ({ at }: ResumableFile): boolean => at === tip
  const lost: { readonly path: string; readonly format: string }[] = []
  for (const one of [...known.filter(isUpToDate), ...known.filter((other) => !isUpToDate(other))])
    for (const { path, agent, cwd: project, taken } of pathsOf(one, session, machine)) {
      if (!(await repo.read((reader) => stillHolds(reader, path, one)))) {
        lost.push({ path, format: writableFormat(one) })
        continue
      }
      const { id } = one
      const take = taken ? undefined : agent.take?.({ id, path })
      const opens = agent.opens?.({ id, path })
      return {
        session: session.id,
        title: session.meta.title,
        format: one.format,
        agent: agent.title,
        id,
        path,
        cwd: project,
        cwdExists: isFolder(project),
        command: agent.resume({ id, path }),
        ...defined({ take, opens }),
        upToDate: isUpToDate(one),
      }
    }
  const [gone] = lost
  if (gone)
    throw new SessError('not-at-agent', session.id, {
      detail: `'${gone.path}' does not hold it any more`,
      remedy: { kind: 'export-to-agent', session: session.id, format: gone.format, force: true },
    })
  throw new SessError('not-at-agent', session.id, {
    remedy: { kind: 'export-to-agent', session: session.id, format: writableFormat(first) },
  })
}

/** Returns the files of a session, or only the one whose id the text is. */
function filesOf({ id, meta, source, exports }: SessionTrunk, text: string): ResumableFile[] {
  const { format, native, path } = meta
  const own = source ? [{ format, id: native ?? id, path, at: source.branches[MAIN], head: source }] : []
  const others = [...exports].map(([there, head]) => ({
    format: head.format,
    id: there,
    path: null,
    at: head.branches[MAIN],
    head,
  }))
  const named = others.filter((one) => one.id === text)
  return named.length > 0 ? named : [...own, ...others]
}

/** The ids that agents take whose formats are only read: none that could pass for an option. */
const PLAIN_ID = /^\w[\w.:-]*$/

/** Returns the variants of a file's format whose agents accept the session's id; only the wanted one, if one is named. */
const formatsOf = (
  { format, id }: ResumableFile,
  wanted: ResumableFormat | undefined,
): readonly ResumableFormat[] =>
  RESUMABLE.filter(({ writer, name, format: its }) => {
    const isMeant = its?.name === format && (!wanted || wanted.name === format || wanted.name === name)
    return isMeant && (writer ? (writer.takesId?.(id) ?? true) : PLAIN_ID.test(id))
  })

/** Returns the format in which a session can be given to an agent: that of its file, where that can be written. */
const writableFormat = ({
  format,
  formats,
}: ResumableFile & { readonly formats: readonly ResumableFormat[] }): string =>
  formats.some(({ writer }) => writer) ? format : 'claude-code'

/** A file or database in which an agent finds a session, and the folder in which the agent finds it. */
interface FoundAt {
  readonly cwd: string
  readonly agent: Agent
  readonly path: string
  /** Whether the agent has it already. */
  readonly taken: boolean
}

/** Yields where agents find a session. */
function* pathsOf(
  { format, id, path, formats }: ResumableFile & { readonly formats: readonly ResumableFormat[] },
  { meta }: SessionTrunk,
  machine: Machine,
): Generator<FoundAt> {
  const places = sessionFolders(machine)
  const last = meta.cwd ?? machine.cwd
  for (const { agent, writer } of formats) {
    const placeIn = (cwd: string): string | undefined => {
      const about = { id, cwd, created: meta.created ?? 0 }
      return writer && sessionPath(machine, format, writer.place(about, namingFacts(machine)))
    }
    const there = placeIn(last)
    const name = agent.name ?? format
    const isOwn = places.some((place) => place.agent === name && path?.startsWith(`${place.folder}/`))
    const isFound = agent.anywhere || isOwn
    // Of an agent that looks in the folder of a project, the project is the one for which the file's folder is named.
    const isOfFile = (cwd: string): boolean => aboveOf(path ?? '') === aboveOf(placeIn(cwd) ?? '')
    const project = agent.perFolder ? [last, ...foldersOf(meta).toReversed()].find(isOfFile) : last
    const isLeft = project === undefined && meta.moved !== undefined
    // The path may come from somebody else: one that is not absolute could pass for an option of the agent.
    const isPlain = path !== null && absolute('/', path) === path
    if (isPlain && isFound && !isLeft && isThere(path))
      yield { agent, path, cwd: project ?? last, taken: true }
    if (there !== undefined && kindOf(there) === 'file') yield { agent, path: there, cwd: last, taken: false }
  }
}

/** Returns the folder of a path, with a slash. */
const aboveOf = (path: string): string => path.slice(0, -nameOf(path).length)

const isThere = (path: string): boolean =>
  kindOf(path) === 'file' || (path.includes('#') && kindOf(containerOf(path)) !== 'missing')
