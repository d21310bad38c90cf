import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { processVariables } from '../../library/outside.ts'
import { isOfSystem, made } from '../core/files.ts'
import type { Policy } from './policy.ts'

/** Returns a path with the user's home for a leading `~`. */
export const withHome = (path: string): string =>
  path === '~' || /^~[/\\]/.test(path) ? join(homedir(), path.slice(1)) : path

/** Returns a path absolute. */
export const absolute = (path: string): string => resolve(withHome(path))

/** Returns the folder of pi's own data: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
const agentFolder = (): string => withHome(processVariables().PI_CODING_AGENT_DIR || '~/.pi/agent')

/** Returns the folder that holds a folder of sessions for each working directory. */
const sessionsFolder = (agentDir: string = agentFolder()): string => join(agentDir, 'sessions')

/** Returns the folder for the sessions of a working directory. Two may share one: the headers of the files differ. */
export function sessionFolder(cwd: string, agentDir: string | undefined, { resolves }: Policy): string {
  const spelled = (resolves ? absolute(cwd) : cwd).replace(/^[/\\]/, '').replaceAll(/[/\\:]/g, '-')
  return join(sessionsFolder(agentDir && (resolves ? absolute(agentDir) : agentDir)), `--${spelled}--`)
}

/** Returns a working folder as a session names it. */
export const placeOf = (cwd: string, { resolves }: Policy): string => (resolves ? absolute(cwd) : cwd)

/** Returns the folder for sessions that a caller names, else the usual one, which is made. */
export function folderOf(policy: Policy, cwd: string, sessionDir: string | undefined): string {
  if (!sessionDir) return made(sessionFolder(cwd, undefined, policy))
  return policy.resolves ? withHome(sessionDir) : sessionDir
}

/** Returns the working folder to select in a folder that may hold sessions of several; else undefined. */
export function shared(policy: Policy, cwd: string, folder: string): string | undefined {
  const isOwn = absolute(folder) === absolute(sessionFolder(cwd, undefined, policy))
  return policy.listsByCwd && !isOwn ? cwd : undefined
}

/** Returns the folders of sessions, linked ones among them. */
export function sessionFolders(): string[] {
  const root = sessionsFolder()
  try {
    return readdirSync(root)
      .map((name) => join(root, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
  } catch (error) {
    if (isOfSystem(error)) return []
    throw error
  }
}
