import type { Works } from '../repo/options.ts'

/** What a process that has the database does for others that would else have to wait for it. */
export const WORKS: Works = {
  append: async (repo, ask) => (await import('./appending.ts')).appendAsked(repo, ask),
}
