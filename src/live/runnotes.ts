import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolders } from '../files/makefolders.ts'
import type { Variables } from '../model/variables.ts'
import { appendPrivate, LIVE, textOf } from './livefolder.ts'
import type { Note } from './note.ts'

/** The variable by which hooks know the run that their agent was started for. */
export const RUN_VARIABLE = 'SESS_RUN'

/** The sessions of a run, as its hooks told them. */
export interface ToldSessions {
  readonly paths: ReadonlySet<string>
  readonly ids: ReadonlySet<string>
}

const pathOf = (folder: string, run: string): string => join(folder, LIVE.runs, `${run}.jsonl`)

/** Notes which session an agent writes, where it was started for one run. Loaded by hooks. */
export function noteRun(folder: string, variables: Variables, { path, session }: Note): void {
  const run = variables[RUN_VARIABLE]
  if (run === undefined || !/^[\da-f]{16}$/.test(run)) return
  makePrivateFolders(join(folder, LIVE.runs))
  appendPrivate(pathOf(folder, run), `${JSON.stringify([path, session])}\n`)
}

/** Returns the sessions that hooks told of a run, and forgets them. */
export function takeRun(folder: string, run: string): ToldSessions {
  const path = pathOf(folder, run)
  const lines = (textOf(path) ?? '').split('\n').filter((line) => line !== '')
  const told = lines.map(noted)
  if (lines.length > 0) unlinkSync(path)
  const known = (at: number): string[] =>
    told.map((one) => one[at]).filter((part): part is string => typeof part === 'string')
  return { paths: new Set(known(0)), ids: new Set(known(1)) }
}

/** Returns what a line notes; nothing where it is torn, because its hook was killed or the disk was full. */
function noted(line: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
