import type { RequestHandlers } from '../../repo/repo.ts'
import type { appendFor } from './append.ts'

let loaded: { readonly appendFor: typeof appendFor } | undefined

/** The requests that the process holding the database serves for processes that would otherwise wait for it. */
export const REQUEST_HANDLERS: RequestHandlers = {
  append: async (repo, ask, database = repo.database) => {
    // Looking a loaded module up again takes as long as reading the request.
    loaded ??= await import('./append.ts')
    return loaded.appendFor(repo, ask, database)
  },
}
