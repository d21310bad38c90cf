import type { Loss } from '../../formats/core/losses.ts'
import type { Draft, DraftEntry } from '../../formats/core/writer.ts'
import { fullViewOf } from '../../formats/registry.ts'
import { collected } from '../../model/async.ts'
import { joined, textOfBytes } from '../../model/bytes.ts'
import { sha256Oid } from '../../model/encoding/sha256.ts'
import type { Json } from '../../model/json.ts'
import type { LogRecord } from '../../model/record.ts'
import { type FindSecrets, joinedTexts, withTexts } from '../../model/secrets/secret.ts'
import { normalSecret, Spellings, unescaped } from '../../model/secrets/spellings.ts'
import { spell } from '../../model/spelling/jsonspelling.ts'
import type { View } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { bytesOfRecord, valueOf } from '../../repo/records.ts'

const utf8 = new TextEncoder()

/**
 * Returns the mark of a secret: 8 hex digits that are the same for the same secret in a store, and useless to anyone who
 * does not have the store's identity to test guesses with.
 */
export const markOf = (store: string, secret: string): string =>
  sha256Oid(utf8.encode(`${store}\0${normalSecret(secret)}`)).slice(0, 8)

/** A secret that was recognised. */
export interface KnownSecret {
  /** The name of the rule that recognised it first. */
  readonly rule: string
  readonly mark: string
  /** Its normal form, without escapes. */
  readonly secret: string
}

/** A part of a text that holds a secret. */
export interface SecretPlace {
  readonly known: KnownSecret
  readonly start: number
  readonly end: number
}

/** The rule of secrets that the caller gave. */
const GIVEN = 'secret'

/** Shorter secrets that a rule recognises are not searched for elsewhere: the same text may mean something else there. */
const SHORTEST = 12

/** The secrets that were recognised so far. Finds them in all their spellings, also where no rule recognises them. */
export class KnownSecrets {
  readonly #find: FindSecrets
  readonly #store: string
  readonly #known = new Map<string, KnownSecret>()
  readonly #spellings = new Spellings([])

  /** `find` recognises secrets by their form. The `given` ones are known from the start. */
  constructor(store: string, find: FindSecrets, given: readonly string[] = []) {
    this.#store = store
    this.#find = find
    for (const secret of given) this.#add(GIVEN, normalSecret(secret), 1)
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  #add(rule: string, secret: string, shortest = SHORTEST): KnownSecret {
    const before = this.#known.get(secret)
    if (before) return before
    const known = { rule, secret, mark: markOf(this.#store, secret) }
    this.#known.set(secret, known)
    if (secret.length >= shortest) this.#spellings.add(secret, secret)
    return known
  }

  /** Returns what the rules recognise in a text, and knows it from then on. */
  recognise(text: string): SecretPlace[] {
    return this.#find(text).map(({ rule, start, end }) => {
      const found = text.slice(start, end)
      const secret = normalSecret(found.includes('\\') ? unescaped(found) : found)
      // The beginning of a secret that is known, such as of a key in a title that was cut.
      const [first] = this.#known.has(secret) ? [] : this.locate(secret)
      const isKnown = first?.start === 0 && first.end === secret.length
      return { known: isKnown ? first.known : this.#add(rule, secret), start, end }
    })
  }

  /** Returns where a text spells secrets that are known, in order, without overlaps. */
  locate(text: string): SecretPlace[] {
    return this.#spellings.find(text).map(({ id, start, end }) => {
      const known = this.#known.get(id) as KnownSecret
      return { known, start, end }
    })
  }

  /** Returns where a text holds secrets: known ones, and those that the rules recognise besides. */
  places(text: string): SecretPlace[] {
    const recognised = this.recognise(text)
    const located = this.locate(text)
    const rest = recognised.filter((one) =>
      located.every(({ start, end }) => one.end <= start || one.start >= end),
    )
    return rest.length === 0 ? located : [...located, ...rest].sort((a, b) => a.start - b.start)
  }
}

/** Returns the text that stands for a secret: `[redacted:github:1f2e3d4c]`. */
const replacementOf = ({ rule, mark }: KnownSecret): string => `[redacted:${rule}:${mark}]`

/** A part of a text that is to be replaced, and the mark that stands for it. */
export interface MaskedPart {
  readonly start: number
  readonly end: number
  readonly mark: string
}

/**
 * Returns for each of some texts the parts that are secrets. A secret that a rule recognises in one of them is found in all
 * of them.
 */
export function secretParts(
  store: string,
  find: FindSecrets,
  texts: readonly string[],
): readonly (readonly MaskedPart[])[] {
  const secrets = new KnownSecrets(store, find)
  for (const text of texts) secrets.recognise(text)
  return texts.map((text) =>
    secrets.places(text).map(({ known, start, end }) => ({ start, end, mark: replacementOf(known) })),
  )
}

/** Replaces secrets by marks, equal secrets by equal marks: `[redacted:github:1f2e3d4c]`. */
export class Redaction {
  readonly #secrets: KnownSecrets
  /** The number of replacements. */
  count = 0
  /** The marks of the secrets that were replaced. */
  readonly marks = new Set<string>()

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets
  }

  readonly text = (text: string): string => this.#replace(text, this.#secrets.places(text))

  #replace(text: string, places: readonly SecretPlace[]): string {
    if (places.length === 0) return text
    const parts: string[] = []
    let done = 0
    for (const { known, start, end } of places) {
      this.marks.add(known.mark)
      this.count++
      parts.push(text.slice(done, start), replacementOf(known))
      done = end
    }
    return parts.join('') + text.slice(done)
  }

  /** Replaces known secrets in a text that no rule is tried on: a signature, an image. */
  readonly #sealed = (text: string): string => this.#replace(text, this.#secrets.locate(text))

  /** Returns a value of the same shape; the same object if it holds no secret. */
  value(value: Json): Json {
    const isRecognised = this.#secrets.recognise(joinedTexts(value)).length > 0
    if (!isRecognised && this.#secrets.isEmpty) return value
    return withTexts(value, this.text, this.#sealed)
  }

  /** Returns bytes with the secrets of their text replaced; the same object if they hold none. */
  bytes(bytes: Uint8Array): Uint8Array {
    const { text, encoding } = textOfBytes(bytes)
    const redacted = this.text(text)
    return redacted === text ? bytes : Buffer.from(redacted, encoding)
  }
}

type OnLoss = ((loss: Loss) => void) | undefined

/** Yields the bytes of a source's records and tail, redacted. Records without secrets keep their bytes. */
export async function* redactedBytes(
  reader: Reader,
  { records, tail }: { records: AsyncIterable<LogRecord>; tail: AsyncIterable<Uint8Array> },
  redaction: Redaction,
  onLoss?: OnLoss,
): AsyncGenerator<Uint8Array> {
  for await (const record of records) {
    const before = redaction.count
    yield* redactedRecord(reader, record, redaction)
    if (redaction.count === before) continue
    const { entry: handle } = record
    onLoss?.({ code: 'redacted', ...(handle !== undefined && { oid: await reader.oid(handle) }) })
  }
  yield redaction.bytes(joined(await collected(tail)))
}

async function* redactedRecord(
  reader: Reader,
  record: LogRecord,
  redaction: Redaction,
): AsyncGenerator<Uint8Array> {
  const { content, lead } = record
  const value = await valueOf(reader, record)
  if ('raw' in content || value === undefined) {
    yield redaction.bytes(joined(await collected(bytesOfRecord(reader, record))))
    return
  }
  if (lead.length > 0) yield redaction.bytes(lead)
  const redacted = redaction.value(value)
  // After the '#' the spelling has edits of the former text.
  const spelling = redacted === value ? content.spelling : content.spelling.replace(/#.*$/s, '')
  yield utf8.encode(spell(redacted, spelling))
}

/** Returns the view of another body of an entry, with the usage that its record holds. */
const reviewed = ({ type, view: { usage } }: Pick<DraftEntry, 'type' | 'view'>, body: Json): View => ({
  ...fullViewOf(type, body),
  ...(usage && { usage }),
})

/** Returns a redacted draft, for any format. */
export function redactedDraft(draft: Draft, redaction: Redaction, onLoss?: OnLoss): Draft {
  const { id, title, prompt, cwd, header } = draft
  const named = <T>(names: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...names].map(([name, at]) => [redaction.text(name), at]))
  const changed = <E extends Omit<DraftEntry, 'value'>>(entry: E): E => {
    const body = redaction.value(entry.body)
    return body === entry.body ? entry : { ...entry, body, view: reviewed(entry, body) }
  }
  return {
    ...draft,
    id: redaction.text(id),
    ...(title !== undefined && { title: redaction.text(title) }),
    ...(prompt !== undefined && { prompt: redaction.text(prompt) }),
    ...(cwd !== undefined && { cwd: redaction.text(cwd) }),
    ...(header !== undefined && { header: redaction.value(header) }),
    branches: named(draft.branches),
    labels: named(draft.labels),
    async *entries() {
      for await (const entry of draft.entries()) {
        const before = redaction.count
        const { value, native } = entry
        const redacted = {
          ...changed(entry),
          ...(value !== undefined && { value: redaction.value(value) }),
          ...(native !== undefined && { native: redaction.text(native) }),
        }
        if (redaction.count > before) onLoss?.({ code: 'redacted', oid: entry.oid })
        yield redacted
      }
    },
    read: async (at) => changed(await draft.read(at)),
  }
}
