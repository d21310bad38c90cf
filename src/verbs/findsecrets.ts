import type { FindSecrets } from '../model/secrets/secret.ts'
import { loadSecretList } from '../ops/secrets/scan.ts'
import type { VerbContext } from './open.ts'

/** Returns what recognises secrets in a call. */
export const findSecretsIn = async ({
  findSecrets,
}: Pick<VerbContext, 'findSecrets'>): Promise<FindSecrets> => findSecrets ?? (await loadSecretList())
