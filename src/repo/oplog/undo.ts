import { SessError } from '../../model/errors.ts'
import { type Operation, type RefMove, type RefValue, sameValue } from '../../model/operation.ts'
import {
  branchRef,
  headRef,
  metaRef,
  parseSessionRef,
  plainName,
  type RefName,
  sessionPrefix,
} from '../../model/refname.ts'
import { checkedValue, kindOf, refProblem } from '../../model/refs/table.ts'
import { findRef } from '../findref.ts'
import type { Reader } from '../reader.ts'
import { refsAfter } from './operationat.ts'
import { lastMover, operationsNewestFirst } from './operationlog.ts'

/** An operation, and the number of the operation that undid it, if any. */
export interface UndoState {
  readonly operation: Operation
  /** Of an undo or a redo: the later redo or undo of the same operation. */
  readonly undoneBy?: number
}

/** Returns whether an operation is an undo or a redo. */
export const isUndoOrRedo = (operation: Operation): boolean =>
  operation.reversal?.kind === 'undo' || operation.reversal?.kind === 'redo'

/** Returns whether a person made an operation, and no program. */
export const isByPerson = ({ actor }: Operation): boolean => actor === 'person'

/** Returns whether an operation is undone. Reads the operations after it. */
export async function undoStateOf(reader: Reader, operation: Operation): Promise<UndoState> {
  for await (const state of undoStates(reader)) if (state.operation.number === operation.number) return state
  return { operation }
}

/** Yields all operations with their undo states, the newest first. */
export async function* undoStates(reader: Reader): AsyncGenerator<UndoState> {
  /** The newest and the oldest undo or redo met so far of each operation, by its number. The newest one counts. */
  const reversed = new Map<number, { readonly last: Operation; readonly first: Operation }>()
  for await (const operation of operationsNewestFirst(reader)) {
    const { number, reversal: of } = operation
    if (of && isUndoOrRedo(operation)) {
      const later = reversed.get(of.operation)
      reversed.set(of.operation, { last: later?.last ?? operation, first: operation })
      yield { operation, ...(later && { undoneBy: later.first.number }) }
    } else {
      const last = reversed.get(number)?.last
      yield { operation, ...(last?.reversal?.kind === 'undo' && { undoneBy: last.number }) }
    }
  }
}

/** The moves of refs that undo or redo an operation. */
export interface ReversalMoves {
  readonly moves: readonly RefMove[]
  /**
   * Heads of native logs of sessions where one of them moved later. They are not moved back: unreachable records do no
   * harm.
   */
  readonly left: readonly RefName[]
}

/**
 * Returns the moves that undo or redo an operation. Throws `conflict` if one of its refs moved later, or if a session
 * would lose its metadata or its current branch.
 */
export async function reversal(
  reader: Reader,
  operation: Operation,
  kind: 'undo' | 'redo',
): Promise<ReversalMoves> {
  if (operation.moves.some(isOfPresent)) throw new SessError('expunged', `${operation.number}`)
  const moves: RefMove[] = []
  const left: RefName[] = []
  for (const { name, old, new: value } of operation.moves) {
    const [from, to] = kind === 'undo' ? [value, old] : [old, value]
    if (sameValue(await reader.ref(name), from)) moves.push({ name, old: from, new: to })
    else if (kindOf(name)?.undo === 'unless-moved') left.push(name)
    else throw await conflict(reader, name, operation)
  }
  if (left[0] !== undefined && moves.length === 0) throw await conflict(reader, left[0], operation)
  for (const { name, new: value } of moves) if (value !== undefined) checkedValue(name, value)
  await checkSessions(reader, moves, operation)
  return { moves, left }
}

/** Returns whether a ref is as it is now at each point in time. */
const isOfPresent = ({ name }: Pick<RefMove, 'name'>): boolean => kindOf(name)?.undo === 'never'

/**
 * Returns the moves that restore the refs whose names have a prefix to their values right after an operation; those
 * whose value had not the form of their kind are removed.
 */
export async function movesBack(reader: Reader, number: number, prefix = ''): Promise<RefMove[]> {
  const moves: RefMove[] = []
  for (const [name, value] of await refsAfter(reader, number)) {
    if (isOfPresent({ name })) continue
    const then = value === undefined || refProblem(name, value) !== undefined ? undefined : value
    const now = name.startsWith(prefix) ? await reader.ref(name) : then
    if (!sameValue(now, then)) moves.push({ name, old: now, new: then })
  }
  return moves.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function checkSessions(reader: Reader, moves: readonly RefMove[], operation: Operation): Promise<void> {
  const after: After = new Map(moves.map((move) => [move.name, move.new]))
  for (const session of sessionsOf(moves)) {
    const orphan = await refWithoutMeta(reader, session, after)
    if (orphan !== undefined) throw await conflict(reader, orphan, operation)
    if (await losesItsBranch(reader, session, after, operation))
      throw await conflict(reader, headRef(session), operation)
  }
}

/** The values of refs after some moves. */
type After = ReadonlyMap<RefName, RefValue | undefined>

/** Returns a ref of a session that would have refs but no metadata, else undefined. */
async function refWithoutMeta(reader: Reader, session: string, after: After): Promise<RefName | undefined> {
  const meta = metaRef(session)
  if ((after.has(meta) ? after.get(meta) : await reader.ref(meta)) !== undefined) return undefined
  const prefix = sessionPrefix(session)
  for await (const [name] of reader.refs(prefix)) if (!after.has(name)) return name
  for (const [name, value] of after) if (name.startsWith(prefix) && value !== undefined) return meta
  return undefined
}

/** Returns whether HEAD would name a branch that no longer exists, because HEAD moved to it later. */
async function losesItsBranch(
  reader: Reader,
  session: string,
  after: After,
  { number }: Operation,
): Promise<boolean> {
  const name = headRef(session)
  const head = await findRef(reader, name)
  if (!head || 'oid' in head || after.has(name)) return false
  const branch = branchRef(session, head.branch)
  if (!after.has(branch) || after.get(branch) !== undefined) return false
  // If HEAD named the branch before too, the branch had no entries then, which is a valid state.
  const then = await refsAfter(reader, number)
  return then.has(name) && !sameValue(then.get(name), head)
}

const sessionsOf = (moves: readonly RefMove[]): ReadonlySet<string> =>
  new Set(moves.flatMap(({ name }) => parseSessionRef(name)?.session ?? []))

/** Returns the error that names the operation that moved a ref later. */
async function conflict(reader: Reader, name: RefName, { number }: Operation): Promise<SessError> {
  const mover = await lastMover(reader, name)
  if (!mover || mover.number <= number) return new SessError('conflict', plainName(name))
  return new SessError('conflict', plainName(name), {
    detail: `after operation ${number}, by operation ${mover.number}: ${mover.command}`,
    remedy: { kind: 'undo-first', operation: mover.number },
  })
}
