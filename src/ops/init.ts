import type { Repo } from '../repo/repo.ts'

/** The store in a folder. */
export interface InitializedStore {
  readonly store: string
  readonly id: string
  /** Whether this call created it. */
  readonly created: boolean
}

/** Makes a store in a folder by opening it, unless there is one. */
export async function initStore(folder: string, open: () => Promise<Repo>): Promise<InitializedStore> {
  const { identity, isNew } = await open()
  return { store: folder, id: identity.id, created: isNew }
}
