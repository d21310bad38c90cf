import type { RefName } from '../../model/refname.ts'

/** What the names of a session's refs begin with. */
const SESSION = /^sessions\/[^/]+\//

/** Gives names of refs in short: one that begins with the session of the name before it has `/` in its place. */
export function shortNames(names: readonly RefName[]): string[] {
  let before: string | undefined
  return names.map((name) => {
    const session = SESSION.exec(name)?.[0]
    const isSame = session !== undefined && session === before
    before = session
    return isSame ? `/${name.slice(session.length)}` : name
  })
}

/** Gives the names that `shortNames` made short. */
export function fullNames(names: readonly string[]): RefName[] {
  let before = ''
  return names.map((name) => {
    const full = name.startsWith('/') ? before + name.slice(1) : name
    before = SESSION.exec(full)?.[0] ?? ''
    return full as RefName
  })
}
