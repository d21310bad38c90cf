import { SessError } from '../model/errors.ts'
import type { Oid } from '../model/oid.ts'
import type { Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import type { Head } from '../repo/session.ts'
import type { Append } from './append/request.ts'
import type { MadeSummary, PathEntries } from './summarize.ts'

/** What a handler may answer that is told before something is done: nothing, or that it is not to be done. */
export interface Veto {
  readonly cancel?: boolean
}

/** What a handler may answer that is told before a move in the tree, or before a compaction. */
export interface SummaryAnswer extends Veto {
  /** The summary, which is taken only where one is wanted. */
  readonly summary?: MadeSummary
  /** What the summary is for, in words, instead of what the caller said. */
  readonly customInstructions?: string
  /** A label for the summary, else for the entry that was chosen. */
  readonly label?: string
}

/** What a move in the tree is about to do. Handlers may read the store meanwhile. */
export interface TreePreparation {
  /** The entry that was chosen; null is before the first, as for each place here. */
  readonly target: Oid | null
  readonly oldLeaf: Oid | null
  readonly commonAncestor: Oid | null
  /** What the move leaves, the oldest first. */
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
  /** Asks to stop. */
  readonly signal: AbortSignal
}

/** A move in the tree that was made. */
export interface AfterTree {
  readonly session: string
  readonly reason: 'navigate' | 'pop'
  readonly newLeaf: Oid | null
  readonly oldLeaf: Oid | null
  /** The entry that stands for what was left, where there is one. */
  readonly summaryEntry: Oid | null
  /** Whether a handler gave the summary. */
  readonly fromHandler: boolean
}

/** What is about to be compacted. */
export interface BeforeCompact {
  readonly session: string
  /** What is summarised, the oldest first. */
  readonly entriesToSummarize: PathEntries
  /** The first entry that is kept, null where none is. */
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

/** Where a session stands now, and where it stood; a tip that is null is before the first entry. */
export interface Switched {
  readonly session: string
  readonly head: Head
  readonly tip: Oid | null
  readonly before: Head
  readonly beforeTip: Oid | null
  /** The folder that the session is current in from now on, where the switch made it so. */
  readonly folder?: string
}

/** A branch that is made, removed or renamed. */
export interface BranchChange {
  readonly session: string
  readonly name: string
  readonly oid: Oid
  /** Whether the session stands on it. */
  readonly current: boolean
  readonly action: 'create' | 'delete' | 'rename'
  /** Its name before it was renamed. */
  readonly before?: string
}

/** A session that was made, and the entry that it stands on: null where it has none. */
export interface Forked {
  readonly session: string
  readonly tip: Oid | null
  /** Where it was forked before a message of the user: its text. */
  readonly text?: string
}

/** A session that is to be made: what it is forked from, and the entry that it is to stand on. */
export interface Forking {
  readonly from: string | null
  readonly tip: Oid | null
  /** Whether the entry was named behind which it parts, or before which. */
  readonly position: 'at' | 'before'
}

interface BeforeAppend {
  readonly session: string
  /** The branch that was asked for, null for where the session stands. */
  readonly branch: string | null
  readonly entries: readonly Required<Append>[]
}

interface AfterAppend {
  readonly session: string
  readonly branch: string | null
  readonly oids: readonly Oid[]
}

/** By event what its handlers are told, and what they may answer. */
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
  /** What a handler threw that was told after something was done. */
  error: { event: { readonly event: EventName; readonly error: unknown }; answer: never }
}

export type EventName = keyof Events

type EventData<N extends EventName> = Events[N]['event']
type EventAnswer<N extends EventName> = Events[N]['answer']

/** Is told of an event, and may answer it. */
export type Handler<N extends EventName> = (
  event: EventData<N>,
) => EventAnswer<N> | undefined | void | Promise<EventAnswer<N> | undefined | void>

type BeforeEvent = Extract<EventName, `before-${string}`>
type AfterEvent = Exclude<EventName, BeforeEvent | 'error'>
type AnyHandler = (event: never) => unknown

/** Who listens to what is done through one open store. Handlers run in turn, and never while the store is locked. */
export class Listeners {
  readonly #handlers = new Map<EventName, Set<AnyHandler>>()

  /** Calls a handler at each event of a name, until what it gives is called. */
  on<N extends EventName>(name: N, handler: Handler<N>): () => void {
    const handlers = this.#handlers.get(name) ?? new Set()
    this.#handlers.set(name, handlers.add(handler))
    return () => void handlers.delete(handler)
  }

  /** Tells whether anybody listens: else nothing need be prepared. */
  hears(name: EventName): boolean {
    return (this.#handlers.get(name)?.size ?? 0) > 0
  }

  /**
   * Asks before something is done, and gives all answers together, of which the later count more; none is asked behind
   * one that cancels. What a handler throws is thrown: then nothing is done.
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

  /** Asks before something is done that has no other result than that; throws `cancelled`. */
  async permit<N extends BeforeEvent>(name: N, event: EventData<N>): Promise<void> {
    if ((await this.ask(name, event)).cancel) throw new SessError('cancelled', name.slice('before-'.length))
  }

  /**
   * Tells what was done. What a handler throws goes to those of `error`, for it cannot be taken back by throwing; where
   * there are none, it is thrown where nobody catches it, as by an emitter of Node's.
   */
  async tell<N extends AfterEvent>(name: N, event: EventData<N>): Promise<void> {
    for (const handler of this.#of(name)) {
      try {
        await handler(event)
      } catch (error) {
        await this.#report(name, error)
      }
    }
  }

  async #report(event: EventName, error: unknown): Promise<void> {
    if (!this.hears('error'))
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

/** Gives who listens to what is done through an open store. */
export function listenersOf(repo: Repo): Listeners {
  const known = listening.get(repo)
  if (known) return known
  const listeners = new Listeners()
  listening.set(repo, listeners)
  return listeners
}

type PlainEvent = 'switch' | 'branch' | 'fork'

/**
 * Does what a verb does in one operation, and tells whoever listens before and after it. `plan` finds out what is to be
 * done, and what of it is told; it changes nothing. Throws `cancelled`, and `conflict` where by the time of the writing
 * something else would be done than what was told.
 */
export async function announced<N extends PlainEvent, P extends { readonly event: EventData<`before-${N}`> }>(
  repo: Repo,
  name: N,
  plan: (reader: Reader) => Promise<P>,
  act: (change: Change, planned: P) => EventData<N> | Promise<EventData<N>>,
): Promise<EventData<N>> {
  const listeners = listenersOf(repo)
  let told: string | undefined
  if (listeners.hears(`before-${name}`)) {
    const { event } = await repo.read(plan)
    await listeners.permit(`before-${name}`, event)
    told = JSON.stringify(event)
  }
  const done = await repo.write({}, async (change) => {
    const planned = await plan(change.reader)
    if (told !== undefined && JSON.stringify(planned.event) !== told)
      throw new SessError('conflict', `the place of this ${name}`)
    return act(change, planned)
  })
  await listeners.tell(name, done)
  return done
}
