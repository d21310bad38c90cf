import { dirname, join } from 'node:path'
import type { OpenedSource, SourceContent } from './content.ts'
import { folderOf, kindOf, nameOf, statOf } from './files.ts'
import type { Scratch } from './scratch.ts'
import type { SidecarFile } from './sidecarfiles.ts'
import { databaseError, databaseStat, isDatabase, openDatabase, type SourceDatabase } from './sqlite.ts'
import type { AgentTables, UnreadRows } from './tables/agenttables.ts'
import { layoutsOf } from './tables/known.ts'
import { columnsOf } from './tables/rows.ts'
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
  return reading(path, scratch, async (database) => {
    const layouts = layoutsOf(database)
    if (onUnread) for (const rows of unreadIn(database, layouts)) onUnread(rows)
    if (layouts.length === 0) return undefined
    const contents = new Map<string, SourceContent>()
    let again = 0
    for (const layout of layouts) {
      const elsewhere = await idsElsewhere(path, layout, scratch)
      const own = new Set<string>()
      for (const session of layout.sessions(database)) {
        const id = String(session.id)
        if (own.has(id)) again++
        own.add(id)
        if (contents.has(id) || elsewhere.has(id)) continue
        const { file, size } = await scratch.keep(encoded(layout.lines(database, session, path)))
        // It may be opened again, if it has to wait for another file: the scratch folder is removed in the end.
        const opened: OpenedSource = { file, size, close: () => undefined }
        const about = layout.about?.(database, session)
        const beside = await rowsBeside(layout.beside?.(database, session) ?? [], scratch)
        contents.set(id, {
          path: withinPath(path, id),
          name: nameOf(path),
          folder: folderOf(path),
          packing: 'rows',
          ...(about && { about }),
          ...(beside && { beside }),
          stat: () => stat,
          open: () => Promise.resolve(opened),
        })
      }
    }
    if (again > 0) onUnread?.({ unread: 'unknown', name: 'sessions with the id of another', count: again })
    return [...contents.values()]
  })
}

/** Returns the ids of the sessions that another database beside a database took over. */
async function idsElsewhere(
  path: string,
  { tookOver }: AgentTables,
  scratch: Scratch,
): Promise<ReadonlySet<string>> {
  if (tookOver?.name !== nameOf(path)) return new Set()
  const other = join(dirname(path), tookOver.by)
  if (kindOf(other) !== 'file' || !isDatabase(other)) return new Set()
  return reading(other, scratch, (database) => {
    if (!columnsOf(database, tookOver.table).has('id')) return new Set()
    return new Set([...database.rows(`SELECT id FROM ${tookOver.table}`)].map(({ id }) => String(id)))
  })
}

/** Runs work on a copy of a database. Throws `unreadable-path`. */
async function reading<T>(
  path: string,
  scratch: Scratch,
  work: (database: SourceDatabase) => T | Promise<T>,
): Promise<T> {
  let database: SourceDatabase | undefined
  try {
    database = await openDatabase(path, scratch)
    return await work(database)
  } catch (error) {
    throw databaseError(path, error)
  } finally {
    database?.close()
  }
}

const utf8 = new TextEncoder()

async function* encoded(
  lines: Iterable<string> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield typeof line === 'string' ? utf8.encode(`${line}\n`) : line
}

/** Returns lines as a sidecar file; undefined if there are none. */
async function rowsBeside(lines: Iterable<string>, scratch: Scratch): Promise<SidecarFile | undefined> {
  const { file, size, close } = await scratch.keep(encoded(lines))
  if (size > 0) return { name: 'rows.jsonl', path: file, stat: statOf(file) }
  close()
  return undefined
}
