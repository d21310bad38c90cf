import { viewOf } from '../formats/registry.ts'
import { encode } from '../model/canonical.ts'
import { subtract } from '../model/envelope.ts'
import { SessError } from '../model/errors.ts'
import { asString, isObject, type Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import type { Ranges } from '../model/ranges.ts'
import { metaRef, nativeLogRef } from '../model/refname.ts'
import { spell } from '../model/spelling.ts'
import { NO_SUMMARY, promptIn, withView } from '../model/summary.ts'
import type { View } from '../model/view.ts'
import type { RefValue, Row, RowLinks } from '../repo/backend.ts'
import type { Env } from '../repo/env.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { type NativeHead, piecesOf, refValue } from '../repo/session.ts'
import { emptyTarget, nextHash } from './intake.ts'
import { addEntry } from './newentry.ts'

/** An entry that a session is to have, and what its record says besides. */
export interface Growing {
  readonly type: string
  readonly body: Json
  readonly parents: readonly Row[]
  readonly links?: RowLinks
  /** When it was said, in milliseconds since 1970: now unless given. */
  readonly time?: number
  /** The id that it has in a system that the session is kept for. */
  readonly native?: string
  /** What the record keeps besides the body: a value in which the body stands at `at`, at the top unless said. */
  readonly value?: Json
  readonly at?: readonly string[]
}

/** An entry that a session has now. */
export interface Grown {
  readonly oid: Oid
  readonly row: Row
  readonly view: View
}

const utf8 = new TextEncoder()
const NOTHING = new Uint8Array(0)

/**
 * Adds entries of a session's own within one piece of work, wherever in its tree they hang, each with a record in its
 * log of native appends. No branch moves by it: that is said beside it. Once all are added, `end` moves the head of
 * the log.
 */
export class Growth {
  readonly #env: Env
  readonly #change: Change
  readonly #session: string
  readonly #meta: Record<string, Json>
  readonly #before: NativeHead | undefined
  #next: NativeHead | undefined
  #prompt: string | undefined
  readonly #rows: [number, number][] = []

  private constructor(
    env: Env,
    change: Change,
    session: string,
    meta: Record<string, Json>,
    before: NativeHead | undefined,
  ) {
    this.#env = env
    this.#change = change
    this.#session = session
    this.#meta = meta
    this.#before = before
    this.#prompt = asString(meta.prompt)
  }

  /** Begins to add to a session. Throws `no-session`. */
  static async begin({ env }: Pick<Repo, 'env'>, change: Change, session: string): Promise<Growth> {
    const { backend } = change
    // By single gets: a scan would wait for what is written before this to become durable.
    const meta = await backend.ref(metaRef(session))
    if (!isObject(meta)) throw new SessError('no-session', session)
    const log = (await backend.ref(nativeLogRef(session))) as unknown as NativeHead | undefined
    return new Growth(env, change, session, meta, log)
  }

  /** Adds an entry and its record. Its relatives must be there. */
  async add({ type, body, parents, links, time = this.#env.now(), ...said }: Growing): Promise<Grown> {
    const { transaction } = this.#change
    const next = (this.#next ??= await this.#head())
    const view = viewOf(type, body)
    const entry = { type, body, canonical: encode(body), view, parents, ...(links && { links }) }
    const { oid, row } = await addEntry(this.#change, entry)
    const envelope = { time, ...(said.native !== undefined && { native: said.native.toWellFormed() }) }
    const content =
      said.value === undefined ? { raw: [] } : { ...subtract(said.value, body, said.at), spelling: '' }
    const bytes = said.value === undefined ? NOTHING : utf8.encode(spell(said.value, ''))
    transaction.record(next.log, next.count, { row, tip: row, ...envelope, lead: NOTHING, content })
    this.#next = {
      ...next,
      count: next.count + 1,
      entries: next.entries + 1,
      hash: nextHash(next.hash, oid, envelope, bytes),
      updated: time,
      summary: withView(next.summary ?? NO_SUMMARY, view),
    }
    this.#prompt ??= promptIn(view)
    this.#rows.push([row, row + 1])
    if (this.#rows.length % 256 === 0) await transaction.relax()
    return { oid, row, view }
  }

  /** Gives the head of the log that records go to: of a new one where there is none that ends there. */
  async #head(): Promise<NativeHead> {
    const { backend, transaction } = this.#change
    const head = this.#before
    if (!head) return { ...emptyTarget(transaction.newLog()), entries: 0, updated: null }
    if (!(await backend.goesOn(head.log, head.count))) return head
    return { ...head, log: transaction.newLog(), count: 0, earlier: piecesOf(head) }
  }

  /**
   * Moves the head of the log, where anything was added. With `covered`, all that the session's refs reach by this
   * piece of work was reached before or is in these rows or was added: a search need not take whole paths for it.
   */
  end(covered?: Ranges): void {
    const { move, cover } = this.#change
    if (this.#next === undefined) return
    if (covered) cover(this.#session, [...covered, ...this.#rows])
    const log = nativeLogRef(this.#session)
    move(log, this.#before && refValue(this.#before), refValue(this.#next))
    const meta = this.#meta as RefValue
    if (this.#prompt !== undefined && this.#meta.prompt === undefined)
      move(metaRef(this.#session), meta, { ...this.#meta, prompt: this.#prompt })
  }
}
