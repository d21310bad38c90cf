import { type Awaitable, andThen, eachInTurn } from '../../model/awaitable.ts'
import { encode } from '../../model/canonical.ts'
import { SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Oid } from '../../model/oid.ts'
import { headRef } from '../../model/refname.ts'
import type { Delegable } from '../../repo/lease/delegate.ts'
import { readRecords } from '../../repo/logreading.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { getSession, type Head, ON_MAIN, piecesOf } from '../../repo/session.ts'
import type { Append, AppendTo } from '../append.ts'
import { indexLater } from '../index.ts'
import { Growth } from './growth.ts'
import { type Place, placeOf } from './place.ts'
import { type Outcome, together } from './together.ts'

/** Appends through one handle in groups: beyond this many at once they are packed together. */
const PACK_FROM = 16

/** So many random bytes tell who asked another process, and so many hex digits count what was asked. */
const RANDOM_BYTES = 8
const COUNT_DIGITS = 8

/** For each repo what its tokens begin with, and how many there were. */
const tokens = new WeakMap<Repo, { readonly begin: string; count: number }>()

/** Gives in hex digits what tells a piece of work from all others. */
function newToken(repo: Repo): string {
  let known = tokens.get(repo)
  if (!known) {
    known = { begin: Buffer.from(repo.env.random(RANDOM_BYTES)).toString('hex'), count: 0 }
    tokens.set(repo, known)
  }
  const count = known.count++ % 16 ** COUNT_DIGITS
  return known.begin + count.toString(16).padStart(COUNT_DIGITS, '0')
}

type Checked = readonly Required<Append>[]

/** How entries are appended for whoever asked. */
interface For extends AppendTo {
  /** What tells them, in hex digits, where another process asked. */
  readonly token?: string | undefined
  /** Whether they were asked for before, and nobody knows what came of it. */
  readonly again?: boolean | undefined
  /** The command of the process that asked, where it is another one. */
  readonly command?: string | undefined
}

/** What another process is asked: the token in hex digits. */
export interface Ask extends AppendTo {
  readonly session: string
  readonly entries: Checked
  readonly token: string
  readonly again: boolean
  readonly command: string
}

/** Gives the work of appending entries, here or in the process that has the database. */
export function appending(repo: Repo, session: string, entries: Checked, to: AppendTo): Delegable<Oid[]> {
  let token: string | undefined
  const ask = (again: boolean): Ask => {
    token ??= newToken(repo)
    const { command } = repo
    return { ...to, session, entries, token, again, command }
  }
  return {
    name: 'append',
    here: (again) => appendHere(repo, session, entries, { ...to, token: again ? token : undefined, again }),
    ask: (again) => ask(again) as unknown as Json,
    answer: (oids) => oids as Oid[],
  }
}

/** Appends entries with the database at hand. */
export function appendHere(
  repo: Repo,
  session: string,
  entries: Checked,
  { branch, expected, token: digits, again = false, command }: For,
): Promise<Oid[]> {
  const token = digits === undefined ? undefined : Buffer.from(digits, 'hex')
  const bulk = entries.length >= PACK_FROM
  const isOther = command !== undefined && command !== repo.command
  const by = isOther ? ` for ${command}` : ''
  const how = { bulk, gathers: !bulk, repeats: true, ...(isOther && { command }) }
  const writing = { coalesce: `append ${session}${by}`, ...how }
  const key = `${bulk ? 'many' : 'few'} ${session}${by}`
  const asked = { entries, expected, branch, token }
  const now = (): Promise<Oid[]> =>
    together(repo, key, writing, asked, (change, all) => appendEach(repo, change, session, all))
  if (!again || !token) return now()
  return appendedBefore(repo, session, token, entries.length).then((before) => before ?? now())
}

/** So many of the newest records are looked through for a token. */
const LOOK_BACK = 20_000

/** Gives the oids of the entries whose records have a token, where they are all there. */
async function appendedBefore(
  repo: Repo,
  session: string,
  token: Uint8Array,
  count: number,
): Promise<Oid[] | undefined> {
  return repo.read(async (reader) => {
    const { native } = await getSession(reader, session)
    const oids: Oid[] = []
    let left = LOOK_BACK
    for (const [log, end] of native ? piecesOf(native) : [])
      for await (const [, { entry, content }] of readRecords(
        reader,
        log,
        Math.max(0, end - left),
        end,
        true,
      )) {
        left--
        const [raw] = 'raw' in content ? content.raw : []
        const isOne = raw instanceof Uint8Array && Buffer.compare(raw, token) === 0
        if (isOne && entry !== undefined) oids.unshift(await reader.oid(entry))
        else if (oids.length > 0) break
      }
    return oids.length === count && count > 0 ? oids : undefined
  })
}

/** Entries to append, and where whoever asks wants them. */
interface Asked {
  readonly entries: readonly Required<Append>[]
  readonly expected: Oid | null | undefined
  readonly branch: string | undefined
  readonly token: Uint8Array | undefined
}

/** A place and where it stands once all before was appended there. */
interface Standing {
  readonly place: Place
  tip: Place['tip']
}

/**
 * Appends what was asked for, one request after the other, and gives the oids of each, or why it was refused: without a
 * turn of the event loop where nothing has to be waited for, which for each of many would be a share of what they take.
 */
const appendEach = (
  repo: Repo,
  change: Change,
  session: string,
  all: readonly Asked[],
): Awaitable<Outcome<Oid[]>[]> =>
  andThen(Growth.begin(repo, change, session), (growth) =>
    andThen(indexLater(repo, change.reader, change.writer), () =>
      andThen(change.reader.ref(headRef(session)), (head) => {
        const appender = new Appender(change, session, growth, (head as Head | undefined) ?? ON_MAIN)
        return andThen(
          eachInTurn(all, (asked) => appender.append(asked)),
          () => appender.end(),
        )
      }),
    ),
  )

type Laid = Required<Append> & { readonly canonical?: Uint8Array }

/**
 * Gives entries with their bytes, or why one has none: before any is added, for what throws then fails all requests. Many
 * that were asked for here, whose readers let nothing through that has none, are laid out as they are added: the bytes of
 * all would wait in memory, for the collector to carry along.
 */
function laidOut({ entries, token }: Asked): Outcome<readonly Laid[]> {
  if (entries.length >= PACK_FROM && !token) return { value: entries }
  try {
    return { value: entries.map(({ type, body }) => ({ type, body, canonical: encode(body) })) }
  } catch (error) {
    return { error }
  }
}

/** Appends to the places of a session, and moves these once all is there. */
class Appender {
  readonly #change: Change
  readonly #session: string
  readonly #growth: Growth
  readonly #head: Head
  readonly #places = new Map<string, Standing | undefined>()
  readonly #outcomes: Outcome<Oid[]>[] = []

  constructor(change: Change, session: string, growth: Growth, head: Head) {
    this.#change = change
    this.#session = session
    this.#growth = growth
    this.#head = head
  }

  append(asked: Asked): Awaitable<void> {
    const name = asked.branch ?? ('branch' in this.#head ? this.#head.branch : '')
    return andThen(this.#standing(name), (at) => {
      const session = this.#session
      if (at === undefined) return this.#refuse(new SessError('no-branch', `${session}/${name}`))
      const { expected, token } = asked
      const stands = at.tip?.oid ?? null
      if (expected !== undefined && stands !== expected) {
        const detail = `expected ${expected ?? 'no entry'}, found ${stands ?? 'no entry'}`
        return this.#refuse(new SessError('conflict', session, { detail }))
      }
      const laid = laidOut(asked)
      if ('error' in laid) return this.#refuse(laid.error)
      const oids: Oid[] = []
      this.#outcomes.push({ value: oids })
      return eachInTurn(laid.value, (entry) => {
        const parents = at.tip ? [at.tip.handle] : []
        return andThen(
          this.#growth.add({ ...entry, parents, ...(token && { token }) }),
          ({ oid, handle }) => {
            at.tip = { oid, handle }
            oids.push(oid)
          },
        )
      })
    })
  }

  #standing(name: string): Awaitable<Standing | undefined> {
    if (this.#places.has(name)) return this.#places.get(name)
    return andThen(placeOf(this.#change.reader, this.#session, name, this.#head), (place) => {
      const at = place && { place, tip: place.tip }
      this.#places.set(name, at)
      return at
    })
  }

  #refuse(error: unknown): void {
    this.#outcomes.push({ error })
  }

  /** Moves what was appended to, and gives what came of each request. */
  end(): Outcome<Oid[]>[] {
    for (const at of this.#places.values())
      if (at?.tip && at.tip !== at.place.tip)
        this.#change.move(at.place.ref, at.place.before, at.place.holds(at.tip.oid))
    this.#growth.end([])
    return this.#outcomes
  }
}
