import { describe, expect, it } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import type { Operation, RefMove, RefValue } from '../../../src/storage/backend.ts'
import { refKey } from '../../../src/storage/keys.ts'
import { CommitWriter, readCommits } from '../../../src/storage/ledger/commit.ts'
import { OperationPut } from '../../../src/storage/ledger/operationpart.ts'
import { NewOperation } from '../../../src/storage/newoperation.ts'
import { operationPut } from '../../../src/storage/operations.ts'
import { type Put, SealedPut, textOfPut } from '../../../src/storage/put.ts'
import { encodeRef } from '../../../src/storage/refvalue.ts'
import { expectFailure } from '../../support/errors.ts'

const OID = 'ab'.repeat(32)

const move = (name: string, old?: RefValue, now?: RefValue): RefMove => ({
  name: name as RefName,
  old,
  new: now,
})

const MADE = [
  move('sessions/a/meta', undefined, { title: 'made', cwd: null }),
  move('sessions/a/branches/main', undefined, OID),
  move('sessions/a/native', null, { log: 1, hash: 'cd'.repeat(16) }),
  move('sessions/b/meta', { title: 'gone' }, undefined),
]

const operation = (moves: readonly RefMove[], more: Partial<Operation> = {}): NewOperation =>
  new NewOperation({ time: 1e12, who: 'a@b', command: 'sess append', moves, ...more }, 300, 'ef'.repeat(16))

const places = ({ name }: RefMove): number => MADE.findIndex((one) => one.name === name)

const putOf = ({ name, new: value }: RefMove): Put =>
  value === undefined ? { key: refKey(name), value } : new SealedPut(refKey(name), encodeRef(value))

function laidOut(made: Operation, beside: readonly RefMove[], commit = new CommitWriter()): Uint8Array {
  for (const one of beside) commit.put(putOf(one))
  commit.put(made instanceof NewOperation ? new OperationPut(made, beside) : operationPut(made))
  return commit.bytes
}

function putsIn(bytes: Uint8Array): Put[] {
  const puts: Put[] = []
  const nothing = () => undefined
  readCommits(bytes, {
    put: (put) => puts.push(put),
    body: nothing,
    blob: nothing,
    entry: nothing,
    record: nothing,
  })
  return puts
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const contentIn = (bytes: Uint8Array): string => textOf((putsIn(bytes).at(-1) as SealedPut).content)

const contentOf = (made: Operation): string => textOf(operationPut(made).content)

describe('an operation in the ledger', () => {
  const cases: readonly [what: string, made: NewOperation, beside: readonly RefMove[]][] = [
    ['moves the refs beside it', operation(MADE), MADE],
    ['undoes another', operation(MADE, { turn: { kind: 'undo', operation: 7 } }), MADE],
    ['moved more before', operation(MADE), MADE.slice(2)],
    ['moved others between', operation(MADE), [MADE[1], MADE[3]] as RefMove[]],
    ['moves none of the refs beside it', operation(MADE.slice(0, 2)), MADE.slice(2)],
    ['has them in another order', operation(MADE), MADE.toReversed()],
    ['moves them elsewhere', operation(MADE), MADE.map((one) => ({ ...one, new: 'elsewhere' }))],
    ['is long', operation([...MADE, move('x', undefined, 'long '.repeat(2000))]), MADE],
    ['moves nothing', operation([]), []],
  ]
  for (const [what, made, beside] of cases)
    it(`that ${what} is read as it will stand at its place`, () => {
      const bytes = laidOut(made, beside)
      expect(contentIn(bytes)).toBe(contentOf(made))
      expect(putsIn(bytes).map(textOfPut)).toEqual([...beside.map(putOf), operationPut(made)].map(textOfPut))
    })

  it('is read likewise with what is joined onto it, be it of the same refs or of more', () => {
    let made = operation(MADE.slice(0, 2))
    for (const beside of [MADE.slice(0, 2), [MADE[1]] as RefMove[], MADE, MADE.slice(2), MADE]) {
      const moves = [...beside, ...made.moves.filter(({ name }) => !beside.some((one) => one.name === name))]
      made = made.joined(moves.toSorted((a, b) => places(a) - places(b)))
      expect(contentIn(laidOut(made, beside))).toBe(contentOf(made))
    }
  })

  it('is that of its own commit, whatever stands before it', () => {
    const commit = new CommitWriter()
    const before = operation(MADE.slice(0, 1))
    laidOut(before, MADE.slice(0, 1), commit)
    commit.put(putOf(move('of no operation', undefined, 'x')))
    expect(contentIn(laidOut(operation(MADE), MADE, commit))).toBe(contentOf(operation(MADE)))
  })

  it('does not say again what the refs beside it say', () => {
    const alone = laidOut(operation([]), MADE).length
    expect(laidOut(operation(MADE), MADE).length - alone).toBeLessThan(25)
  })

  it('of another id than its own is kept as it is', () => {
    const forged = { ...operation(MADE), number: 300, id: 'forged' }
    expect(contentIn(laidOut(forged, MADE))).toBe(contentOf(forged))
  })

  it('that lacks the refs beside it is corrupt', async () => {
    const bytes = laidOut(operation(MADE), MADE)
    const refs = laidOut(operation([]), MADE).length - laidOut(operation([]), []).length
    await expectFailure('corrupt', () => contentIn(bytes.subarray(refs)))
  })
})
