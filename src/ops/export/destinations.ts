import {
  hasBytes,
  makeFolderOf,
  type NamedFile,
  type NamedFiles,
  type WrittenFile,
  writeNewFile,
  writeNewFiles,
} from '../../files/newfile.ts'
import { makeFolderSync } from '../../files/replacefile.ts'
import type { Loss } from '../../formats/core/losses.ts'
import { filesIn } from '../../formats/opencode/bundle.ts'
import { writableNamed } from '../../formats/writable.ts'
import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { addTo } from '../../model/lists.ts'
import { isWithin } from '../../model/paths.ts'
import { exists } from '../../model/writeerror.ts'
import { thisMachine } from '../../repo/environment.ts'
import type { Repo } from '../../repo/repo.ts'
import { absolute, kindOf, kindWithin, nameOf, parentFolder, statOf, within } from '../../sources/files.ts'
import { type Machine, namingFacts, sessionFolders, sessionPath } from '../../sources/sessionfolders.ts'
import { digestOfFile } from '../import/comparesource.ts'
import type { Companion } from './companions.ts'
import {
  type Destination,
  type ExportedFile,
  exportFile,
  type FileExport,
  type ImportedFile,
  type Sink,
} from './exportfile.ts'

export type { WrittenFile } from '../../files/newfile.ts'

/** Writes files at absolute paths. */
export interface Files {
  readonly file: (
    path: string,
    pieces: AsyncIterable<Uint8Array>,
    options: { readonly force?: boolean },
  ) => Promise<WrittenFile>
  readonly folder: (
    path: string,
    files: NamedFiles,
    options: { readonly force?: boolean },
  ) => Promise<WrittenFile>
  /** Whether nothing is written. */
  readonly dryRun?: boolean
}

const FILES: Files = { file: writeNewFile, folder: writeNewFiles }

/** Options of an export to a path. */
export interface PathExport extends Omit<FileExport, 'toAgent'> {
  readonly force?: boolean
}

/**
 * Writes a session to a new file or, if the path is a folder or ends with a slash, into that folder under the file's own
 * name. A bundle or a file with sidecar files is written to a folder. Throws as `exportFile`, and `exists`.
 */
export function exportTo(
  repo: Repo,
  text: string,
  out: string,
  { force = false, ...options }: PathExport,
  files = FILES,
): Promise<ExportedFile<WrittenFile>> {
  const path = absolute(repo.env.cwd, out)
  const write: Sink<WrittenFile>['write'] = async (at, pieces) => {
    const { place, bundled, below, beside = [] } = at
    const isFile = !/[\\/]$/.test(out) && kindOf(path) !== 'folder' && below === undefined
    const isSeveral = bundled || (!isFile && beside.length > 0)
    if (isSeveral && force)
      throw new SessError('bad-usage', 'force replaces one file, and this is several', {
        hint: 'leave it out, and choose a folder that has none of them',
      })
    if (isSeveral) return files.folder(path, filesOf(at, pieces), {})
    if (isFile) return files.file(path, pieces, { force })
    if (!files.dryRun) makeFolderSync(path)
    return files.file(within(path, place.at(-1) ?? ''), pieces, { force })
  }
  return exportFile(repo, text, options, { isTaken: () => false, write })
}

/** Returns the files of a session with their names. */
const filesOf = (
  { place, bundled, below = 1, beside = [] }: Destination,
  chunks: NamedFile['chunks'],
): NamedFiles => (bundled ? filesIn(chunks) : [{ name: place.slice(-below).join('/'), chunks }, ...beside])

/** A session that was written for its agent, and the command that resumes it. */
export interface ExportedToAgent extends ExportedFile<WrittenFile> {
  /** The arguments of the command, to be run in the session's folder. */
  readonly command: readonly string[]
  /** A command to run first, with which the agent imports the file. */
  readonly take?: readonly string[]
  /** How to open the session if the agent has no command for it; then `command` is empty. */
  readonly opens?: string
}

/**
 * Writes a session where the agent of its format looks for it, and returns the command that resumes it. An existing file
 * is replaced only with `force`: the one that the session was imported from, if it is at the agent's place, and never one
 * that has more than the store. Throws as `exportFile`, `no-agent` and `exists`.
 */
export async function exportToAgent(
  repo: Repo,
  text: string,
  { home, variables, force = false, ...options }: AgentExport,
  files = FILES,
): Promise<ExportedToAgent> {
  const machine = { home, variables, cwd: repo.env.cwd }
  const pathOf = (at: Destination): string => {
    const { format, place, cwd, origin } = at
    const agent = writableNamed(format)?.format?.name ?? format
    const project = { ...machine, project: cwd }
    if (force && origin && isOfSession(project, agent, origin.path, at.id)) return origin.path
    return sessionPath(project, agent, place) ?? ''
  }
  const exported = await exportFile(
    repo,
    text,
    { ...options, toAgent: true },
    {
      machine: namingFacts(machine),
      isTaken: (at) => !force && kindOf(pathOf(at)) !== 'missing',
      write: async (at, pieces) => {
        if (pathOf(at).startsWith(within(at.cwd, 'x').slice(0, -1)) && kindOf(at.cwd) !== 'folder')
          throw noProject(at)
        const { below, origin, ...placed } = at
        if (below !== undefined) {
          const folder = pathOf({ ...at, place: at.place.slice(0, -below) })
          if (!files.dryRun) makeFolderSync(folder)
          return files.folder(folder, filesOf(at, pieces), { force })
        }
        const path = pathOf(at)
        const roots: Roots = {
          session: parentFolder(path),
          agent: pathOf({ ...placed, place: at.place.slice(0, 1) }),
        }
        if (origin && (await hasMore(path, origin))) throw grown(path)
        const wanted = await missingCompanions(at.companions ?? [], roots)
        if (!files.dryRun) makeFolderOf(path)
        const file = await files.file(path, pieces, { force })
        return withCompanions(file, await writeCompanions(files, wanted))
      },
    },
  )
  const there = { id: exported.id, path: pathOf(exported) }
  const take = exported.agent?.take?.(there)
  const opens = exported.agent?.opens?.(there)
  return {
    ...exported,
    command: exported.agent?.resume(there) ?? [],
    ...defined({ take, opens }),
  }
}

/** The folders that names of companions are relative to: that of the session's file, and that of the agent's sessions. */
interface Roots {
  readonly session: string
  readonly agent: string
}

/** The files that are to be written, by their folders. */
type ByFolder = ReadonlyMap<string, readonly Companion[]>

/** Returns the companions that are not there yet. Throws `exists` where a file is there and differs. */
async function missingCompanions(companions: readonly Companion[], roots: Roots): Promise<ByFolder> {
  const missing = new Map<string, Companion[]>()
  for (const companion of companions) {
    const { name, bytes, chunks, from } = companion
    const folder = from === 'beside' ? parentFolder(roots.agent) : roots[from]
    const path = within(folder, name)
    const kind = kindWithin(folder, name)
    if (kind === 'missing') addTo(missing, folder, companion)
    else if (kind !== 'file' || !(await hasBytes(path, bytes, chunks))) throw exists(path)
  }
  return missing
}

async function writeCompanions(files: Files, missing: ByFolder): Promise<readonly WrittenFile[]> {
  const written: WrittenFile[] = []
  for (const [folder, companions] of missing) {
    if (!files.dryRun) makeFolderSync(folder)
    written.push(await files.folder(folder, companions, {}))
  }
  return written
}

/** Returns a file that was written with others. */
function withCompanions(file: WrittenFile, others: readonly WrittenFile[]): WrittenFile {
  if (others.length === 0) return file
  const sum = (of: (one: WrittenFile) => number): number => others.reduce((all, one) => all + of(one), 0)
  const renamed = others.flatMap((one) => one.renamed ?? [])
  return {
    ...file,
    bytes: file.bytes + sum(({ bytes }) => bytes),
    further: sum(({ files = 0 }) => files),
    ...(renamed.length > 0 && { renamed }),
  }
}

/** Options of an export to an agent. */
type AgentExport = Omit<FileExport, 'toAgent'> &
  Omit<Machine, 'cwd'> & {
    /** Replace a file that is there. */
    readonly force?: boolean
  }

/** Returns whether a path is that of a session's file at an agent's place. It may come from somebody else. */
const isOfSession = (machine: Machine, agent: string, path: string, id: string): boolean =>
  nameOf(path).includes(id) &&
  sessionFolders(machine).some(
    ({ agent: name, folder }) =>
      name === agent &&
      isWithin(path, folder) &&
      kindWithin(folder, path.slice(folder.length).replaceAll('\\', '/')) === 'file',
  )

/** Returns whether a file has what the store has of it, and more. */
const hasMore = async (path: string, { bytes, sha256 }: ImportedFile): Promise<boolean> =>
  kindOf(path) === 'file' && statOf(path).size > bytes && (await digestOfFile(path, bytes)) === sha256

const grown = (path: string): SessError =>
  new SessError('exists', path, {
    detail: 'it has more than the store',
    hint: 'import it first; nothing was overwritten',
  })

/** The error for an agent that keeps sessions in the project, if the project is not on this machine. */
const noProject = ({ cwd }: Destination): SessError =>
  new SessError('no-path', cwd, {
    detail: 'the session is of this folder, in which its agent looks',
    remedy: { kind: 'move-project' },
  })

/** Options of an export to a path, or to the place where the agent of the format looks. */
export type ExportFileOptions =
  | (Omit<PathExport, 'onLoss'> & { readonly path: string })
  | (Omit<AgentExport, 'onLoss' | keyof Machine> & Partial<Omit<Machine, 'cwd'>> & { readonly toAgent: true })

/** A session that was written to a file. */
export interface ExportedSession
  extends Omit<ExportedFile<WrittenFile>, 'file' | 'agent' | 'place' | 'bundled' | 'origin'>,
    WrittenFile {
  readonly losses: readonly Loss[]
  /** With `toAgent`: the arguments of the command that resumes it, to be run in `cwd`. */
  readonly command?: readonly string[]
  /** A command to run first, with which the agent imports the file. */
  readonly take?: readonly string[]
  /** How to open the session if the agent has no command for it. */
  readonly opens?: string
}

/** Writes a session to a path or for its agent, and returns the file and the losses. Throws as these functions do. */
export async function exportedSession(
  repo: Repo,
  text: string,
  options: ExportFileOptions,
): Promise<ExportedSession> {
  const losses: Loss[] = []
  const onLoss = (loss: Loss): unknown => losses.push(loss)
  const {
    file,
    agent: _agent,
    place: _place,
    bundled: _bundled,
    origin: _origin,
    ...exported
  } = 'path' in options
    ? await exportTo(repo, text, options.path, { ...options, onLoss })
    : await exportToAgent(repo, text, { ...thisMachine(), ...options, onLoss })
  return { ...exported, ...file, losses }
}
