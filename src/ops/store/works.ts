import type { RequestHandlers } from '../../repo/repo.ts'
import type { appendAsked } from '../append.ts'

let loaded: { readonly appendAsked: typeof appendAsked } | undefined

/** What a process that has the database does for others that would else have to wait for it. */
export const WORKS: RequestHandlers = {
  append: async (repo, ask) => {
    // Looking a loaded module up again takes as long as reading what was asked.
    loaded ??= await import('../append.ts')
    return loaded.appendAsked(repo, ask)
  },
}
