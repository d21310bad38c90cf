import type { Agent } from '../formats/core/format.ts'
import { WRITABLE, type Writable, writableNamed } from '../formats/registry.ts'
import { SessError } from '../model/errors.ts'
import type { Oid } from '../model/oid.ts'
import { typable } from '../model/shellword.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { MAIN, type Session, tipOf } from '../repo/session.ts'
import { containerOf } from '../sources/databases.ts'
import { kindOf, nameOf } from '../sources/files.ts'
import { type Machine, namingFacts, sessionFolders, sessionPath } from '../sources/sessionfolders.ts'

/** How a session is gone on with in its agent. */
export interface Resume {
  readonly session: string
  readonly title: string | null
  readonly format: string
  /** What people call the agent. */
  readonly agent: string
  /** The id that the session has there, and its file. */
  readonly id: string
  readonly path: string
  /** The folder in which the command is to be run. */
  readonly cwd: string
  /** A list of arguments, the first of which is the program. */
  readonly command: readonly string[]
  /** What is to be run before: its agent takes the session from the file. Undefined where it has it. */
  readonly take?: readonly string[]
  /** What is to be done where its agent has no command: then that is empty. */
  readonly opens?: string
  /** Whether its agent goes on from where the session stands here. */
  readonly upToDate: boolean
}

/** In which agent a session is gone on with, and on which machine: this one unless said. */
export type ResumeOptions = Partial<Omit<Machine, 'cwd'>> & { readonly format?: string }

/** A file of a session, of its own agent or of one that it was exported to. */
interface AgentFile {
  readonly format: string
  readonly id: string
  readonly path: string | null
  /** Where its agent stands in it. */
  readonly at: Oid | undefined
}

/**
 * Gives how a session is gone on with: in its own agent, else in one that it was exported to, first where that stands
 * where the session stands; of a format only in that one's agent. Throws `no-session`; `no-agent` where no agent is
 * known that has it; `not-at-agent` where its file is not where that looks.
 */
export async function resumeOf(
  repo: Repo,
  text: string,
  { format, ...where }: Omit<Machine, 'cwd'> & { readonly format?: string },
): Promise<Resume> {
  const { cwd } = repo.env
  const session = await repo.read((reader) => resolveSession(reader, text, cwd))
  const machine = { ...where, cwd, project: session.meta.cwd ?? cwd }
  const tip = tipOf(session)
  const wanted = format === undefined ? undefined : writableNamed(format)
  const isWanted = (one: AgentFile): boolean => format === undefined || one.format === wanted?.format?.name
  const kept = filesOf(session, text).filter(isWanted)
  const known = kept
    .map((one) => ({ ...one, shapes: formatsOf(one, wanted) }))
    .filter(({ shapes }) => shapes.length > 0)
  const [first] = known
  if (!first)
    throw new SessError('no-agent', session.id, { hint: hintFor(session.id, format ?? 'claude-code') })
  const isUpToDate = ({ at }: AgentFile): boolean => at === tip
  for (const one of [...known.filter(isUpToDate), ...known.filter((other) => !isUpToDate(other))]) {
    const found = pathOf(one, session, machine)
    if (found === undefined) continue
    const { path, agent } = found
    const take = found.taken ? undefined : agent.take?.({ id: one.id, path })
    const opens = agent.opens?.({ id: one.id, path })
    const { id, title } = { id: one.id, title: session.meta.title }
    return {
      session: session.id,
      title,
      format: one.format,
      agent: agent.title,
      id,
      path,
      cwd: machine.project,
      command: agent.resume({ id, path }),
      ...(take && { take }),
      ...(opens !== undefined && { opens }),
      upToDate: isUpToDate(one),
    }
  }
  throw new SessError('not-at-agent', session.id, { hint: hintFor(session.id, first.format) })
}

const hintFor = (session: string, format: string): string =>
  `write it there: 'sess export ${typable(session, 'SESSION')} --format ${format} --to-agent'`

/** Gives the files of a session; where its id in one of them names it, that one alone. */
function filesOf({ id, meta, source, exports }: Session, text: string): AgentFile[] {
  const { format, native, path } = meta
  const own = source ? [{ format, id: native ?? id, path, at: source.branches[MAIN] }] : []
  const others = [...exports].map(([there, head]) => ({
    format: head.format,
    id: there,
    path: null,
    at: head.branches[MAIN],
  }))
  const named = others.filter((one) => one.id === text)
  return named.length > 0 ? named : [...own, ...others]
}

/** A shape in which an agent may have a session. */
type AgentFormat = Writable & { readonly agent: Agent }

/** Gives the shapes of a file's format whose agent takes the id of the session: all, or one that is wanted and is special. */
const formatsOf = ({ format, id }: AgentFile, wanted: Writable | undefined): readonly AgentFormat[] =>
  WRITABLE.flatMap((shape) => {
    const { agent, writer, name } = shape
    const isMeant =
      shape.format?.name === format && (!wanted || wanted.name === format || wanted.name === name)
    return agent && isMeant && (writer.takesId?.(id) ?? true) ? [{ ...shape, agent }] : []
  })

/** The file of a session where its agent finds it, or the database that has it. */
interface FoundAt {
  readonly agent: Agent
  readonly path: string
  /** Whether its agent has it already. */
  readonly taken: boolean
}

/** Gives where an agent finds a session; undefined where none does. */
function pathOf(
  { format, id, path, shapes }: AgentFile & { readonly shapes: readonly AgentFormat[] },
  { meta }: Session,
  machine: Machine,
): FoundAt | undefined {
  const folders = sessionFolders(machine).flatMap((place) =>
    place.agent === format ? [`${place.folder}/`] : [],
  )
  const about = { id, cwd: meta.cwd ?? machine.cwd, created: meta.created ?? 0 }
  for (const { agent, writer } of shapes) {
    const there = sessionPath(machine, format, writer.place(about, namingFacts(machine)))
    const isFound = agent.anywhere || folders.some((folder) => path?.startsWith(folder))
    const isLeft = agent.perFolder && meta.moved !== undefined && aboveOf(path ?? '') !== aboveOf(there ?? '')
    if (path !== null && isFound && !isLeft && isThere(path)) return { agent, path, taken: true }
    if (there !== undefined && kindOf(there) === 'file') return { agent, path: there, taken: false }
  }
  return undefined
}

/** Gives the path of the folder that a file lies in. */
const aboveOf = (path: string): string => path.slice(0, -nameOf(path).length)

const isThere = (path: string): boolean =>
  kindOf(path) === 'file' || (path.includes('#') && kindOf(containerOf(path)) !== 'missing')
