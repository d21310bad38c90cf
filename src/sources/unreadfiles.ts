/** A form of sessions that is not read. */
export interface UnreadForm {
  /**
   * Matches their paths. Its first group is the name of a session: one that names a folder in the path of a file that is
   * read is left out.
   */
  readonly files: RegExp
  /** Their description, for people. */
  readonly name: string
  readonly note?: string
}

/** Files of one kind that look like sessions and are not read. */
export interface UnreadFiles {
  /** The folder. */
  readonly path: string
  readonly unread: 'unknown'
  readonly name: string
  readonly count: number
  readonly note?: string
}

/** A folder, and what in it is reported if it is not read. */
interface ReportingFolder {
  readonly folder: string
  readonly expects?: Pick<RegExp, 'test'>
  readonly unread?: readonly UnreadForm[]
}

const TRANSCRIPTS = /\.(?:jsonl|ndjson|db|sqlite3?|pb)(?:\.gz|\.zst)?$/i

/** Returns whether a file may hold sessions, by its name: that of a transcript or a database. */
export const mayHoldSessions = (name: string): boolean => TRANSCRIPTS.test(name)

/** Returns those files of a folder that are no known sessions and are to be reported, counted by what they are. */
export function unreadFiles(
  { folder, expects = /^/, unread: forms = [] }: ReportingFolder,
  names: readonly string[],
  sessions: () => readonly string[],
): UnreadFiles[] {
  const counts = new Map<string, UnreadFiles>()
  let folders: ReadonlySet<string> | undefined
  for (const name of names) {
    const form = forms.find(({ files }) => files.test(name))
    const session = form?.files.exec(name)?.[1]
    if (!form && !expects.test(name)) continue
    folders ??= new Set(sessions().flatMap((path) => path.split(/[\\/]/).slice(0, -1)))
    if (session !== undefined && folders.has(session)) continue
    const kind = form?.name ?? `files '*${/\.[A-Za-z0-9]+(?:\.(?:gz|zst))?$/i.exec(name)?.[0]}'`
    const { count = 0, note = form?.note ?? `such as '${name}'` } = counts.get(kind) ?? {}
    counts.set(kind, { path: folder, unread: 'unknown', name: kind, count: count + 1, note })
  }
  return [...counts.values()]
}
