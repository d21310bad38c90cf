import { viewOf } from '../formats/registry.ts'
import { encode } from '../model/canonical.ts'
import { SessError } from '../model/errors.ts'
import { asString, field, isObject, type Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import { branchRef, headRef, metaRef, nativeLogRef } from '../model/refname.ts'
import { NO_SUMMARY, promptIn, withView } from '../model/summary.ts'
import { ROLES, type View } from '../model/view.ts'
import type { Row } from '../repo/backend.ts'
import { uuid7 } from '../repo/env.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { type Head, type Meta, type NativeHead, ON_MAIN, piecesOf, refValue } from '../repo/session.ts'
import { indexWaiting } from './index.ts'
import { emptyTarget, nextHash } from './intake.ts'
import { addEntry } from './newentry.ts'
import { type Outcome, together } from './together.ts'

/** What is said: its type, `sess/message` unless given, and its body. A `sess/message` has a role and a content. */
export interface Append {
  readonly type?: string
  readonly body: Json
}

/** What a new session is called and where it is held. */
export interface NewSession {
  readonly title?: string
  /** The folder that it belongs to: the one of the store's environment unless said. */
  readonly cwd?: string
}

/** Appends through one handle in groups: beyond this many at once they are packed together. */
const PACK_FROM = 16

const TYPE = /^[a-z0-9][a-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/
const NOTHING = new Uint8Array(0)

/** Makes an empty session and gives its id, a UUID of version 7. */
export async function createSession(repo: Repo, { title, cwd }: NewSession = {}): Promise<string> {
  return repo.write({}, (change) => {
    const id = uuid7(repo.env)
    const now = repo.env.now()
    const meta: Meta = {
      format: 'sess',
      title: title?.toWellFormed() ?? null,
      cwd: (cwd ?? repo.env.cwd).toWellFormed(),
      created: now,
      native: null,
      path: null,
    }
    change.move(metaRef(id), undefined, refValue(meta))
    return id
  })
}

/**
 * Appends entries to where a session stands, one after the other, and gives their oids once they are durable. With
 * `expected`, the tip must be that oid, or none when null: else it throws `conflict` with both, and nothing happens.
 */
export async function append(
  repo: Repo,
  session: string,
  entries: readonly Append[],
  expected?: Oid | null,
): Promise<Oid[]> {
  const asked = { entries: entries.map(check), expected }
  const bulk = entries.length >= PACK_FROM
  const writing = { coalesce: `append ${session}`, bulk }
  const key = `${bulk ? 'many' : 'few'} ${session}`
  return together(repo, key, writing, asked, (change, all) => appendEach(repo, change, session, all, bulk))
}

/** Entries to append, and the tip that whoever asks expects. */
interface Asked {
  readonly entries: readonly Required<Append>[]
  readonly expected: Oid | null | undefined
}

/** Appends what was asked for, one request after the other, and gives the oids of each, or why it was refused. */
async function appendEach(
  { env }: Repo,
  change: Change,
  session: string,
  all: readonly Asked[],
  bulk: boolean,
): Promise<Outcome<Oid[]>[]> {
  const { backend, transaction } = change
  // By single gets: a scan would wait for the appends before this one to become durable.
  const meta = await backend.ref(metaRef(session))
  if (!isObject(meta)) throw new SessError('no-session', session)
  const stands = (await backend.ref(headRef(session))) as Head | undefined
  const head = stands ?? ON_MAIN
  const branch = 'branch' in head ? branchRef(session, head.branch) : undefined
  const tip = ('oid' in head ? head.oid : await backend.ref(branchRef(session, head.branch))) as
    | Oid
    | undefined
  const log = (await backend.ref(nativeLogRef(session))) as unknown as NativeHead | undefined
  await indexWaiting(backend, transaction)
  let next: NativeHead | undefined
  let oid = tip
  let prompt = asString(meta.prompt)
  const outcomes: Outcome<Oid[]>[] = []
  const rows: [number, number][] = []
  for (const { entries, expected } of all) {
    if (expected !== undefined && (oid ?? null) !== expected) {
      const detail = `expected ${expected ?? 'no entry'}, found ${oid ?? 'no entry'}`
      outcomes.push({ error: new SessError('conflict', session, { detail }) })
      continue
    }
    const oids: Oid[] = []
    for (const entry of entries) {
      next ??= await headFor(change, log)
      const made = await add(change, entry, oid)
      const time = env.now()
      transaction.record(next.log, next.count, {
        row: made.row,
        tip: made.row,
        time,
        lead: NOTHING,
        content: { raw: [] },
      })
      const hash = nextHash(next.hash, made.oid, { time }, NOTHING)
      const summary = withView(next.summary ?? NO_SUMMARY, made.view)
      next = { ...next, count: next.count + 1, entries: next.entries + 1, hash, updated: time, summary }
      prompt ??= promptIn(made.view)
      oid = made.oid
      oids.push(oid)
      rows.push([made.row, made.row + 1])
      if (bulk && oids.length % 256 === 0) await transaction.relax()
    }
    outcomes.push({ value: oids })
  }
  if (oid === undefined || next === undefined) return outcomes
  change.cover(session, rows)
  if (branch) change.move(branch, tip, oid)
  else change.move(headRef(session), refValue(head), refValue({ oid }))
  change.move(nativeLogRef(session), log && refValue(log), refValue(next))
  if (prompt !== undefined && meta.prompt === undefined)
    change.move(metaRef(session), meta, { ...meta, prompt })
  return outcomes
}

/** Gives the head of the log that the next record goes to: of a new one where there is none that ends there. */
async function headFor({ backend, transaction }: Change, head: NativeHead | undefined): Promise<NativeHead> {
  if (!head) return { ...emptyTarget(transaction.newLog()), entries: 0, updated: null }
  if (!(await backend.goesOn(head.log, head.count))) return head
  return { ...head, log: transaction.newLog(), count: 0, earlier: piecesOf(head) }
}

async function add(
  change: Change,
  { type, body }: Required<Append>,
  parent: Oid | undefined,
): Promise<{ oid: Oid; row: Row; view: View }> {
  const before = parent === undefined ? undefined : await change.backend.find(parent)
  if (parent !== undefined && before === undefined)
    throw new SessError('corrupt', `the entry ${parent} is missing`)
  const parents = before === undefined ? [] : [before]
  const view = viewOf(type, body)
  return { ...(await addEntry(change, { type, body, canonical: encode(body), view, parents })), view }
}

/** Gives an entry with its full type, or throws `bad-entry`. A type without a dialect is one of sess's own. */
export function check({ type = 'sess/message', body }: Append): Required<Append> {
  const full = type.includes('/') ? type : `sess/${type}`
  if (!TYPE.test(full)) throw new SessError('bad-entry', `'${type}' is no type`)
  if (full === 'sess/message') {
    const role = asString(field(body, 'role'))
    const content = field(body, 'content')
    if (!isObject(body)) throw new SessError('bad-entry', 'the body of a message is an object')
    if (role === undefined || !ROLES.some((known) => known === role))
      throw new SessError('bad-entry', `the role is none of ${ROLES.join(', ')}`)
    if (asString(content) === undefined && !Array.isArray(content))
      throw new SessError('bad-entry', 'the content is no text and no list of blocks')
  }
  return { type: full, body }
}
