import { copyFileSync, lstatSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { checkFormat, type Identity, writeGeneration, writeIdentity } from '../storage/folder/folder.ts'
import { HOLDER_FILE, readHolder } from '../storage/folder/holder.ts'
import { tighten } from '../storage/folder/modes.ts'
import { isNoFile } from '../storage/folder/openfile.ts'
import { databasesIn, type FolderProblem } from '../storage/folder/signs.ts'
import { newQuarantine } from '../storage/repair/quarantine.ts'
import type { Env } from './env.ts'
import { newIdentity } from './identity.ts'
import type { Reader } from './reader.ts'

export { writeIdentity } from '../storage/folder/folder.ts'
export { type FolderProblem, folderProblems } from '../storage/folder/signs.ts'

/**
 * Writes the small files of a store's folder again that are missing or broken, and gives the folder in which what was
 * there before lies, null where nothing was. The newest database is the current one: its name and its number change in
 * one moment. The identity is what who held the database last knew it by; where nobody tells, the store gets a new one.
 * Throws `newer-store` where that was of a newer format.
 */
export function repairFolder(dir: string, problems: readonly FolderProblem[], env: Env): string | null {
  tighten(dir)
  const known = knownIdentity(dir)
  const broken = problems.map(({ file }) => file).filter((file) => isThere(join(dir, file)))
  const aside = broken.length > 0 ? newQuarantine(dir, env.now()) : null
  if (aside !== null) for (const file of broken) quarantine(join(dir, file), join(aside, file))
  const lacks = (name: FolderProblem['file']): boolean => problems.some(({ file }) => file === name)
  if (lacks('generation')) writeGeneration(dir, databasesIn(dir).at(-1) ?? 1)
  if (lacks('sess.json')) writeIdentity(dir, { ...newIdentity(env), ...known })
  return aside
}

/** A link that leads nowhere is there. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** A file stays in its place until another one takes that. */
function quarantine(path: string, aside: string): void {
  if (isNoFile(path)) renameSync(path, aside)
  else copyFileSync(path, aside)
}

/** Tells of a small file whether a store is none without it: whoever opens the store makes the others. */
export const isWrittenAgain = (file: FolderProblem['file']): boolean =>
  file === 'sess.json' || file === 'generation'

/** Gives what tells a store from all others, as who held its database last knew it; undefined where nobody did. */
export function knownIdentity(dir: string): Pick<Identity, 'id' | 'created'> | undefined {
  const holder = isNoFile(join(dir, HOLDER_FILE)) ? undefined : readHolder(dir)
  const { format, id, created } = holder?.store ?? {}
  if (typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id) || typeof created !== 'string') return undefined
  if (typeof format === 'number') checkFormat(dir, format)
  return { id, created }
}

/** Tells whether one store is a copy of another: they have an operation in common. */
export async function isCopy(here: Reader, there: Reader): Promise<boolean> {
  const oldest =
    1 +
    Math.max(
      ...[(await here.operationLog()).dropped, (await there.operationLog()).dropped].map((d) => d.operation),
    )
  const [mine, theirs] = [await here.operation(oldest), await there.operation(oldest)]
  return mine !== undefined && mine.id === theirs?.id
}
