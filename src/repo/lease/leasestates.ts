/**
 * The states of one process with respect to a store's database, and the transitions between them, as a pure function.
 * `leasedriver.ts` performs the effects. docs/processes.md draws the diagram, and a test compares it with this file.
 */

export type LeaseState =
  /** The database is not open here. No other process is known to hold it. */
  | { readonly name: 'closed' }
  /** LevelDB is being opened; `from` is the state to return to where another process holds it. */
  | { readonly name: 'opening'; readonly from: 'closed' | 'waiting' | 'delegating'; readonly waiting: number }
  /** This process holds the database. `deaf` says that other processes cannot ask for it over a socket. */
  | { readonly name: 'held'; readonly users: number; readonly deaf: boolean }
  /**
   * Another process asked for the database: it is closed once `users` and `guests` are 0. New users wait for their turn.
   * Guests are work of other processes that came while users were there.
   */
  | { readonly name: 'yielding'; readonly users: number; readonly guests: number; readonly waiting: number }
  /** The database is being closed. */
  | { readonly name: 'closing'; readonly target: 'closed' | 'ceded' | 'ended'; readonly waiting: number }
  /** Closed, and left for a moment to the process that asked for it. */
  | { readonly name: 'ceded'; readonly waiting: number }
  /** Another process holds the database and is not connected. */
  | { readonly name: 'waiting' }
  /** Another process holds the database and is connected: appends are handed over to it. */
  | { readonly name: 'delegating' }
  /** Another process took the store over, or a write failed: the database is closed once `users` is 0. */
  | { readonly name: 'fenced'; readonly users: number }
  /** The lease was closed, or a fenced database was. */
  | { readonly name: 'ended' }

export type LeaseEvent =
  /** A user needs the database. */
  | 'want'
  /** A user is done with the database. */
  | 'release'
  /** Work of another process needs the database that is in use, and is done with it. */
  | 'guest'
  | 'guest-release'
  /** LevelDB is open. */
  | 'opened'
  /** LevelDB is open in another process. */
  | 'locked'
  /** Opening failed. */
  | 'failed'
  /** LevelDB is closed. */
  | 'closed'
  /** No socket is available, so that no other process can ask. */
  | 'deaf'
  /** Another process asked for the database. */
  | 'ask'
  /** The fencing token changed, or a write failed. */
  | 'fence'
  /** The holder was connected. */
  | 'reached'
  /** The holder closes the database, or its connection was lost. */
  | 'left'
  /** The failure detector suspects the holder. */
  | 'silent'
  /** The timer of the effect with this name ran out. */
  | 'idle'
  | 'turn'
  | 'cede'
  /** The lease is closed. */
  | 'end'

export type LeaseEffect =
  /** Open LevelDB; reports `opened`, `locked` or `failed`. */
  | 'open'
  /** Close LevelDB; reports `closed`. */
  | 'close'
  /** Let in all users that wait. */
  | 'admit'
  /** Refuse all users that wait: the database is not available now. */
  | 'refuse'
  /** Begin to listen on a socket, now or after a moment: a single command needs no socket. */
  | 'listen'
  | 'listen-soon'
  /** Start the timer for `idle`, `turn` or `cede`. */
  | 'start-idle'
  | 'start-turn'
  | 'start-cede'
  /** Take the store over: write the next fencing token. */
  | 'take-over'

export interface LeaseTransition {
  readonly state: LeaseState
  readonly effects: readonly LeaseEffect[]
}

export const CLOSED: LeaseState = { name: 'closed' }
export const WAITING: LeaseState = { name: 'waiting' }
const DELEGATING: LeaseState = { name: 'delegating' }
const ENDED: LeaseState = { name: 'ended' }

const NONE: readonly LeaseEffect[] = []
const to = (state: LeaseState, ...effects: readonly LeaseEffect[]): LeaseTransition => ({ state, effects })

/**
 * Returns the state after an event, and the effects to perform. An event that is not defined for a state changes
 * nothing.
 */
export function transition(state: LeaseState, event: LeaseEvent): LeaseTransition {
  switch (state.name) {
    case 'closed':
    case 'waiting':
    case 'delegating':
      return elsewhere(state, event)
    case 'opening':
      return opening(state, event)
    case 'held':
      return held(state, event)
    case 'yielding':
      return yielding(state, event)
    case 'closing':
      return closing(state, event)
    case 'ceded':
      return ceded(state, event)
    case 'fenced':
      return fenced(state, event)
    case 'ended':
      return event === 'want' ? to(state, 'refuse') : { state, effects: NONE }
  }
}

type StateNamed<N extends LeaseState['name']> = Extract<LeaseState, { readonly name: N }>

function elsewhere(
  state: StateNamed<'closed' | 'waiting' | 'delegating'>,
  event: LeaseEvent,
): LeaseTransition {
  switch (event) {
    case 'want':
      return to({ name: 'opening', from: state.name, waiting: 1 }, 'open')
    case 'reached':
      return to(DELEGATING)
    case 'left':
      return to(state.name === 'closed' ? state : WAITING)
    case 'silent':
      return state.name === 'closed' ? to(state) : to(WAITING, 'take-over')
    case 'end':
      return to(ENDED)
    default:
      return { state, effects: NONE }
  }
}

function opening(state: StateNamed<'opening'>, event: LeaseEvent): LeaseTransition {
  const { from, waiting } = state
  switch (event) {
    case 'want':
      return to({ ...state, waiting: waiting + 1 })
    case 'opened': {
      // Where other processes have been met, they are likely to ask soon.
      const listen = from === 'closed' ? 'listen-soon' : 'listen'
      return to({ name: 'held', users: waiting, deaf: false }, 'admit', listen)
    }
    case 'locked':
      return to(from === 'delegating' ? DELEGATING : WAITING, 'refuse')
    case 'failed':
      return to({ name: from }, 'refuse')
    case 'reached':
      return to({ ...state, from: 'delegating' })
    case 'left':
      return to({ ...state, from: 'waiting' })
    case 'silent':
      return to({ ...state, from: 'waiting' }, 'take-over')
    // `LeaseDriver` reports `end` once nothing is being opened.
    default:
      return { state, effects: NONE }
  }
}

function held(state: StateNamed<'held'>, event: LeaseEvent): LeaseTransition {
  const { users, deaf } = state
  switch (event) {
    case 'want':
      // It need not wait.
      return { state: { ...state, users: users + 1 }, effects: NONE }
    case 'release':
      return users === 1 && deaf
        ? to({ ...state, users: 0 }, 'start-idle')
        : { state: { ...state, users: users - 1 }, effects: NONE }
    case 'deaf':
      return users === 0 ? to({ ...state, deaf: true }, 'start-idle') : to({ ...state, deaf: true })
    case 'idle':
      return users === 0 && deaf ? close('closed', 0) : to(state)
    case 'ask':
      return users === 0 ? close('ceded', 0) : to({ name: 'yielding', users, guests: 0, waiting: 0 })
    case 'fence':
      return users === 0 ? close('ended', 0) : to({ name: 'fenced', users })
    case 'end':
      return close('ended', 0)
    default:
      return { state, effects: NONE }
  }
}

function yielding(state: StateNamed<'yielding'>, event: LeaseEvent): LeaseTransition {
  const { users, guests, waiting } = state
  switch (event) {
    case 'want':
      return to({ ...state, waiting: waiting + 1 }, ...(waiting === 0 ? (['start-turn'] as const) : NONE))
    // The current user may itself wait for one of the waiting users.
    case 'turn':
      return to({ ...state, users: users + waiting, waiting: 0 }, 'admit')
    case 'release':
      return users + guests === 1 ? close('ceded', waiting) : to({ ...state, users: users - 1 })
    case 'guest':
      // Guests admit no guests: a process that asked for the database gets it, however many appends arrive.
      return users > 0 ? to({ ...state, guests: guests + 1 }) : to(state)
    case 'guest-release':
      return users + guests === 1 ? close('ceded', waiting) : to({ ...state, guests: guests - 1 })
    case 'fence':
      return to({ name: 'fenced', users: users + guests }, 'refuse')
    case 'end':
      return close('ended', 0, 'refuse')
    default:
      return { state, effects: NONE }
  }
}

function closing(state: StateNamed<'closing'>, event: LeaseEvent): LeaseTransition {
  const { target, waiting } = state
  switch (event) {
    case 'want':
      return target === 'ended' ? to(state, 'refuse') : to({ ...state, waiting: waiting + 1 })
    case 'closed':
      if (target === 'ceded') return to({ name: 'ceded', waiting }, 'start-cede')
      if (target === 'ended') return to(ENDED)
      return waiting > 0 ? to({ name: 'opening', from: 'closed', waiting }, 'open') : to(CLOSED)
    case 'failed':
      return to(target === 'ended' ? ENDED : CLOSED, 'refuse')
    case 'end':
      return to({ name: 'closing', target: 'ended', waiting: 0 }, 'refuse')
    default:
      return { state, effects: NONE }
  }
}

function ceded(state: StateNamed<'ceded'>, event: LeaseEvent): LeaseTransition {
  const { waiting } = state
  switch (event) {
    case 'want':
      return to({ ...state, waiting: waiting + 1 })
    case 'cede':
      return waiting > 0 ? to({ name: 'opening', from: 'waiting', waiting }, 'open') : to(WAITING)
    case 'end':
      return to(ENDED, 'refuse')
    default:
      return { state, effects: NONE }
  }
}

function fenced(state: StateNamed<'fenced'>, event: LeaseEvent): LeaseTransition {
  const { users } = state
  switch (event) {
    case 'want':
      return to(state, 'refuse')
    case 'release':
    case 'guest-release':
      return users === 1 ? close('ended', 0) : to({ name: 'fenced', users: users - 1 })
    case 'end':
      return close('ended', 0)
    default:
      return { state, effects: NONE }
  }
}

const close = (
  target: StateNamed<'closing'>['target'],
  waiting: number,
  ...more: readonly LeaseEffect[]
): LeaseTransition => to({ name: 'closing', target, waiting }, ...more, 'close')
