import { distance } from 'fastest-levenshtein'
import { SessError } from '../model/errors.ts'
import { allSessions } from '../repo/session.ts'
import type { Call } from './call.ts'
import { guessing } from './guessing.ts'

/** Gives at most three names that a word may have meant, the nearest first: alike, or the word is part of them. */
export function nearest(word: string, names: Iterable<string>): string[] {
  const asked = word.toLowerCase()
  const limit = Math.max(1, Math.floor(asked.length / 3))
  const scored: [number, string][] = []
  for (const name of new Set(names)) {
    const lower = name.toLowerCase()
    const apart = distance(asked, lower.slice(0, 200))
    const within = asked.length >= 3 && lower.includes(asked)
    if (apart <= limit || within) scored.push([within ? 0 : apart, name])
  }
  return scored
    .sort(([a], [b]) => a - b)
    .slice(0, 3)
    .map(([, name]) => name)
}

/** Gives an error about a name that was not found, its hint beginning with the names that it may have meant. */
export async function withNearNames(call: Call, error: SessError): Promise<SessError> {
  const word = /'(.+)'/.exec(error.message)?.[1]
  const repo = call.opened
  if (word === undefined || repo === undefined) return error
  const names: string[] = []
  await repo.read(async (backend) => {
    const slash = word.indexOf('/')
    for await (const { id, meta, branches } of allSessions(backend)) {
      names.push(...(word.length < id.length / 2 ? [] : [id]), ...(meta.title ? [meta.title] : []))
      for (const owner of slash > 0 ? [id, meta.title] : [])
        if (owner && word.startsWith(owner.slice(0, slash)))
          for (const branch of branches.keys()) names.push(`${word.slice(0, slash)}/${branch}`)
    }
  })
  const near = nearest(word, names)
  if (near.length === 0) return error
  return new SessError(error.code, word, { hint: guessing(near) + error.hint, cause: error })
}
