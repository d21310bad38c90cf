import type { Repo } from '../repo/repo.ts'
import { kindOf, within } from '../sources/files.ts'

/** The store in a folder. */
export interface InitializedStore {
  readonly store: string
  readonly id: string
  /** Whether there was none before. */
  readonly created: boolean
}

/** Makes a store in a folder by opening it, unless there is one. */
export async function initStore(folder: string, open: () => Promise<Repo>): Promise<InitializedStore> {
  const created = kindOf(within(folder, 'sess.json')) === 'missing'
  const { identity } = await open()
  return { store: folder, id: identity.id, created }
}
