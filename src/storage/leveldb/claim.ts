import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { namesIn } from '../directory/directory.ts'
import { isRunning, processName } from '../directory/processname.ts'

/** `OWNER.<process>.<thread>.<random>`: no two claims have the same name, so that one that is over stays over. */
const NAME = /^OWNER\.([^.]+)\.(\d+)\.[0-9a-f]+$/

const NAMES = Symbol.for('sess.claims')

/** The names of the claims that this thread has, of all copies of this module. */
const held: Set<string> = ((globalThis as { [NAMES]?: Set<string> })[NAMES] ??= new Set())

/**
 * Claims the database in a folder for this process, where locks may do nothing. Returns the name of the claim, to be
 * released once the database is closed, or undefined where another process or thread has one. Each makes its claim first
 * and looks for others then: of two that do so at once, at least one sees the other.
 */
export function claim(folder: string): string | undefined {
  const own = `OWNER.${processName()}.${threadId}.${randomBytes(4).toString('hex')}`
  closeSync(openSync(join(folder, own), 'wx', 0o600))
  const others = namesIn(folder).filter((name) => name !== own && NAME.test(name))
  const isFree = others.every(isOver)
  for (const name of isFree ? others : [own]) rmSync(join(folder, name), { force: true })
  if (!isFree) return undefined
  held.add(own)
  return own
}

/**
 * Gives a claim up. Where the disk fails to remove its file, this thread knows that the claim is over, and others once the
 * process ends: nothing that was acknowledged depends on it.
 */
export function release(folder: string, own: string): void {
  held.delete(own)
  try {
    rmSync(join(folder, own), { force: true })
  } catch {
    // The next claim removes it.
  }
}

/** Tells whether another process claims the database in a folder. */
export const isClaimed = (folder: string): boolean =>
  namesIn(folder).some((name) => NAME.test(name) && !isOver(name))

/** Tells whether a claim is known to be over: its process is gone, or this thread left it behind. */
function isOver(name: string): boolean {
  const [, process = '', thread] = NAME.exec(name) ?? []
  return process === processName() && thread === `${threadId}`
    ? !held.has(name)
    : isRunning(process) === false
}
