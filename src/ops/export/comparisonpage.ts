import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { FindSecrets } from '../../model/secrets/secret.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { compare } from '../compare.ts'
import { diff } from '../diff.ts'
import type { LogEntry } from '../entries.ts'
import { rangeSides } from '../revisionrange.ts'
import { KnownSecrets, Redaction } from '../secrets/redaction.ts'
import { loadSecretList } from '../secrets/scan.ts'

interface ComparisonOptions {
  readonly format?: string | undefined
  readonly branch?: string | undefined
  readonly below?: string | undefined
  /** Finds the secrets that are masked. */
  readonly redact?: FindSecrets | undefined
  readonly secrets?: readonly string[]
  readonly allowSecrets?: boolean | undefined
}

/** Returns the two revisions that a page is asked to compare, `A..B`; undefined of an export of another kind. Throws `bad-usage`. */
export async function comparedIn(
  repo: Repo,
  text: string,
  { format, branch, below }: ComparisonOptions,
): Promise<readonly [string, string] | undefined> {
  if (format !== 'html' || !text.includes('..')) return undefined
  const sides = await repo.read((reader) => rangeSides(reader, text))
  if (sides && (branch ?? below) !== undefined)
    throw new SessError('bad-usage', 'a comparison has two paths: no branch of it is chosen')
  return sides && [sides.left, sides.right]
}

/**
 * Yields a page that compares two revisions, as `exportSession` does one with a session: it needs no script and no network.
 * Throws `has-secrets` before the first byte where the page would show some that nobody allowed or masks.
 */
export async function* comparisonPage(
  repo: Repo,
  revisions: readonly [string, string],
  { redact, secrets = [], allowSecrets = false }: ComparisonOptions,
): AsyncGenerator<Uint8Array> {
  // Loaded on use: no other format is painted.
  const { comparedBegin, comparedNone, comparedPair, FILE_END } = await import('../../page/file.tsx')
  const [comparison, differences] = [await compare(repo, revisions), await diff(repo, ...revisions)]
  const find = redact ?? (allowSecrets ? undefined : await loadSecretList())
  const known = find && new KnownSecrets(repo.identity.id, find, secrets)
  const shownTexts = [
    ...[...differences.left, ...differences.right].map(({ text }) => text),
    ...comparison.sides.flatMap(({ branch, files }) => [branch, ...files.read, ...files.changed]),
    ...revisions,
  ]
  const found = known ? await secretsIn(repo, known, shownTexts) : 0
  if (found > 0 && !redact)
    throw new SessError('has-secrets', revisions.join('..'), { detail: `${found} places` })
  const masked = known && redact ? new Redaction(known).text : (text: string) => text
  const sides = comparison.sides.map((side) => ({
    ...side,
    branch: side.branch && masked(side.branch),
    files: { read: side.files.read.map(masked), changed: side.files.changed.map(masked) },
  }))
  const names = sides.map(({ branch, revision }) => branch ?? masked(revision))
  const base = differences.base
  const common = base === null ? null : (await repo.read((reader) => depthOf(reader, base))) + 1
  const encode = (text: string): Uint8Array => Buffer.from(text)
  yield encode(comparedBegin({ title: names.join(' and '), common, whole: comparison.whole, sides }))
  const shown = (entry: LogEntry | undefined): LogEntry | undefined =>
    entry && { ...entry, text: entry.text === null ? null : masked(entry.text) }
  let count = 0
  for (const { left, right, same } of differences.pairs) {
    const pair = [shown(left), shown(right)]
    if (same || pair.every((one) => (one?.text ?? '') === '')) continue
    yield encode(comparedPair(pair, names))
    if (++count % PAIRS_PER_YIELD === 0) await repo.yieldToEvents()
  }
  if (count === 0) yield encode(comparedNone(differences.pairs.length))
  yield encode(FILE_END)
}

/** The number of pairs, and of texts, after which other events run. */
const PAIRS_PER_YIELD = 200

async function secretsIn(repo: Repo, known: KnownSecrets, texts: Iterable<string | null>): Promise<number> {
  let [found, count] = [0, 0]
  for (const text of texts) {
    if (text !== null) found += known.recognise(text).length
    if (++count % PAIRS_PER_YIELD === 0) await repo.yieldToEvents()
  }
  return found
}

async function depthOf(reader: Reader, oid: Oid): Promise<number> {
  const handle = await reader.find(oid)
  return handle === undefined ? 0 : (await reader.node(handle)).depth
}
