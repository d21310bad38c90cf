import type { Repo } from '../repo/repo.ts'
import { refsPassedOver } from '../repo/unsoundrefs.ts'

/** Returns the damaged refs that reading has gone on without, with what is wrong with each. */
export const passedOver = async (repo: Repo): Promise<ReadonlyMap<string, string>> =>
  repo.passedOver.size === 0 ? repo.passedOver : repo.read(refsPassedOver)
