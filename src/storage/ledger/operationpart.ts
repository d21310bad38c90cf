import { encodeBriefly } from '../../model/canonical.ts'
import type { Json } from '../../model/json.ts'
import type { RefMove, RefValue, Turn } from '../backend.ts'
import { wellFormed } from '../fault.ts'
import { operationKey } from '../keys.ts'
import { fullNames, shortNames } from '../names.ts'
import { NewOperation, type Side, sideOf, valueIn } from '../newoperation.ts'
import { LARGE, operationPut } from '../operations.ts'
import { type Put, SealedPut } from '../put.ts'
import { decodeRef, laidOut } from '../refvalue.ts'

/** A move as the ledger has it: of what the next ref put beside it has become, what it was; else all of it. */
type Moved = Side | Whole

type Whole = readonly [name: string, old: Side, now: Side]

const isWhole = (move: Moved): move is Whole => typeof move === 'object' && move.length === 3

type Laid = readonly [string, number, string, string, readonly Moved[], (readonly [Turn['kind'], number])?]

/** Puts an operation beside refs, which the ledger need not name twice. */
export class OperationPut extends SealedPut {
  readonly operation: NewOperation
  /** How the refs move that are put right before it, in that order. */
  readonly beside: readonly RefMove[]

  constructor(operation: NewOperation, beside: readonly RefMove[]) {
    super(operationKey(operation.number), () => operationPut(operation).content)
    this.operation = operation
    this.beside = beside
  }
}

/** Lays out what an operation says besides these refs; undefined where that is long, which its place has compressed. */
export function layOutOperation({ operation, beside }: OperationPut): Uint8Array | undefined {
  const bytes = isAll(operation.moves, beside) ? coreOf(operation) : laidOutOf(operation, beside)
  return bytes.length < LARGE ? bytes : undefined
}

const isBeside = (move: RefMove, put: RefMove | undefined): boolean =>
  put !== undefined && put.name === move.name && put.new === move.new

function isAll(moves: readonly RefMove[], beside: readonly RefMove[]): boolean {
  for (let i = 0; i < moves.length; i++) if (!isBeside(moves[i] as RefMove, beside[i])) return false
  return true
}

/** Lays it out beside all refs that it moves: the same again, as long as no others are joined onto it. */
function coreOf(operation: NewOperation): Uint8Array {
  const { core, moves } = operation
  if (!core.bytes || core.moves !== moves.length) {
    core.bytes = laidOutOf(operation, moves)
    core.moves = moves.length
  }
  return core.bytes
}

function laidOutOf(operation: NewOperation, beside: readonly RefMove[]): Uint8Array {
  const { previous, time, who, command, moves, turn } = operation
  const names = shortNames(moves.map(({ name }) => name))
  let next = 0
  const moved = moves.map((move, i): unknown => {
    const old = sideOf(move.old, laidOut)
    if (!isBeside(move, beside[next])) return [names[i], old, sideOf(move.new, laidOut)]
    next++
    return old
  })
  return encodeBriefly([previous, time, who, command, moved, ...(turn ? [[turn.kind, turn.operation]] : [])])
}

/** Gives the put of an operation that was laid out so, beside the same refs. Throws `corrupt` once it is read where it is none. */
export const operationBeside = (number: number, bytes: Uint8Array, refs: readonly Put[]): SealedPut =>
  new SealedPut(
    operationKey(number),
    () =>
      wellFormed(`operation ${number} of the ledger`, () => operationPut(operationIn(number, bytes, refs)))
        .content,
  )

function operationIn(number: number, bytes: Uint8Array, refs: readonly Put[]): NewOperation {
  const [previous, time, who, command, moved, turn] = decodeRef(bytes) as unknown as Laid
  let next = 0
  const wholes = moved.map((move): readonly [string, Side, RefValue | undefined] => {
    if (isWhole(move)) return [move[0], move[1], valueIn(move[2])]
    const put = refs[next++]
    if (!put) throw new RangeError('it moves a ref that is not there')
    return [nameOf(put), move, refIn(put)]
  })
  const names = fullNames(wholes.map(([name]) => name))
  const moves = wholes.map(([, old, now], i) => ({
    name: names[i] as RefMove['name'],
    old: valueIn(old),
    new: now,
  }))
  const deed = { time, who, command, moves, ...(turn && { turn: { kind: turn[0], operation: turn[1] } }) }
  return new NewOperation(deed, number, previous)
}

const utf8 = new TextDecoder()

const nameOf = ({ key }: Put): string => utf8.decode(key.subarray(1))

const refIn = (put: Put): Json | undefined => (put instanceof SealedPut ? decodeRef(put.content) : undefined)
