import type { Oid } from '../model/encoding/oid.ts'
import { ownWords } from '../model/prompt.ts'
import type { Repo } from '../repo/repo.ts'
import { viewAt } from './entries.ts'

/** Returns what the user wrote in an entry, undefined where it holds only what the agent says in the user's name. */
export const userWords = (repo: Repo, oid: Oid): Promise<string | undefined> =>
  repo.read(async (reader) => {
    const entry = (await reader.findMany([oid])).get(oid)
    return entry === undefined ? undefined : ownWords(await viewAt(reader, entry))
  })
