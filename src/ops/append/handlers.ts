import type { RequestHandlers } from '../../repo/repo.ts'
import type { appendWork } from './append.ts'

let loaded: { readonly appendWork: typeof appendWork } | undefined

/** The requests that the process holding the database serves for processes that would otherwise wait for it. */
export const REQUEST_HANDLERS: RequestHandlers = {
  append: async (repo, ask, hold) => {
    // Looking a loaded module up again takes as long as reading the request.
    loaded ??= await import('./append.ts')
    return repo.appendQueue.appendFor(loaded.appendWork(repo), ask, hold)
  },
}
