import { viewOf } from '../formats/registry.ts'
import { SessError } from '../model/errors.ts'
import {
  Eraser,
  isGuessable,
  isGuessableText,
  saidBy,
  strongHash,
  type Watched,
  weakHash,
} from '../model/expunged.ts'
import type { Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import { expungedBodyRef, expungedSecretRef, tombstoneOf } from '../model/refname.ts'
import type { FindSecrets } from '../model/secret.ts'
import { normalSecret } from '../model/spellings.ts'
import { cutPrompt, promptIn } from '../model/summary.ts'
import { formerCopies, quarantinesIn, removeQuarantines } from '../repo/erase/copies.ts'
import { expungedText } from '../repo/erase/expungefilter.ts'
import { type ExpungeRequest, Expunger } from '../repo/erase/expunger.ts'
import { Occurrences } from '../repo/erase/occurrences.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { tombstoneRefs } from '../repo/tombstones.ts'
import { nameOf } from './export/part.ts'
import { reindex } from './index.ts'
import { markOf } from './redaction.ts'
import { scan } from './scan.ts'

/** What is removed, and why. */
export interface ExpungeOptions {
  /** Entries, of which all that they say goes. */
  readonly entries?: readonly string[]
  /** Secrets, which go wherever they stand. */
  readonly secrets?: readonly string[]
  /** Secrets by the 8 digits that `scan` tells, which `find` finds. */
  readonly marks?: readonly string[]
  readonly find?: FindSecrets
  readonly why?: string
  /** Also where what goes could be guessed from the digests that stay. */
  readonly force?: boolean
}

/** What was removed, or would be. */
export interface Expunged {
  /** Entries that say less now. */
  readonly entries: readonly Oid[]
  /** How many records hold less now. */
  readonly records: number
  /** The 8 digits that stand for secrets that went. */
  readonly secrets: readonly string[]
  /** Copies of the store that hold it still, because other processes read them. */
  readonly left: readonly string[]
  /** Databases that `fsck --repair` had set aside, which went whole: nobody can tell what is in them. */
  readonly aside: readonly string[]
}

/**
 * Removes what entries say, or secrets, from a store for good: from entries, records, names, the operation log, the
 * journal, the indexes, and from the disk. Every oid stays; a placeholder stands where it was. What was removed does
 * not come back by a later import. It cannot be undone. Throws `no-entry`, `guessable-secret`, and as `resolve`.
 */
export async function expunge(repo: Repo, options: ExpungeOptions): Promise<Expunged> {
  const secrets = await secretsOf(repo, options)
  const { force = false } = options
  const why = new Eraser(secrets).text(options.why ?? '')
  const guessed = [...secrets.values()].find(isGuessable)
  if (guessed !== undefined && !force)
    throw new SessError('guessable-secret', markOf(repo.identity.id, guessed))
  const named = await repo.read((reader) => entriesOf(reader, repo.env.cwd, options.entries ?? [], force))
  const { expunging, holdings, entries, records } = await repo.read(
    (reader) => found(reader, named, secrets, why),
    { plain: true },
  )
  const done = { entries, records, secrets: [...new Set([...secrets.keys(), ...(options.marks ?? [])])] }
  const expunger = new Expunger(expunging, holdings)
  await repo.write({ plain: true }, async ({ reader, writer, move }) => {
    const reason = { why, time: repo.env.now() }
    const watched = [...secrets].map(([mark, secret]): [string, Watched] => {
      const normal = normalSecret(secret)
      const salt = Buffer.from(repo.env.random(16)).toString('hex')
      const hash = strongHash(salt, normal)
      return [mark, { length: normal.length, weak: weakHash(normal), salt, hash, ...reason }]
    })
    for (const bytes of holdings.tails.values()) writer.putBlob(bytes)
    for await (const [name, value] of reader.refs('')) {
      if (tombstoneOf(name)) continue
      const [to, next] = [expunger.name(name), expunger.ref(value)]
      if (to !== name) move(name, value, undefined)
      if (to !== name || next !== value) move(to, to === name ? value : undefined, next)
    }
    const bodies = Object.fromEntries([...expunging.digests.keys()].map((digest) => [digest, reason]))
    for (const [name, value] of tombstoneRefs({ bodies, secrets: Object.fromEntries(watched) }))
      move(name, await reader.ref(name), value)
  })
  if (repo.isDry) return { ...done, left: [], aside: quarantinesIn(repo.dir) }
  // Where sessions lie is told by their names, which may have changed.
  await reindex(repo)
  await repo.rewrite({ kept: (reader) => expunger.kept(reader), revision: expunger, thorough: true })
  await reindex(repo)
  return { ...done, left: formerCopies(repo.dir), aside: removeQuarantines(repo.dir) }
}

/** Gives secrets by the digits that stand for them. */
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

interface Found {
  readonly expunging: ExpungeRequest
  readonly holdings: Occurrences
  readonly entries: readonly Oid[]
  readonly records: number
}

/** Gives the entries that are named. Throws `no-entry` where a session is, `guessable-secret` unless that is `meant`. */
async function entriesOf(
  reader: Reader,
  cwd: string,
  named: readonly string[],
  meant: boolean,
): Promise<Oid[]> {
  const oids: Oid[] = []
  for (const text of named) {
    const { handle } = await nameOf(reader, text, cwd)
    if (handle === undefined) throw new SessError('no-entry', text, { detail: 'it names a session' })
    const said = folded(saidBy(await reader.body(handle)))
    const isRemoved = await reader.ref(expungedBodyRef((await reader.node(handle)).digest))
    if (!meant && isRemoved === undefined && said !== '' && isGuessableText(said))
      throw new SessError('guessable-secret', text)
    oids.push(await reader.oid(handle))
  }
  return oids
}

/** Reads all of a store for what is to go. */
async function found(
  reader: Reader,
  named: readonly Oid[],
  secrets: ReadonlyMap<string, string>,
  why: string,
): Promise<Found> {
  const instead = expungedText(why)
  const digests = new Map<string, string>()
  const said: string[] = []
  for (const handle of (await reader.findMany(named)).values()) {
    digests.set((await reader.node(handle)).digest, instead)
    said.push(folded(saidBy(await reader.body(handle))))
  }
  const repeats = (text: string): boolean => {
    const plain = folded(text).replace(/…$/, '')
    return plain.length > 3 && said.some((one) => one.includes(plain))
  }
  const expunging = { eraser: new Eraser(secrets), digests, prompts: promptsOf, repeats }
  const holdings = new Occurrences(expunging)
  await holdings.search(reader)
  const entries: Oid[] = []
  for (const handle of holdings.entries) entries.push(await reader.oid(handle))
  const records = [...holdings.records.values()].reduce((sum, { size }) => sum + size, 0)
  return { expunging, holdings, entries, records }
}

/** Returns the prompt of a session that begins with an entry, and that of its forks. */
function promptsOf(type: string, body: Json): (string | undefined)[] {
  const prompt = promptIn(viewOf(type, body))
  return [prompt, prompt === undefined ? undefined : cutPrompt(prompt)]
}

const folded = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
