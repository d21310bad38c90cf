import type { OpenedSource, SourceContent } from './content.ts'
import { folderOf, nameOf, statOf } from './files.ts'
import type { Scratch } from './scratch.ts'
import type { SidecarFile } from './sidecarfiles.ts'
import { databaseError, databaseStat, openDatabase, type SourceDatabase } from './sqlite.ts'
import { layoutsOf } from './tables/known.ts'

/** Returns whether a file may be a SQLite database, by its name. Only its content shows whether it is one of an agent. */
export const mayBeDatabase = (path: string): boolean => /\.(?:db|sqlite3?)$/i.test(path)

/** Returns the path of a session in a database or folder: the path of the container, `#` and the id. */
export const withinPath = (container: string, id: string): string => `${container}#${id}`

/** Returns the container of the path of a session: a database or a folder, else the file itself. */
export const containerOf = (path: string): string => path.replace(/#[^#/\\]*$/, '')

/**
 * Returns the sessions in a database, each as lines of JSON with its rows, or undefined where the tables are of no known
 * agent. The lines are written to files at once, so that the copy of the database can be closed. Throws `unreadable-path`.
 */
export async function sessionsIn(
  path: string,
  scratch: Scratch,
): Promise<readonly SourceContent[] | undefined> {
  const stat = databaseStat(path)
  let database: SourceDatabase | undefined
  try {
    database = await openDatabase(path, scratch)
    const layouts = layoutsOf(database)
    if (layouts.length === 0) return undefined
    const contents = new Map<string, SourceContent>()
    for (const layout of layouts)
      for (const session of layout.sessions(database)) {
        const id = String(session.id)
        if (contents.has(id)) continue
        const opened: OpenedSource = await scratch.keep(encoded(layout.lines(database, session, path)))
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
    return [...contents.values()]
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
