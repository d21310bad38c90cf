import type { Oid } from '../../model/oid.ts'
import type { Delegable } from '../../repo/lease/delegate.ts'
import { readRecords } from '../../repo/logreading.ts'
import type { Repo } from '../../repo/repo.ts'
import { getSession, nativeLogs } from '../../repo/session.ts'
import { type Append, appendRequests, PACK_FROM } from './requests.ts'
import { together } from './together.ts'

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

/** Where entries are appended, and to what. */
export type AppendTo = {
  /** The branch that they continue, wherever the session stands: where it stands unless said. */
  readonly branch?: string
  /** The tip that is expected there, null for none. */
  readonly expected?: Oid | null
}

/** How entries are appended for the process that asked. */
interface For extends AppendTo {
  /** What tells them, in hex digits, where another process asked. */
  readonly token?: string | undefined
  /** Whether they were asked for before, and nobody knows what came of it. */
  readonly again?: boolean | undefined
  /** The command of the process that asked, where it is another one. */
  readonly command?: string | undefined
}

/** What another process is asked: the token in hex digits. */
export type Ask = AppendTo & {
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
    ask,
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
    together(repo, key, writing, asked, (change, all) => appendRequests(repo, change, session, all))
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
    for (const [log, end] of native ? nativeLogs(native) : [])
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
