import { viewOf } from '../../formats/registry.ts'
import { digestOf } from '../../model/encoding/entry.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { defined, field, type Json, type JsonObject } from '../../model/json.ts'
import type { RefValue } from '../../model/operation.ts'
import { cutPrompt, promptIn } from '../../model/prompt.ts'
import type { LogId } from '../../model/record.ts'
import { expungedBodyRef, expungedSecretRef, type RefName } from '../../model/refname.ts'
import {
  Eraser,
  isGuessable,
  isGuessableText,
  NO_TOMBSTONES,
  type Reason,
  repeats,
  spaced,
  strongHash,
  type Tombstones,
  textOfBody,
  type Watched,
  watchedIn,
  weakHash,
} from '../../model/secrets/expunged.ts'
import { type FindSecrets, joinedTexts } from '../../model/secrets/secret.ts'
import { decodedTexts, normalSecret } from '../../model/secrets/spellings.ts'
import { expungedText } from '../../repo/expunge/expungefilter.ts'
import { Expunger } from '../../repo/expunge/expunger.ts'
import { Occurrences } from '../../repo/expunge/occurrences.ts'
import { tombstoneRefs, tombstonesOf } from '../../repo/expunge/tombstones.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { formerCopies, quarantinesIn, removeQuarantines } from '../../repo/rewritestore.ts'
import { oidsOf } from '../entries.ts'
import { resolveSessionOrEntry } from '../export/selection.ts'
import { reindex } from '../indexing.ts'
import { outputHeads } from '../outputs.ts'
import { markOf } from './redaction.ts'
import { scan } from './scan.ts'
import { SearchedTexts } from './searchedtexts.ts'

/** The content that is removed, and why. */
export interface ExpungeOptions {
  /** Entries whose whole text is removed. */
  readonly entries?: readonly string[]
  /** Secrets, which are removed everywhere. */
  readonly secrets?: readonly string[]
  /** Marks of secrets, as `scan` reports them; `find` recognises these secrets. */
  readonly marks?: readonly string[]
  readonly find?: FindSecrets
  readonly why?: string
  /** Called with what is done so far and in all: entries, or bytes of the step `packing`. */
  readonly onProgress?: OnExpunging
  /** Proceed even if the content could be guessed from the digests that remain. */
  readonly force?: boolean
}

/** Is told how far an expunge is. */
type OnExpunging = (step: 'searching' | 'packing' | 'indexing', done: number, of: number) => void

/** The result of an expunge, or of its dry run. */
export interface Expunged {
  /** The entries that lost content. */
  readonly entries: readonly Oid[]
  /** The number of records that lost content. */
  readonly records: number
  /** The marks of the removed secrets. */
  readonly secrets: readonly string[]
  /** Copies of the database that still hold the content, because other processes read them. */
  readonly left: readonly string[]
  /** Quarantined files of earlier repairs, which were removed whole. */
  readonly aside: readonly string[]
}

/**
 * Removes the text of entries, or secrets in all their spellings, permanently: from entries, records, names, the operation
 * log, the journal, the indexes and the disk. Oids do not change; placeholders mark the places. A later import does not
 * bring the content back. Cannot be undone; after a crash, call it again. Throws `no-entry`, `no-secret`,
 * `guessable-secret`, and as `resolve`.
 */
export async function expunge(repo: Repo, options: ExpungeOptions): Promise<Expunged> {
  const secrets = await secretsOf(repo, options)
  const { force = false } = options
  const why = new Eraser(secrets).text(options.why ?? '')
  const guessed = [...secrets.values()].find(isGuessable)
  if (guessed !== undefined && !force)
    throw new SessError('guessable-secret', markOf(repo.identity.id, guessed))
  const named = await repo.read((reader) => entriesOf(reader, options.entries ?? [], force))
  const { onProgress } = options
  const done = await erase(repo, { named, secrets, reason: { why, time: repo.env.now() } }, onProgress)
  return {
    ...done,
    secrets: [...new Set([...done.secrets, ...(options.marks ?? [])])],
    aside: repo.isDry ? quarantinesIn(repo.dir) : removeQuarantines(repo.dir),
  }
}

/**
 * Removes what was expunged before and is in the store again, because an older copy of the database took its place. The
 * tombstones tell.
 */
export async function expungeAgain(repo: Repo): Promise<void> {
  const tombstones = await repo.read(tombstonesOf)
  if (tombstones === NO_TOMBSTONES) return
  const { named, secrets } = await repo.read((reader) => expungedIn(reader, tombstones), { plain: true })
  if (named.length > 0 || secrets.size > 0) await erase(repo, { named, secrets })
}

/** Returns the entries and the secrets, by their marks, that a store has though its tombstones say that they are expunged. */
async function expungedIn(
  reader: Reader,
  { bodies, secrets }: Tombstones,
): Promise<Pick<Erasure, 'named' | 'secrets'>> {
  const [named, known] = [[] as Oid[], new Map<string, string>()]
  for await (const handle of reader.entries()) {
    const { digest } = await reader.node(handle)
    if (Object.hasOwn(bodies, digest) && digestOf(await reader.body(handle)) === digest)
      named.push(await reader.oid(handle))
  }
  if (Object.keys(secrets).length > 0)
    for await (const { value } of new SearchedTexts(reader).all())
      for (const text of decodedTexts(joinedTexts(value)))
        for (const [mark, secret] of watchedIn(text, secrets)) known.set(mark, secret)
  return { named, secrets: known }
}

/** The content to erase from a store. */
interface Erasure {
  /** Entries whose whole text is removed. */
  readonly named: readonly Oid[]
  /** Secrets by their marks. */
  readonly secrets: ReadonlyMap<string, string>
  /** Why, and when; undefined where tombstones say so already. */
  readonly reason?: Reason
}

/**
 * Removes content from a store, and leaves tombstones. These come with the database that lacks the content, so that no
 * reader finds one without the other; the operation follows.
 */
async function erase(
  repo: Repo,
  { named, secrets, reason }: Erasure,
  onProgress: OnExpunging = () => undefined,
): Promise<Omit<Expunged, 'aside'>> {
  const all = (await repo.read((reader) => reader.sizes())).entries
  const counter = (step: 'searching' | 'indexing'): (() => void) => {
    let done = 0
    return () => {
      repo.checkStop()
      onProgress(step, Math.min(++done, all), all)
    }
  }
  const { expunging, holdings, entries, records } = await repo.read(
    (reader) => found(reader, { named, secrets, ...defined({ reason }) }, counter('searching')),
    { plain: true },
  )
  const done = { entries, records, secrets: [...secrets.keys()] }
  if (repo.isDry) return { ...done, left: [] }
  const tombstones = reason ? tombstonesFor(repo, expunging.digests, secrets, reason) : NO_REFS
  const expunger = new Expunger(expunging, holdings, tombstones)
  await repo.rewrite({
    kept: (reader) => expunger.kept(reader),
    revision: expunger,
    thorough: true,
    density: 'same',
    onCopied: (bytes, of) => onProgress('packing', bytes, of),
  })
  await repo.write({ plain: true }, async ({ reader, move }) => {
    for (const [name, value] of tombstones) move(name, await reader.ref(name), ended(value, repo))
  })
  await reindex(repo, counter('indexing'))
  return { ...done, left: formerCopies(repo.dir) }
}

const NO_REFS: ReadonlyMap<RefName, RefValue> = new Map()

/** Returns the tombstones of bodies and secrets. */
function tombstonesFor(
  repo: Repo,
  digests: ReadonlyMap<string, string>,
  secrets: ReadonlyMap<string, string>,
  reason: Reason,
): ReadonlyMap<RefName, RefValue> {
  const watched = [...secrets].map(([mark, secret]): [string, Watched] => {
    const normal = normalSecret(secret)
    const salt = Buffer.from(repo.env.random(16)).toString('hex')
    const hash = strongHash(salt, normal)
    return [mark, { length: normal.length, weak: weakHash(normal), salt, hash, ...reason }]
  })
  const bodies = Object.fromEntries([...digests.keys()].map((digest) => [digest, reason]))
  return tombstoneRefs({ bodies, secrets: Object.fromEntries(watched) })
}

/** Returns a tombstone with the time at which the content was gone, which is later than that at which this was asked. */
const ended = (tombstone: RefValue, { env }: Repo): RefValue => {
  const begun = field(tombstone, 'time')
  return { ...(tombstone as JsonObject), time: Math.max(env.now(), Number(begun) + 1) }
}

/** Returns secrets by their marks. Throws `no-secret` for a mark of none. */
async function secretsOf(
  repo: Repo,
  { secrets = [], marks = [], find }: ExpungeOptions,
): Promise<Map<string, string>> {
  const all = new Map(secrets.map((secret) => [markOf(repo.identity.id, secret), secret]))
  if (marks.length === 0 || !find) return all
  const wanted = new Set(marks)
  const onSecret = (secret: string, mark: string): void => {
    if (wanted.has(mark)) all.set(mark, secret)
  }
  for await (const _ of scan(repo, { find, onSecret })) if (marks.every((mark) => all.has(mark))) break
  for (const mark of marks) {
    if (all.has(mark)) continue
    // A process that was killed may have removed it, and not all of the former copies.
    const isRemoved = await repo.read((reader) => reader.ref(expungedSecretRef(mark)))
    if (isRemoved === undefined) throw new SessError('no-secret', mark)
  }
  return all
}

/** Returns the named entries. Throws `no-entry` for a session, and `guessable-secret` unless that is `meant`. */
async function entriesOf(reader: Reader, named: readonly string[], meant: boolean): Promise<Oid[]> {
  const oids: Oid[] = []
  for (const text of named) {
    const { handle } = await resolveSessionOrEntry(reader, text)
    if (handle === undefined) throw new SessError('no-entry', text, { detail: 'it names a session' })
    const content = spaced(textOfBody(await reader.body(handle)))
    const isRemoved = await reader.ref(expungedBodyRef((await reader.node(handle)).digest))
    if (!meant && isRemoved === undefined && content !== '' && isGuessableText(content))
      throw new SessError('guessable-secret', text)
    oids.push(await reader.oid(handle))
  }
  return oids
}

async function found(reader: Reader, { named, secrets, reason }: Erasure, onEntry: () => void) {
  const { bodies } = await tombstonesOf(reader)
  const digests = new Map<string, string>()
  const texts: string[] = []
  const files = new Map<LogId, string>()
  for (const handle of (await reader.findMany(named)).values()) {
    const { digest } = await reader.node(handle)
    const replacement = expungedText((reason ?? bodies[digest])?.why ?? '')
    digests.set(digest, replacement)
    for (const { log } of await outputHeads(reader, await reader.oid(handle))) files.set(log, replacement)
    texts.push(spaced(textOfBody(await reader.body(handle))))
  }
  const expunging = {
    eraser: new Eraser(secrets),
    digests,
    files,
    prompts: promptsOf,
    repeats: (text: string) => repeats(text, texts),
  }
  const holdings = new Occurrences(expunging, onEntry)
  await holdings.search(reader)
  const entries = await oidsOf(reader, holdings.entries)
  const records = [...holdings.records.values()].reduce((sum, { size }) => sum + size, 0)
  return { expunging, holdings, entries, records }
}

/** Returns the prompt of a session that begins with an entry, and that of its forks. */
function promptsOf(type: string, body: Json): (string | undefined)[] {
  const prompt = promptIn(viewOf(type, body))
  return [prompt, prompt === undefined ? undefined : cutPrompt(prompt)]
}
