import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Policy } from './policy.ts'

/** Gives a path with the user's home for a leading `~`. */
export const withHome = (path: string): string =>
  path === '~' || /^~[/\\]/.test(path) ? join(homedir(), path.slice(1)) : path

/** Gives a path absolute. */
export const absolute = (path: string): string => resolve(withHome(path))

/** Gives the folder of pi's own data: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
const agentFolder = (): string => withHome(process.env.PI_CODING_AGENT_DIR || '~/.pi/agent')

/** Gives the folder that holds a folder of sessions for each folder of work. */
const sessionsFolder = (agentDir: string = agentFolder()): string => join(agentDir, 'sessions')

/** Gives the folder for the sessions of a folder of work. Two may share one: the headers say which is whose. */
export function sessionFolder(cwd: string, agentDir: string | undefined, { resolves }: Policy): string {
  const spelled = (resolves ? absolute(cwd) : cwd).replace(/^[/\\]/, '').replaceAll(/[/\\:]/g, '-')
  return join(sessionsFolder(agentDir && (resolves ? absolute(agentDir) : agentDir)), `--${spelled}--`)
}

/** Gives a folder of work as a session says it. */
export const placeOf = (cwd: string, { resolves }: Policy): string => (resolves ? absolute(cwd) : cwd)

/** Gives the folder for sessions that a caller names, else the usual one, which is made. */
export function folderOf(policy: Policy, cwd: string, sessionDir: string | undefined): string {
  if (!sessionDir) return made(sessionFolder(cwd, undefined, policy))
  return policy.resolves ? withHome(sessionDir) : sessionDir
}

/** Gives the folder of work that is looked for in a folder which may hold sessions of several; else undefined. */
export function shared(policy: Policy, cwd: string, folder: string): string | undefined {
  const isOwn = absolute(folder) === absolute(sessionFolder(cwd, undefined, policy))
  return policy.listsByCwd && !isOwn ? cwd : undefined
}

/** Gives a folder, which it makes where it is not there. */
export function made(folder: string): string {
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Gives the paths of the session files in a folder; none where it cannot be read. */
export function sessionFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, name))
  } catch (error) {
    if (isOfSystem(error)) return []
    throw error
  }
}

/** Gives the folders of sessions, linked ones among them. */
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

/** Tells an error of the operating system, such as that there is no file. */
export const isOfSystem = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error
