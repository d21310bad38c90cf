import { lstatSync } from 'node:fs'
import { mayBeDatabase } from '../sources/databases.ts'
import { type FoundFile, filesBelow, kindOf } from '../sources/files.ts'
import { discover, type Machine, sessionFolders } from '../sources/sessionfolders.ts'
import { databaseStat } from '../sources/sqlite.ts'
import type { Note } from './note.ts'

export type { FoundFile } from '../sources/files.ts'

/** How long before a note without a file that file may have been written to last, in milliseconds. */
const RECENT = 60_000

/** Returns a file as it is now; undefined where it is gone, and for a link, which may lead anywhere. */
export function lookAt(path: string): FoundFile | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile()) return undefined
    if (mayBeDatabase(path)) return { path, ...databaseStat(path) }
    return { path, size: stats.size, mtime: stats.mtimeMs, inode: stats.ino }
  } catch {
    return undefined
  }
}

/**
 * Returns the files that a note is about: those that it names, with those of sub-agents beside them, and what an agent
 * that names none has written lately.
 */
export function notedFiles({ agent, path, subagent, time }: Note, machine: Machine): FoundFile[] {
  if (path === null) return recentFiles(agent, time, machine)
  const named = [path, ...(subagent === null ? [] : [subagent])].flatMap((one) => lookAt(one) ?? [])
  const beside = path.replace(/\.jsonl$/, '')
  const others = beside !== path && kindOf(beside) === 'folder' ? [...filesBelow(beside)] : []
  return [
    ...new Map(
      [...named, ...others.filter(({ path: other }) => other.endsWith('.jsonl'))].map((file) => [
        file.path,
        file,
      ]),
    ).values(),
  ]
}

function recentFiles(agent: string, time: number, machine: Machine): FoundFile[] {
  const places = sessionFolders(machine).filter((place) => place.agent === agent)
  const files = discover(places).flatMap((found) => found.files)
  return files.flatMap((file) => {
    const now = file.error ? undefined : lookAt(file.path)
    return now && now.mtime >= time - RECENT ? [now] : []
  })
}
