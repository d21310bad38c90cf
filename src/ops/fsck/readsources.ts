import { field } from '../../model/json.ts'
import type { RefValue } from '../../model/operation.ts'
import { parseSessionRef, type RefName } from '../../model/refname.ts'
import { journalOf } from '../../repo/journalcheck.ts'
import type { Repo } from '../../repo/repo.ts'
import { kindOf } from '../../sources/files.ts'
import { importPaths } from '../import/import.ts'

/** Imports the files that sessions came from into a temporary store, as far as they still exist. */
export async function readSources(repo: Repo, scratch: Repo): Promise<void> {
  const paths = new Set<string>()
  const take = (name: RefName, value: RefValue | null): void => {
    if (parseSessionRef(name)?.kind !== 'meta' || value === null) return
    const path = field(value, 'path')
    // Never a folder, of which all files would be read: the path may come from somebody else.
    if (typeof path === 'string' && kindOf(path) === 'file') paths.add(path)
  }
  // The journal has the paths of sessions that the database lost.
  for (const { refs } of journalOf(repo.dir).lines) for (const [name, value] of refs) take(name, value)
  await repo.read(async (reader) => {
    for await (const [name, value] of reader.refs('sessions/')) take(name, value)
  })
  if (paths.size > 0) await importPaths(scratch, [...paths])
}
