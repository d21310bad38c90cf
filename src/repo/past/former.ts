import { SessError } from '../../model/errors.ts'
import { parseSessionRef, type RefName } from '../../model/refname.ts'
import { newestFirst } from '../operation.ts'
import type { Reader } from '../reader.ts'
import { resolveSession } from '../revision.ts'
import type { Meta } from '../session.ts'

/** A beginning of the id of a session that is no more has at least so many characters. */
const PREFIX = 4

/**
 * Gives the id of the session that a text names as in a revision, else of the one that was called so and was removed
 * last. Throws `no-session` or `ambiguous-revision`.
 */
export async function sessionIdNamed(reader: Reader, text: string, cwd: string): Promise<string> {
  try {
    return (await resolveSession(reader, text, cwd)).id
  } catch (error) {
    if (!(error instanceof SessError) || error.code !== 'no-session') throw error
    const former = await removed(reader, text)
    if (former === undefined) throw error
    return former
  }
}

async function removed(reader: Reader, text: string): Promise<string | undefined> {
  for await (const { moves } of newestFirst(reader))
    for (const { name, old, new: value } of moves) {
      const session = value === undefined ? described(name) : undefined
      if (session === undefined) continue
      const { title } = old as Meta
      if (session === text || title === text || (text.length >= PREFIX && session.startsWith(text)))
        return session
    }
  return undefined
}

/** Gives the session that a ref describes. */
function described(name: RefName): string | undefined {
  const parsed = parseSessionRef(name)
  return parsed?.kind === 'meta' ? parsed.session : undefined
}
