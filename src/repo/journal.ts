import { encode } from '../model/canonical.ts'
import type { RefName } from '../model/refname.ts'
import type { Backend, RefValue } from '../storage/backend.ts'
import { readJournal } from '../storage/journal.ts'

/**
 * Compares the journal beside a database with the refs in it, and gives what differs. A journal that lacks the last
 * operation is no problem: a process was killed between the two writes, and the database is right.
 */
export async function journalProblems(dir: string, backend: Backend): Promise<string[]> {
  const { lines, damaged } = readJournal(dir)
  const last = await backend.lastOperation()
  const newest = lines.at(-1)?.operation ?? 0
  if (newest > last) return [`the database lost its last ${newest - last} operations`]
  if (newest < last) return []
  const refs = new Map<RefName, RefValue | null>()
  for (const line of lines) for (const [name, value] of line.refs) refs.set(name, value)
  const problems: string[] = []
  for (const [name, value] of refs) {
    const now = (await backend.ref(name)) ?? null
    if (Buffer.compare(encode(now), encode(value)) !== 0)
      problems.push(`the ref ${name} is not what the journal says`)
  }
  if (damaged > 0) problems.push(`${damaged} lines fail their checksum`)
  return problems
}
