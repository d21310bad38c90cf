import { join } from 'node:path'
import { SessionTree } from './tree.ts'

let current: SessionTree | undefined

/** Gives the session of this process, which begins when it is first asked for: in `.godel/sessions` unless said. */
export function getGlobalSessionTree(
  cwd: string = process.cwd(),
  sessionDir: string = join(cwd, '.godel', 'sessions'),
): SessionTree {
  current ??= SessionTree.create(cwd, sessionDir)
  return current
}

/** Makes a session that of this process. */
export function setGlobalSessionTree(tree: SessionTree): void {
  current = tree
}

/** Lets the session of this process go: the next time another one begins. */
export function resetGlobalSessionTree(): void {
  current = undefined
}
