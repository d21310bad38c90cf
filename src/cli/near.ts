import { distance } from 'fastest-levenshtein'
import type { Code, SessError } from '../model/errors.ts'
import type { Backend } from '../repo/backend.ts'
import { allSessions } from '../repo/session.ts'
import type { Call } from './call.ts'
import { guessing } from './guessing.ts'

/**
 * Gives at most three names that a word may have meant, the nearest first: alike, or the word is part of
 * them.
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

/** Gives the letters of a word in order: those of two are the same where letters only changed places. */
const sorted = (word: string): string => [...word].sort().join('')

/**
 * Gives an error about a name that was not found, its hint beginning with the names that it may have meant.
 */
export async function withNearNames(call: Call, error: SessError): Promise<SessError> {
  const word = /'(.+)'/.exec(error.message)?.[1]
  const repo = call.opened
  if (word === undefined || repo === undefined) return error
  const near = await repo.read((backend) => nearIn(backend, word, error.code))
  if (near.length === 0) return error
  return error.with({ hint: guessing(near) + error.hint })
}

/**
 * Gives the sessions and titles that a word may have meant; of `session/name` the branches and labels of that session,
 * whichever were looked for.
 */
async function nearIn(backend: Backend, word: string, code: Code): Promise<string[]> {
  const slash = word.indexOf('/')
  const [owner, name] = [word.slice(0, slash), word.slice(slash + 1)]
  const names: string[] = []
  for await (const { id, meta, branches, labels } of allSessions(backend)) {
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
