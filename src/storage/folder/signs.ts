import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { isMissing, readGeneration, readIdentity } from './folder.ts'
import { HOLDER_FILE } from './holder.ts'
import { isNoFile, NO_FILE } from './openfile.ts'

/** Small files that may be missing. */
const BESIDE = ['refs.journal', 'tables', HOLDER_FILE] as const

/** One of the small files that say what a store's folder is, and what is wrong with it. */
export interface FolderProblem {
  readonly file: 'sess.json' | 'generation' | (typeof BESIDE)[number]
  readonly problem: string
}

/** Gives the numbers of the databases in a folder, in order. */
export function databasesIn(dir: string): number[] {
  try {
    const names = readdirSync(dir).flatMap((name) => /^db\.(\d+)$/.exec(name)?.[1] ?? [])
    return names.map(Number).sort((a, b) => a - b)
  } catch (error) {
    if (isMissing(error)) return []
    throw new SessError('unreadable-path', dir, { cause: error })
  }
}

/** Gives the number of the newest database in a folder up to one, undefined where there is none. */
export const newestUpTo = (dir: string, most: number): number | undefined =>
  databasesIn(dir).findLast((number) => number <= most)

/**
 * Tells of a folder whether it was a store once, to be asked where it has no identity: one that is only half made has
 * neither a journal nor a second database, for both come after the identity.
 */
export const wasStore = (dir: string): boolean =>
  existsSync(join(dir, 'refs.journal')) || databasesIn(dir).some((number) => number > 1)

/** Gives the error that says of a folder that was a store that its identity is gone. */
export const withoutIdentity = (dir: string): SessError =>
  new SessError('corrupt', `'${join(dir, 'sess.json')}' is missing, though a store lies there`, {
    hint: "type 'sess fsck --repair': it is written again, and nothing else is changed",
  })

/** Gives what is wrong with the small files of a folder in which a database lies. Throws `newer-store`. */
export function folderProblems(dir: string): FolderProblem[] {
  if (databasesIn(dir).length === 0) return []
  return [
    ...problemsOf('sess.json', () => readIdentity(dir)),
    ...problemsOf('generation', () => readGeneration(dir)),
    ...BESIDE.filter((file) => isNoFile(join(dir, file))).map((file) => ({ file, problem: NO_FILE })),
  ]
}

function problemsOf(file: FolderProblem['file'], read: () => unknown): FolderProblem[] {
  try {
    return read() === undefined ? [{ file, problem: 'it is missing' }] : []
  } catch (error) {
    if (error instanceof SessError && (error.code === 'not-a-store' || error.code === 'corrupt'))
      return [{ file, problem: error.message }]
    throw error
  }
}
