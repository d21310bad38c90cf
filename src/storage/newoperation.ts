import { encode } from '../model/canonical.ts'
import { sha256Oid } from '../model/hash.ts'
import type { Operation, RefMove, RefValue, Turn } from './backend.ts'

/** What is known of an operation before it is numbered. */
export type Deed = Omit<Operation, 'number' | 'id'>

/**
 * An operation that was just made, of which the one before it is known. Its id is made when it is asked for: of one that
 * more is joined onto nobody asks, most often.
 */
export class NewOperation implements Operation {
  readonly number: number
  readonly time: number
  readonly who: string
  readonly command: string
  readonly moves: readonly RefMove[]
  readonly turn?: Turn
  /** The id of the operation before it. */
  readonly previous: string
  /** What it says besides its refs as the ledger has it, kept by who laid it out; shared with all that it is joined into. */
  readonly core: { moves: number; bytes: Uint8Array | undefined }
  #id: string | undefined

  constructor(
    { time, who, command, moves, turn }: Deed,
    number: number,
    previous: string,
    core: NewOperation['core'] = { moves: 0, bytes: undefined },
  ) {
    this.number = number
    this.time = time
    this.who = who
    this.command = command
    this.moves = moves
    if (turn) this.turn = turn
    this.previous = previous
    this.core = core
  }

  /** Gives the operation that moves more refs, or further: those that this one moves come first, and were what they were. */
  joined(moves: readonly RefMove[]): NewOperation {
    return new NewOperation({ ...this, moves }, this.number, this.previous, this.core)
  }

  get id(): string {
    return (this.#id ??= sha256Oid(encode(operationValue(this, this.previous))).slice(0, 32))
  }
}

/** A value that a ref had or has, or that it has none: JSON has no undefined, and null is a value that a ref may have. */
export type Side = typeof NONE | readonly [RefValue]

const NONE = 0

/** Lays out a value that a ref had or has, with what stands for it. */
export const sideOf = (
  value: RefValue | undefined,
  valueOf: (value: RefValue) => unknown,
): typeof NONE | readonly [unknown] => (value === undefined ? NONE : [valueOf(value)])

/** Gives what was laid out so. */
export const valueIn = (side: Side): RefValue | undefined => (side === NONE ? undefined : side[0])

/**
 * Lays an operation out as a value with an id: its own as it is stored, that of the one before as it is hashed. With the
 * names of its refs and their values as they are, unless others stand for them.
 */
export function operationValue(
  { number, time, who, command, moves, turn }: Deed & { readonly number: number },
  id: string,
  names: readonly string[] = moves.map(({ name }) => name),
  valueOf: (value: RefValue) => unknown = (value) => value,
): unknown {
  const laid = moves.map((m, i) => [names[i] as string, sideOf(m.old, valueOf), sideOf(m.new, valueOf)])
  return [number, id, time, who, command, laid, ...(turn ? [[turn.kind, turn.operation]] : [])]
}
