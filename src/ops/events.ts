import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import type { Head } from '../repo/session.ts'
import type { TypedAppend } from './append/request.ts'
import type { MadeSummary, PathEntries } from './summarize.ts'

/** The answer of a handler of a `before` event: nothing, or that the action is cancelled. */
export interface Veto {
  readonly cancel?: boolean
  /** Why it is cancelled, in words: in the error, or in the result of a move in the tree. */
  readonly reason?: string
}

/** Returns the error of an action that a handler cancelled. */
export const cancelledBy = ({ reason }: Veto, action: string): SessError =>
  new SessError('cancelled', action, reason === undefined ? {} : { detail: reason })

/** The answer of a handler before a move in the tree, or before a compaction. */
export interface SummaryAnswer extends Veto {
  /** The summary to use, if one is wanted. */
  readonly summary?: MadeSummary
  /** The purpose of the summary, in words, instead of the caller's. */
  readonly customInstructions?: string
  /** A label for the summary or, without one, for the chosen entry. */
  readonly label?: string
}

/** A move in the tree that is about to be made. Handlers may read the store. */
export interface TreePreparation {
  /** The chosen entry. Here and below, null stands for the place before the first entry. */
  readonly target: Oid | null
  readonly oldLeaf: Oid | null
  readonly commonAncestor: Oid | null
  /** The entries that the move leaves, the oldest first. */
  readonly entriesToSummarize: PathEntries
  readonly userWantsSummary: boolean
  readonly customInstructions?: string
  readonly label?: string
}

/** A move in the tree: `navigate` to any entry, `pop` back on the path. */
export interface BeforeTree {
  readonly session: string
  readonly reason: 'navigate' | 'pop'
  readonly preparation: TreePreparation
  /** Aborts the move. */
  readonly signal: AbortSignal
}

/** A move in the tree that was made. */
export interface AfterTree {
  readonly session: string
  readonly reason: 'navigate' | 'pop'
  readonly newLeaf: Oid | null
  readonly oldLeaf: Oid | null
  /** The entry with the summary, if there is one. */
  readonly summaryEntry: Oid | null
  /** Whether a handler gave the summary. */
  readonly fromHandler: boolean
}

/** A compaction that is about to be made. */
export interface BeforeCompact {
  readonly session: string
  /** The entries to summarise, the oldest first. */
  readonly entriesToSummarize: PathEntries
  /** The first kept entry; null if none is kept. */
  readonly firstKept: Oid | null
  readonly tokensBefore: number
  readonly customInstructions?: string
  readonly signal: AbortSignal
}

/** A compaction that was made. */
export interface AfterCompact {
  readonly session: string
  readonly compactionEntry: Oid
  /** Whether a handler gave the summary. */
  readonly fromHandler: boolean
}

/** The present and the former HEAD of a session. A tip that is null stands for the place before the first entry. */
export interface Switched {
  readonly session: string
  readonly head: Head
  readonly tip: Oid | null
  readonly before: Head
  readonly beforeTip: Oid | null
  /** The folder in which the switch made the session current, if it did. */
  readonly folder?: string
}

/** A branch that is made, removed or renamed. */
export interface BranchChange {
  readonly session: string
  readonly name: string
  readonly oid: Oid
  /** Whether it is the branch of the session's HEAD. */
  readonly current: boolean
  readonly action: 'create' | 'delete' | 'rename'
  /** Its name before it was renamed. */
  readonly before?: string
}

/** A new session and its tip, null for an empty one. */
export interface Forked {
  readonly session: string
  readonly tip: Oid | null
  /** The text of the message of the user before which it was forked. */
  readonly text?: string
}

/** A session that is about to be made: its origin and its tip. */
export interface Forking {
  readonly from: string | null
  readonly tip: Oid | null
  /** Whether it is forked at the named entry or before it. */
  readonly position: 'at' | 'before'
}

interface BeforeAppend {
  readonly session: string
  /** The named branch; null for the place of HEAD. */
  readonly branch: string | null
  readonly entries: readonly TypedAppend[]
}

interface AfterAppend {
  readonly session: string
  readonly branch: string | null
  readonly oids: readonly Oid[]
}

/** The data of each event, and the answers of its handlers. */
export interface Events {
  'before-append': { event: BeforeAppend; answer: Veto }
  append: { event: AfterAppend; answer: never }
  'before-switch': { event: Switched; answer: Veto }
  switch: { event: Switched; answer: never }
  'before-tree': { event: BeforeTree; answer: SummaryAnswer }
  tree: { event: AfterTree; answer: never }
  'before-branch': { event: BranchChange; answer: Veto }
  branch: { event: BranchChange; answer: never }
  'before-fork': { event: Forking; answer: Veto }
  fork: { event: Forked; answer: never }
  'before-compact': { event: BeforeCompact; answer: SummaryAnswer }
  compact: { event: AfterCompact; answer: never }
  /** An error that a handler of an event after an action threw. */
  error: { event: { readonly event: EventName; readonly error: unknown }; answer: never }
}

export type EventName = keyof Events

type EventData<N extends EventName> = Events[N]['event']
type EventAnswer<N extends EventName> = Events[N]['answer']

/** Receives an event, and may answer it. */
export type Handler<N extends EventName> = (
  event: EventData<N>,
) => EventAnswer<N> | undefined | void | Promise<EventAnswer<N> | undefined | void>

type BeforeEvent = Extract<EventName, `before-${string}`>
type AfterEvent = Exclude<EventName, BeforeEvent | 'error'>
type AnyHandler = (event: never) => unknown

/** The handlers of events of one open store. They run one after the other, and never while the store is locked. */
export class Listeners {
  readonly #handlers = new Map<EventName, Set<AnyHandler>>()

  /** Adds a handler for an event. Returns a function that removes it. */
  on<N extends EventName>(name: N, handler: Handler<N>): () => void {
    const handlers = this.#handlers.get(name) ?? new Set()
    this.#handlers.set(name, handlers.add(handler))
    return () => void handlers.delete(handler)
  }

  /** Returns whether an event has handlers. */
  has(name: EventName): boolean {
    return (this.#handlers.get(name)?.size ?? 0) > 0
  }

  /**
   * Calls the handlers of an event before an action. Returns their answers as one; later answers take precedence, and no
   * handler is called after one that cancels. Throws what a handler throws; then the action is not done.
   */
  async ask<N extends BeforeEvent>(name: N, event: EventData<N>): Promise<Partial<EventAnswer<N>>> {
    let answers: Partial<EventAnswer<N>> = {}
    for (const handler of this.#of(name)) {
      const answer = await handler(event)
      if (answer) answers = { ...answers, ...answer }
      if (answers.cancel) break
    }
    return answers
  }

  /** Calls the handlers of an event before an action. Throws `cancelled` if one of them cancels it. */
  async permit<N extends BeforeEvent>(name: N, event: EventData<N>): Promise<void> {
    const answer = (await this.ask(name, event)) as Veto
    if (answer.cancel) throw cancelledBy(answer, name.slice('before-'.length))
  }

  /**
   * Calls the handlers of an event after an action. Their errors go to the handlers of `error`, because the action is done;
   * without such handlers they are thrown uncaught, as by an emitter of Node.
   */
  async emit<N extends AfterEvent>(name: N, event: EventData<N>): Promise<void> {
    for (const handler of this.#of(name)) {
      try {
        await handler(event)
      } catch (error) {
        await this.#report(name, error)
      }
    }
  }

  async #report(event: EventName, error: unknown): Promise<void> {
    if (!this.has('error'))
      queueMicrotask(() => {
        throw error
      })
    for (const handler of this.#of('error')) await handler({ event, error })
  }

  #of<N extends EventName>(name: N): Handler<N>[] {
    return [...(this.#handlers.get(name) ?? [])] as Handler<N>[]
  }
}

const listening = new WeakMap<Repo, Listeners>()

/** Returns the listeners of an open store, which are those of all calls on it. */
export function listenersOf(repo: Repo): Listeners {
  const known = listening.get(repo.root)
  if (known) return known
  const listeners = new Listeners()
  listening.set(repo.root, listeners)
  return listeners
}

type PlainEvent = 'switch' | 'branch' | 'fork'

/**
 * Runs a verb as one operation, and calls the handlers of its events before and after. `plan` determines the action and its
 * event without changing anything. Throws `cancelled`, and `conflict` if the plan has changed by the time of the write.
 */
export async function announced<N extends PlainEvent, P extends { readonly event: EventData<`before-${N}`> }>(
  repo: Repo,
  name: N,
  plan: (reader: Reader) => Promise<P>,
  act: (change: Change, planned: P) => EventData<N> | Promise<EventData<N>>,
): Promise<EventData<N>> {
  const listeners = listenersOf(repo)
  let asked: string | undefined
  if (listeners.has(`before-${name}`)) {
    const { event } = await repo.read(plan)
    await listeners.permit(`before-${name}`, event)
    asked = JSON.stringify(event)
  }
  const done = await repo.write({}, async (change) => {
    const planned = await plan(change.reader)
    if (asked !== undefined && JSON.stringify(planned.event) !== asked)
      throw new SessError('conflict', `the place of this ${name}`)
    return act(change, planned)
  })
  await listeners.emit(name, done)
  return done
}
