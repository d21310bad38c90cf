import { type Sample, sampleOf } from '../../formats/core/sample.ts'
import { holdsConversation } from '../../formats/generic/index.ts'
import { detectFormat } from '../../formats/registry.ts'
import { type FoundFile, folderOf, headOf, isCredential, nameOf } from '../../sources/files.ts'
import { isOfSystem, type Unread } from './result.ts'
import { namesOf } from './source.ts'

/** The bytes of a file that are looked at, and the most files. */
const HEAD = 64 << 10
const MAX_FILES = 1000

/**
 * Returns reports of files at the places of agents that look like sessions by their content and were not read, because their
 * names are not those of sessions: one for each folder, with the first file and how many there are. Of many files only the
 * first are looked at.
 */
export function unmatchedIn(files: readonly FoundFile[]): Unread[] {
  const folders = new Map<string, string[]>()
  for (const { path, size } of files.slice(0, MAX_FILES)) {
    if (!looksLikeSession(path, size)) continue
    const folder = path.slice(0, -nameOf(path).length - 1)
    const known = folders.get(folder)
    if (known) known.push(nameOf(path))
    else folders.set(folder, [nameOf(path)])
  }
  return [...folders].map(([path, [first = '', ...more]]) => ({
    path,
    unread: 'unknown',
    name: more.length === 0 ? `file '${first}'` : `files such as '${first}'`,
    count: 1 + more.length,
    note: 'to import it all the same, name it',
  }))
}

function looksLikeSession(path: string, size: number): boolean {
  if (isCredential(nameOf(path))) return false
  const sample = orNone(() =>
    sampleOf(nameOf(path), headOf(path, Math.min(HEAD, size)), size, folderOf(path), namesOf(path).above),
  )
  return sample !== undefined && (detectFormat(sample).conversational || holdsConversation(sample))
}

/** Runs work that reads a file. Returns undefined where the system does not allow it: the file may be gone. */
function orNone(work: () => Sample): Sample | undefined {
  try {
    return work()
  } catch (error) {
    if (isOfSystem(error)) return undefined
    throw error
  }
}
