import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../folder/folder.ts'
import { isThere, ownName } from '../folder/process.ts'

/** `OWNER.<process>.<random>`: no two claims have the same name, so that one that is over stays over. */
const NAME = /^OWNER\.([^.]+)\.[0-9a-f]+$/

/**
 * Claims the database in a folder for this process, where locks may do nothing. Returns the path of the claim, to be
 * removed once the database is closed, or undefined where another process or thread has one. Each makes its claim first
 * and looks for others then: of two that do so at once, at least one sees the other.
 */
export function claim(folder: string): string | undefined {
  const own = `OWNER.${ownName()}.${randomBytes(4).toString('hex')}`
  const path = join(folder, own)
  closeSync(openSync(path, 'wx', 0o600))
  const others = namesIn(folder).filter((name) => name !== own && NAME.test(name))
  const isFree = others.every(isOver)
  for (const name of isFree ? others : [own]) rmSync(join(folder, name), { force: true })
  return isFree ? path : undefined
}

/** Tells whether another process claims the database in a folder. */
export const isClaimed = (folder: string): boolean =>
  namesIn(folder).some((name) => NAME.test(name) && !isOver(name))

/** Tells whether the process of a claim is known to be gone. */
const isOver = (name: string): boolean => isThere(NAME.exec(name)?.[1] ?? '') === false
