import { Store } from '../../src/library/store.ts'
import type { Repo } from '../../src/repo/repo.ts'

class StoreOver extends Store {
  static over(repo: Repo): Store {
    return new StoreOver(repo)
  }
}

/** Returns a store over a repository that a test opened. */
export const storeOver = (repo: Repo): Store => StoreOver.over(repo)
