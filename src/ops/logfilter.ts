import { isWithin, moved } from '../model/paths.ts'
import type { Pattern } from '../model/pattern/pattern.ts'
import { textsOf } from '../model/search/entrytext.ts'
import { filesOf } from '../model/toolinput.ts'
import type { View } from '../model/view.ts'
import type { SessionTrunk } from '../repo/session.ts'
import { absolute } from '../sources/files.ts'
import type { LogEntry } from './entries.ts'

/** Which entries a log has, by what they say and when. */
export interface LogFilter {
  /** Only entries at or after this time, and before this time, in milliseconds since 1970; none with an unknown time. */
  readonly since?: number
  readonly until?: number
  /** Only entries that say what a pattern matches. */
  readonly grep?: Pattern
  /**
   * Only entries that call a tool with one of these files or folders, or a file below it. A relative path also names the
   * files whose paths end with it.
   */
  readonly touches?: readonly string[]
}

/** Returns whether an entry of a session passes a filter. */
export type EntryTest = (entry: LogEntry, session: SessionTrunk | undefined) => boolean

/** Returns the test of a filter; undefined where all entries pass. Relative paths are of a folder, or of the session's. */
export function entryTest({ since, until, grep, touches }: LogFilter, cwd: string): EntryTest | undefined {
  const tests: EntryTest[] = []
  const timeOf = ({ time }: LogEntry): number => (time === null ? Number.NaN : Date.parse(time))
  if (since !== undefined) tests.push((entry) => timeOf(entry) >= since)
  if (until !== undefined) tests.push((entry) => timeOf(entry) < until)
  if (grep !== undefined) tests.push(({ view }) => textsOf(view).some(({ text }) => grep.test(text)))
  if (touches !== undefined)
    tests.push(({ view }, session) => {
      const folders = new Folders(session, cwd)
      return filesIn(view).some((file) => touches.some((path) => folders.isAt(file, path)))
    })
  return tests.length === 0 ? undefined : (entry, session) => tests.every((holds) => holds(entry, session))
}

/** Returns the files that tool calls of an entry name. */
const filesIn = ({ blocks }: View): readonly string[] =>
  blocks.flatMap((block) => (block.kind === 'toolCall' ? filesOf(block).map(({ path }) => path) : []))

/** The folders in which the paths of a session's calls, and of those who look for them, are. */
class Folders {
  readonly #own: string | null
  readonly #moves: readonly (readonly [from: string, to: string])[]
  readonly #here: string

  constructor(session: SessionTrunk | undefined, here: string) {
    this.#own = session?.meta.cwd ?? null
    this.#moves = session?.meta.moved ?? []
    this.#here = here
  }

  /** Returns whether a file that a call names is at a path or below it, also where its folder moved since. */
  isAt(file: string, path: string): boolean {
    const own = this.#own
    const named = own === null ? [file] : [file, this.#now(absolute(own, file))]
    const asked = [path.replace(/^\.\//, ''), absolute(this.#here, path), absolute(own ?? this.#here, path)]
    if (named.some((one) => asked.some((wanted) => isWithin(one, wanted)))) return true
    return !/^\.{0,2}[/\\]/.test(path) && endsWith(file, path)
  }

  /** Returns where a path is now. */
  #now(path: string): string {
    return this.#moves.reduce((at, [from, to]) => moved(at, from, to) ?? at, path)
  }
}

/** Returns whether a path ends with the names of another one, in whole names. */
function endsWith(path: string, end: string): boolean {
  const [long, short] = [path, end].map((one) => one.replaceAll('\\', '/')) as [string, string]
  return long.endsWith(`/${short}`)
}
