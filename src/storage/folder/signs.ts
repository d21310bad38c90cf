import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { IDENTITY_HINT, isMissing, readGeneration, readIdentity } from './folder.ts'
import { HOLDER_FILE } from './holder.ts'
import { checkLocalStore, isNoFile, NO_FILE } from './openfile.ts'

/** Small files that may be missing. */
const OPTIONAL = ['refs.journal', 'tables', HOLDER_FILE] as const

/** A problem of one of the small files of a store's folder. */
export interface FolderProblem {
  readonly file: 'sess.json' | 'generation' | (typeof OPTIONAL)[number]
  readonly problem: string
}

/** Returns the numbers of the databases in a folder, in order. */
export function databasesIn(dir: string): number[] {
  try {
    const names = readdirSync(dir).flatMap((name) => /^db\.(\d+)$/.exec(name)?.[1] ?? [])
    return names.map(Number).sort((a, b) => a - b)
  } catch (error) {
    if (isMissing(error)) return []
    throw new SessError('unreadable-path', dir, { cause: error })
  }
}

/** Returns the number of the newest database in a folder up to `most`, undefined where there is none. */
export const newestUpTo = (dir: string, most: number): number | undefined =>
  databasesIn(dir).findLast((number) => number <= most)

/**
 * Tells whether a folder without an identity was a store once. One that is only half made has neither a journal nor a
 * second database, because both come after the identity.
 */
export const wasStore = (dir: string): boolean =>
  existsSync(join(dir, 'refs.journal')) || databasesIn(dir).some((number) => number > 1)

/** Returns the error of a folder that was a store and lacks its identity. */
export const withoutIdentity = (dir: string): SessError =>
  new SessError('corrupt', `'${join(dir, 'sess.json')}' is missing, though a store lies there`, {
    hint: IDENTITY_HINT,
  })

/** Returns the problems of the small files of a folder that holds a database. Throws `newer-store`. */
export function folderProblems(dir: string): FolderProblem[] {
  checkLocalStore(dir)
  if (databasesIn(dir).length === 0) return []
  return [
    ...problemsOf('sess.json', () => readIdentity(dir)),
    ...problemsOf('generation', () => readGeneration(dir)),
    ...OPTIONAL.filter((file) => isNoFile(join(dir, file))).map((file) => ({ file, problem: NO_FILE })),
  ]
}

function problemsOf(file: FolderProblem['file'], read: () => unknown): FolderProblem[] {
  try {
    return read() === undefined ? [{ file, problem: 'it is missing' }] : []
  } catch (error) {
    if (error instanceof SessError && error.code === 'corrupt') return [{ file, problem: error.message }]
    throw error
  }
}
