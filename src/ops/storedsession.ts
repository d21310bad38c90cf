import type { PiContext } from '../formats/pi/messages.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import { fromValue } from '../model/value.ts'
import type { Repo } from '../repo/repo.ts'
import { getSession, type Session, tipOf } from '../repo/session.ts'
import { type Append, append } from './append.ts'
import { type Branch, createBranch, listBranches } from './branch.ts'
import { contextOf, type NeutralContext, piContextOf } from './context.ts'
import { type Listed, listed } from './list.ts'
import { type LogEntry, type LogOptions, log } from './log.ts'
import { type Switched, switchTo } from './switch.ts'

/** What is appended: any JSON value as its body. */
export interface AppendInput {
  /** `<dialect>/<kind>`; `sess/message` unless given, whose body is `{ role, content }`. */
  readonly type?: string
  readonly body: unknown
}

/** How something is appended. */
export interface AppendOptions {
  /** The tip that the caller expects, null for none: where it is another, `conflict` is thrown and nothing happens. */
  readonly expected?: Oid | null
}

/** A session of an open store. It holds no state but its id: each call reads what is true now. */
export class StoredSession {
  readonly id: string
  readonly #repo: Repo

  constructor(repo: Repo, id: string) {
    this.#repo = repo
    this.id = id
  }

  /** Appends one entry where the session stands, and gives its oid once it is durable. Throws as `appendAll`. */
  async append(entry: AppendInput, options: AppendOptions = {}): Promise<Oid> {
    return (await this.appendAll([entry], options))[0] as Oid
  }

  /**
   * Appends entries one after the other, all of them or none, and gives their oids once they are durable. Throws
   * `bad-entry`, and `conflict` where the session does not stand on `expected`.
   */
  appendAll(entries: readonly AppendInput[], { expected }: AppendOptions = {}): Promise<Oid[]> {
    return append(this.#repo, this.id, entries.map(jsonOf), expected)
  }

  /** Gives the oid that the session stands on, or null while it has no entries. */
  async tip(): Promise<Oid | null> {
    return tipOf(await this.#session()) ?? null
  }

  /** Gives what a list says of the session: title, counts, branches, times. */
  async info(): Promise<Listed> {
    return listed(await this.#session())
  }

  /** Gives the entries of the current branch, or of all with `all`, children before parents. */
  log(options: LogOptions = {}): AsyncIterable<LogEntry> {
    return log(this.#repo, this.id, options)
  }

  /** Gives what the model sees where the session stands; as pi's `buildSessionContext` gives it with `format: 'pi'`. */
  context(options: { readonly format: 'pi' }): Promise<PiContext>
  context(options?: { readonly format?: 'json' }): Promise<NeutralContext>
  context({
    format = 'json',
  }: {
    readonly format?: 'json' | 'pi'
  } = {}): Promise<NeutralContext | PiContext> {
    return format === 'pi' ? piContextOf(this.#repo, this.id) : contextOf(this.#repo, this.id)
  }

  /** Makes a branch at a revision, else where the session stands. Throws `exists`, `bad-name`, `empty-session`. */
  branch(name: string, revision?: string): Promise<Branch> {
    return createBranch(this.#repo, this.id, name, revision)
  }

  /** Gives the branches in the order of their names; the one that the session stands on is `current`. */
  branches(): Promise<Branch[]> {
    return listBranches(this.#repo, this.id)
  }

  /** Makes the session stand on a branch of it, or detached on an entry. Throws `no-revision` and the like. */
  switch(revision: string): Promise<Switched> {
    return switchTo(this.#repo, revision, this.id)
  }

  #session(): Promise<Session> {
    return this.#repo.read((backend) => getSession(backend, this.id))
  }
}

function jsonOf({ type, body }: AppendInput): Append {
  const json: Json | undefined = fromValue(body)
  if (json === undefined) throw new SessError('bad-entry', 'the body is no JSON value')
  return type === undefined ? { body: json } : { type, body: json }
}
