import { SessError } from '../../model/errors.ts'
import type { FindSecrets } from '../../model/secrets/secret.ts'
import type { Repo } from '../../repo/repo.ts'
import { loadSecretList, scan } from '../secrets/scan.ts'

/** The options by which secrets stop an export, or do not. */
interface SecretChoice {
  readonly format?: string | undefined
  readonly redact?: FindSecrets | undefined
  readonly allowSecrets?: boolean
}

/** How many places with secrets are counted before an export is refused. */
const MAX_COUNTED_SECRETS = 100

/** A page is made to be shared: throws `has-secrets` where it would show some that nobody allowed. */
export async function refuseSecrets(
  repo: Repo,
  text: string,
  { format, redact, allowSecrets = false }: SecretChoice,
): Promise<void> {
  if (format !== 'html' || redact || allowSecrets) return
  const rules = new Set<string>()
  let count = 0
  for await (const { rule } of scan(repo, { find: await loadSecretList(), revisions: [text] })) {
    rules.add(rule)
    if (++count === MAX_COUNTED_SECRETS) break
  }
  if (count > 0)
    throw new SessError('has-secrets', text, {
      detail: `${count === MAX_COUNTED_SECRETS ? `${count} or more` : count} places: ${[...rules].join(', ')}`,
    })
}
