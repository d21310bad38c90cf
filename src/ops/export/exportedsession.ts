import type { Loss } from '../../formats/core/losses.ts'
import type { Repo } from '../../repo/repo.ts'
import type { WrittenFile } from '../../sources/newfile.ts'
import { type Machine, thisMachine } from '../../sources/sessionfolders.ts'
import { exportTo, exportToAgent, type PathExport } from './destinations.ts'
import type { ExportedFile, FileExport } from './exportfile.ts'

/** What is written of a session, and where: at a path, or where the agent of the format looks. */
export type ExportFileOptions =
  | (Omit<PathExport, 'onLoss'> & { readonly path: string })
  | (Omit<FileExport, 'onLoss'> & Partial<Omit<Machine, 'cwd'>> & { readonly toAgent: true })

/** A session that was written to a file. */
export interface ExportedSession
  extends Omit<ExportedFile<WrittenFile>, 'file' | 'agent' | 'place' | 'bundled'>,
    WrittenFile {
  readonly losses: readonly Loss[]
  /** With `toAgent`: what goes on with it there, a list of arguments to be run in its `cwd`. */
  readonly command?: readonly string[]
  /** What is to be run before, where the agent takes sessions from files. */
  readonly take?: readonly string[]
  /** What is to be done where the agent has no command for it. */
  readonly opens?: string
}

/** Writes a session to a file or where an agent looks, and gives what was written and lost. Throws as these do. */
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
    ...exported
  } = 'path' in options
    ? await exportTo(repo, text, options.path, { ...options, onLoss })
    : await exportToAgent(repo, text, { ...thisMachine(), ...options, onLoss })
  return { ...exported, ...file, losses }
}
