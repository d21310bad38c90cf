import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { type FindSecrets, joinedTexts, joinTexts, type Secret } from '../../model/secrets/secret.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { loadSecretList } from '../secrets/scan.ts'
import { type ExportChoice, partOf } from './selection.ts'

/** The options by which secrets stop an export, or do not. */
interface SecretChoice extends ExportChoice {
  readonly format?: string | undefined
  readonly redact?: FindSecrets | undefined
  readonly allowSecrets?: boolean
}

/** How many places with secrets are counted before an export is refused. */
const MAX_COUNTED_SECRETS = 100

/** A page is made to be shared: throws `has-secrets` where it would show some that nobody allowed. Throws as `partOf`. */
export async function refuseSecrets(
  repo: Repo,
  text: string,
  { format, redact, allowSecrets = false, ...choice }: SecretChoice,
): Promise<void> {
  if (format !== 'html' || redact || allowSecrets) return
  const find = await loadSecretList()
  const found: Secret[] = []
  for await (const texts of repo.stream((reader) => textsShown(reader, text, choice))) {
    found.push(...find(texts))
    if (found.length >= MAX_COUNTED_SECRETS) break
    await repo.yieldToEvents()
  }
  if (found.length === 0) return
  const count = found.length < MAX_COUNTED_SECRETS ? String(found.length) : `${MAX_COUNTED_SECRETS} or more`
  const rules = [...new Set(found.map(({ rule }) => rule))].join(', ')
  throw new SessError('has-secrets', text, { detail: `${count} places: ${rules}` })
}

/** Each rule looks at a text from its beginning to its end: short texts are searched together. */
const SEARCHED_TOGETHER = 64 << 10

/** Yields all texts that a page shows: of the entries of its path, and of its head. */
async function* textsShown(reader: Reader, text: string, choice: ExportChoice): AsyncGenerator<string> {
  const { session, handles } = await partOf(reader, text, { ...choice, onePath: true })
  let texts: string[] = []
  let length = 0
  if (session) {
    const { title, prompt, cwd } = session.meta
    texts.push(
      joinedTexts([session.id, ...Object.values(defined({ title, prompt, cwd })), ...session.labels.keys()]),
    )
  }
  for (const handle of handles) {
    const body = reader.body(handle)
    const one = joinedTexts(body instanceof Promise ? await body : body)
    texts.push(one)
    length += one.length
    if (length < SEARCHED_TOGETHER) continue
    yield joinTexts(texts)
    texts = []
    length = 0
  }
  yield joinTexts(texts)
}
