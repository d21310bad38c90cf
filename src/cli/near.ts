import { distance } from 'fastest-levenshtein'
import { type Code, SessError } from '../model/errors.ts'
import { typable } from '../model/typable.ts'
import type { Reader } from '../repo/reader.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { allSessions } from '../repo/session.ts'
import type { Call } from './call.ts'
import { guessing } from './guessing.ts'

/**
 * Returns at most three names that a word may have meant, the nearest first: similar ones, or ones that contain the
 * word.
 */
export function nearest(word: string, names: Iterable<string>): string[] {
  const asked = word.toLowerCase()
  // Two letters that changed places are two edits.
  const limit = asked.length < 4 ? 1 : Math.max(2, Math.min(4, Math.floor(asked.length / 3)))
  const scored: [number, string][] = []
  for (const name of new Set(names)) {
    const lower = name.toLowerCase()
    const apart = distance(asked, lower.slice(0, 200))
    const within = asked.length >= 3 && lower.includes(asked)
    if (apart <= limit || within || (asked.length > 2 && sorted(asked) === sorted(lower)))
      scored.push([within ? 0 : apart, name])
  }
  return scored
    .sort(([a], [b]) => a - b)
    .slice(0, 3)
    .map(([, name]) => name)
}

/** Returns the letters of a word in order: those of two are the same where letters only changed places. */
const sorted = (word: string): string => [...word].sort().join('')

/** Returns an error about an unknown name with a hint at what the name is instead, or at similar names. */
export async function withNearNames(call: Call, error: SessError): Promise<SessError> {
  const word = /'(.+)'/.exec(error.message)?.[1]
  const repo = call.opened
  if (word === undefined || repo === undefined) return error
  const { code, hint } = error
  const better = await repo.read(async (reader) => {
    const instead = await otherwise(reader, word, code, repo.env.cwd)
    return instead ?? guessing(await nearIn(reader, word, code)) + hint
  })
  return error.with({ hint: better })
}

/** Returns a hint at what a word names if it is not of the wanted kind; undefined if it names nothing. */
async function otherwise(reader: Reader, word: string, code: Code, cwd: string): Promise<string | undefined> {
  if (code === 'no-session') {
    const at = await found(resolve(reader, word, cwd))
    if (!at) return undefined
    const name = at.session ? `its session, '${typable(at.session.id, 'SESSION')}'` : 'a session'
    return `'${word}' is an entry: name ${name}; type 'sess ls' to see the sessions`
  }
  if (code === 'no-branch') {
    const name = word.slice(word.indexOf('/') + 1)
    const session = await found(resolveSession(reader, name, cwd))
    const [first] = session?.branches.keys() ?? []
    const branch = session && 'branch' in session.head ? session.head.branch : first
    if (branch === undefined) return undefined
    return `'${name}' is a session: name a branch of it, '${typable(`${name}/${branch}`, 'SESSION/BRANCH')}'`
  }
  return /[^.]\.{2,3}[^.]/.test(word)
    ? "this takes no range: name one session or entry; type 'sess ls' to see the sessions"
    : undefined
}

/** Returns what a name resolves to; undefined if it is unknown or ambiguous. */
async function found<T>(named: Promise<T>): Promise<T | undefined> {
  try {
    return await named
  } catch (error) {
    if (error instanceof SessError) return undefined
    throw error
  }
}

/**
 * Returns the sessions and titles that a word may have meant; for `session/name` the branches and labels of the
 * session.
 */
async function nearIn(reader: Reader, word: string, code: Code): Promise<string[]> {
  const slash = word.indexOf('/')
  const [owner, name] = [word.slice(0, slash), word.slice(slash + 1)]
  const names: string[] = []
  for await (const { id, meta, branches, labels } of allSessions(reader)) {
    if (slash > 0 && (id.startsWith(owner) || meta.title === owner))
      return nearest(name, [
        ...(code === 'no-label' ? [] : branches.keys()),
        ...(code === 'no-branch' ? [] : labels.keys()),
      ]).map((near) => `${owner}/${near}`)
    // A short word is no mistyped id, but may be like a title.
    names.push(...(word.length < id.length / 2 ? [] : [id]), ...(meta.title ? [meta.title] : []))
  }
  return nearest(word, names)
}
