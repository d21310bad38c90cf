import type { OpenedSource, SourceContent } from './content.ts'
import { folderOf, nameOf } from './files.ts'
import type { Scratch } from './scratch.ts'
import { databaseError, databaseStat, openDatabase, type SourceDatabase } from './sqlite.ts'
import type { UnreadRows } from './tables/agenttables.ts'
import { layoutsOf } from './tables/known.ts'
import { unreadIn } from './tables/unread.ts'

/** Returns whether a file may be a SQLite database, by its name. Only its content shows whether it is one of an agent. */
export const mayBeDatabase = (path: string): boolean => /\.(?:db|sqlite3?)$/i.test(path)

/** Returns the path of a session in a database or folder: the path of the container, `#` and the id. */
export const withinPath = (container: string, id: string): string => `${container}#${id}`

/** Returns the container of the path of a session: a database or a folder, else the file itself. */
export const containerOf = (path: string): string => path.replace(/#[^#/\\]*$/, '')

/**
 * Returns the sessions in a database, each as lines of JSON with its rows, or undefined where the tables are of no known
 * agent. Calls `onUnread` with everything else in it that looks like sessions. The lines are written to files at once, so
 * that the copy of the database can be closed. Throws `unreadable-path`.
 */
export async function sessionsIn(
  path: string,
  scratch: Scratch,
  onUnread?: (rows: UnreadRows) => void,
): Promise<readonly SourceContent[] | undefined> {
  const stat = databaseStat(path)
  let database: SourceDatabase | undefined
  try {
    database = await openDatabase(path, scratch)
    const layouts = layoutsOf(database)
    if (onUnread) for (const rows of unreadIn(database, layouts)) onUnread(rows)
    if (layouts.length === 0) return undefined
    const contents = new Map<string, SourceContent>()
    for (const { sessions, lines } of layouts)
      for (const session of sessions(database)) {
        const id = String(session.id)
        if (contents.has(id)) continue
        const opened: OpenedSource = await scratch.keep(encoded(lines(database, session)))
        contents.set(id, {
          path: withinPath(path, id),
          name: nameOf(path),
          folder: folderOf(path),
          packing: 'rows',
          stat: () => stat,
          open: () => Promise.resolve(opened),
        })
      }
    return [...contents.values()]
  } catch (error) {
    throw databaseError(path, error)
  } finally {
    database?.close()
  }
}

const utf8 = new TextEncoder()

function* encoded(lines: Iterable<string>): Generator<Uint8Array> {
  for (const line of lines) yield utf8.encode(`${line}\n`)
}
