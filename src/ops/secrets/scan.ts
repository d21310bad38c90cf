import { type FindSecrets, joinedTexts, masked, textsIn } from '../../model/secrets/secret.ts'
import type { Repo } from '../../repo/repo.ts'
import { KnownSecrets, Redaction, type SecretPlace } from './redaction.ts'
import { SearchedTexts, type StoredText } from './searchedtexts.ts'

export { loadSecretList } from '../../sources/secretrules.ts'

/** The location of a secret. The secret itself is not in it. */
export interface FoundSecret extends Pick<StoredText, 'session' | 'oid'> {
  /** Where in the record, or what else holds it: `message.content[0].text`, `title`, `operation 12`. */
  readonly field: string
  /** The name of the rule that recognised it. */
  readonly rule: string
  readonly masked: string
  /** 8 hex digits that are the same for the same secret in this store. */
  readonly secret: string
}

/** The amount of text that was searched. */
export interface Scanned {
  readonly entries: number
  readonly records: number
  /** UTF-16 units of text. */
  readonly characters: number
}

/** How a scan searches. */
export interface ScanOptions {
  readonly find: FindSecrets
  /** Sessions, ranges, entries. Default: all that the store holds. */
  readonly revisions?: readonly string[]
  /** Called with each secret that is found, and its mark. */
  readonly onSecret?: (secret: string, mark: string) => void
  /** Called repeatedly during the scan, and at its end. */
  readonly onProgress?: (scanned: Scanned) => void
}

/** The number of texts after which other events run. */
const TEXTS_PER_YIELD = 1000

/**
 * Finds secrets in entries and their records, and of a whole store in titles, names, settings and commands too: each
 * once per location. A second pass finds the locations at which a secret that the first one recognised has another
 * spelling. Throws as `resolve`.
 */
export async function* scan(
  repo: Repo,
  { find, revisions = [], onSecret, onProgress = () => undefined }: ScanOptions,
): AsyncGenerator<FoundSecret> {
  const found = repo.stream(async function* (reader) {
    const secrets = new KnownSecrets(repo.identity.id, find)
    const locations = new FoundLocations(secrets, onSecret)
    let characters = 0
    for (const pass of ['recognise', 'locate'] as const) {
      if (pass === 'locate' && secrets.isEmpty) return
      const texts = new SearchedTexts(reader)
      let searched = 0
      const all = revisions.length === 0 ? texts.all() : texts.some(revisions)
      for await (const text of all) {
        if (pass === 'recognise') {
          const whole = joinedTexts(text.value)
          characters += whole.length
          if (secrets.recognise(whole).length > 0) yield* locations.in(text, (one) => secrets.recognise(one))
        } else yield* locations.in(text, (one) => secrets.locate(one), true)
        if (++searched % TEXTS_PER_YIELD > 0) continue
        if (pass === 'recognise') onProgress({ entries: texts.entries, records: texts.records, characters })
        await repo.yieldToEvents()
      }
      if (pass === 'recognise') onProgress({ entries: texts.entries, records: texts.records, characters })
    }
  }, LONG)
  yield* found
}

/** It reads everything, and reports it as it goes. */
const LONG = { isLong: true } as const

class FoundLocations {
  readonly #secrets: KnownSecrets
  readonly #onSecret: ScanOptions['onSecret']
  readonly #found = new Set<string>()

  constructor(secrets: KnownSecrets, onSecret: ScanOptions['onSecret']) {
    this.#secrets = secrets
    this.#onSecret = onSecret
  }

  /**
   * Yields the locations in a text that were not found before. With `sealed`, signatures and images are searched too.
   */
  *in(
    { value, session, oid, within }: StoredText,
    find: (text: string) => readonly SecretPlace[],
    sealed = false,
  ): Generator<FoundSecret> {
    for (const [field, text] of textsIn(value, { within, sealed })) {
      for (const { known } of find(text)) {
        const { rule, secret, mark } = known
        this.#onSecret?.(secret, mark)
        const key = JSON.stringify([oid ?? session, field, mark])
        if (this.#found.has(key)) continue
        this.#found.add(key)
        // The name of a field may itself be a secret.
        const shown = new Redaction(this.#secrets).text(field)
        yield { session, oid, field: shown, rule, masked: masked(secret), secret: mark }
      }
    }
  }
}
