import { SessError } from '../../model/errors.ts'
import { parseSessionRef, type RefName } from '../../model/refname.ts'
import type { Reader } from '../reader.ts'
import { resolveSession } from '../revision.ts'
import type { SessionMeta } from '../session.ts'
import { operationsNewestFirst } from './operationlog.ts'

/** The minimum length of a prefix of the id of a removed session. */
const SHORTEST_PREFIX = 4

/**
 * Returns the id of the session that a text names, else of the session with this id, prefix or title that was removed
 * last. Throws `no-session` or `ambiguous-revision`.
 */
export async function resolveSessionId(reader: Reader, text: string, cwd: string): Promise<string> {
  try {
    return (await resolveSession(reader, text, cwd)).id
  } catch (error) {
    if (!(error instanceof SessError) || error.code !== 'no-session') throw error
    const id = await findRemoved(reader, text)
    if (id === undefined) throw error
    return id
  }
}

async function findRemoved(reader: Reader, text: string): Promise<string | undefined> {
  for await (const { moves } of operationsNewestFirst(reader))
    for (const { name, old, new: value } of moves) {
      const session = value === undefined ? sessionOfMeta(name) : undefined
      if (session === undefined) continue
      const { title } = old as SessionMeta
      if (session === text || title === text || (text.length >= SHORTEST_PREFIX && session.startsWith(text)))
        return session
    }
  return undefined
}

/** Returns the session whose metadata a ref holds, or undefined. */
function sessionOfMeta(name: RefName): string | undefined {
  const parsed = parseSessionRef(name)
  return parsed?.kind === 'meta' ? parsed.session : undefined
}
